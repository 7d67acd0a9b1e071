import type { Migration } from './migration.ts'

/** Sessions in which an administrator acts as a user: the administrator (JSON), and the session they started it from. */
const statements = (text: string) => [
  `ALTER TABLE sessions ADD COLUMN act ${text}`,
  `ALTER TABLE sessions ADD COLUMN begun_from ${text}`,
  'CREATE INDEX sessions_begun_from ON sessions (begun_from) WHERE begun_from IS NOT NULL',
]

export const impersonation: Migration = {
  name: '0053-impersonation',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
