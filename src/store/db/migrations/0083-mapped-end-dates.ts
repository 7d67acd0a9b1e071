import type { Migration } from './migration.ts'

/** The SCIM attribute in which a provisioning connection sends the end date of a user. */
const statements = (text: string) => [`ALTER TABLE provisioning_connections ADD COLUMN end_date_attribute ${text}`]

export const mappedEndDates: Migration = {
  name: '0083-mapped-end-dates',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
