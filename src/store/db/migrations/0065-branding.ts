import type { Migration } from './migration.ts'

/** The look of the pages and messages; without a row they look as usual. `scope` is `product`, and has room for others. */
const table = (text: string, ending: string) => [
  `CREATE TABLE branding (
     scope      ${text} PRIMARY KEY,
     version    integer NOT NULL,
     document   ${text} NOT NULL,
     updated_at ${text} NOT NULL
   ) ${ending}`,
]

export const branding: Migration = {
  name: '0065-branding',
  needs: '0003-several-nodes',
  sqlite: table('TEXT', 'WITHOUT ROWID'),
  postgres: table('text COLLATE "C"', ''),
}
