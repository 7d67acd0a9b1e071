import type { Migration } from './migration.ts'

/**
 * Requests for access. No user belongs to one before it is approved: it takes no name, and nothing can sign in with it. `entered`
 * and `open` have an address only, which the link of a message must confirm first; its token is in link_tokens.
 */
const statements = (text: string, ending: string) => [
  `CREATE TABLE access_requests (
     request_id     ${text} PRIMARY KEY,
     state          ${text} NOT NULL,
     email          ${text} NOT NULL,
     email_key      ${text} NOT NULL,
     locale         ${text},
     first_name     ${text} NOT NULL DEFAULT '',
     last_name      ${text} NOT NULL DEFAULT '',
     attributes     ${text} NOT NULL DEFAULT '{}',
     reason         ${text} NOT NULL DEFAULT '',
     search_text    ${text} NOT NULL DEFAULT '',
     created_at     ${text} NOT NULL,
     expires_at     ${text} NOT NULL,
     delete_at      ${text} NOT NULL,
     decided_at     ${text},
     decider_kind   ${text},
     decider_id     ${text},
     decider_name   ${text},
     decline_reason ${text},
     user_id        ${text}
   )${ending}`,
  'CREATE INDEX access_requests_state ON access_requests (state, request_id)',
  'CREATE INDEX access_requests_email ON access_requests (email_key)',
  'CREATE INDEX access_requests_expires ON access_requests (state, expires_at)',
  'CREATE INDEX access_requests_delete ON access_requests (delete_at)',
]

export const accessRequests: Migration = {
  name: '0067-access-requests',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', ' WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
