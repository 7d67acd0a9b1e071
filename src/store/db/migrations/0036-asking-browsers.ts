import type { Migration } from './migration.ts'

/** The hash of a secret in the browser that requested a link, which can then confirm an address without a session. */
const statements = (text: string) => [`ALTER TABLE user_links ADD COLUMN browser_hash ${text}`]

export const askingBrowsers: Migration = {
  name: '0036-asking-browsers',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
