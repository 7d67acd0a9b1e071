import type { Migration } from './migration.ts'

/** Whether a configuration file manages the branding. */
const statements = (text: string) => [`ALTER TABLE branding ADD COLUMN managed_by ${text}`]

export const brandingByFile: Migration = {
  name: '0077-branding-by-file',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
