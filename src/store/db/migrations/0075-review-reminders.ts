import type { Migration } from './migration.ts'

/** How many reminders of a review were sent: 1 a week before it is due, 2 a day before. */
const statements = ['ALTER TABLE reviews ADD COLUMN reminders integer NOT NULL DEFAULT 0']

export const reviewReminders: Migration = {
  name: '0075-review-reminders',
  needs: '0003-several-nodes',
  sqlite: statements,
  postgres: statements,
}
