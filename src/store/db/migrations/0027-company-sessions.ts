import type { Migration } from './migration.ts'

/** The company account that started a session, so that the company can end it; and the rules for passwords. */
const statements = (text: string, ending: string) => [
  `ALTER TABLE sessions ADD COLUMN company_subject ${text}`,
  `ALTER TABLE sessions ADD COLUMN company_sid ${text}`,
  `ALTER TABLE sessions ADD COLUMN company_hint ${text}`,
  `ALTER TABLE challenges ADD COLUMN company ${text}`,
  `CREATE TABLE passwordless (
     connection_id ${text},
     domain        ${text},
     PRIMARY KEY (connection_id, domain)
   ) ${ending}`,
  `CREATE TABLE break_glass (
     connection_id ${text},
     user_id       ${text},
     PRIMARY KEY (connection_id, user_id)
   ) ${ending}`,
]

export const companySessions: Migration = {
  name: '0027-company-sessions',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
