import type { Migration } from './migration.ts'

/**
 * Stores SCIM attributes that Rollbook has no member for, to return them as sent; the whole resource as a text, with
 * the user's values it was made from; and the document's email addresses, for SCIM filters. All stay while the user can
 * be restored.
 */
const statements = (text: string, integer: string, ending: string) => [
  `CREATE TABLE scim_documents (
     user_id     ${text} PRIMARY KEY,
     version     ${integer} NOT NULL,
     username    ${text} NOT NULL,
     email       ${text},
     external_id ${text},
     first_name  ${text} NOT NULL,
     last_name   ${text} NOT NULL,
     active      integer NOT NULL,
     attributes  ${text} NOT NULL DEFAULT '{}',
     resource    ${text} NOT NULL,
     document    ${text} NOT NULL
   )`,
  `CREATE TABLE scim_emails (
     email_key ${text} NOT NULL,
     user_id   ${text} NOT NULL,
     PRIMARY KEY (email_key, user_id)
   ) ${ending}`,
  'CREATE INDEX scim_emails_user ON scim_emails (user_id)',
]

export const scimDocuments: Migration = {
  name: '0017-scim-documents',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'INTEGER', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', 'bigint', ''),
}
