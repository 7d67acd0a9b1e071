import type { Migration } from './migration.ts'

/**
 * Links with which the IT administrator of an organization sets up domains, sign-in and provisioning without an account. The tokens are
 * in link_tokens.
 */
const statements = (text: string, ending: string) => [
  `CREATE TABLE organization_setup_links (
     setup_link_id   ${text} PRIMARY KEY,
     organization_id ${text} NOT NULL,
     features        ${text} NOT NULL,
     email           ${text},
     email_key       ${text},
     locale          ${text},
     creator_kind    ${text} NOT NULL,
     creator_id      ${text} NOT NULL,
     creator_name    ${text} NOT NULL,
     created_at      ${text} NOT NULL,
     expires_at      ${text} NOT NULL,
     last_used_at    ${text},
     revoked_at      ${text}
   )${ending}`,
  'CREATE INDEX organization_setup_links_organization ON organization_setup_links (organization_id, setup_link_id)',
  'CREATE INDEX organization_setup_links_expires ON organization_setup_links (expires_at)',
]

export const organizationSetupLinks: Migration = {
  name: '0085-organization-setup-links',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', ' WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
