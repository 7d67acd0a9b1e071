import type { Migration } from './migration.ts'

/** How a kept test sign-in would have ended, as codes: until now only its English text said so. */
const statements = (text: string) => [
  `ALTER TABLE sign_in_failures ADD COLUMN test_outcome ${text}`,
  `ALTER TABLE sign_in_failures ADD COLUMN test_reason ${text}`,
]

export const outcomesOfTests: Migration = {
  name: '0050-outcomes-of-tests',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
