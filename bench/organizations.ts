/**
 * A store whose users belong to organizations: a fifth of them to one, the others to one for each hundred users. They came a hundred at a
 * time, as imports and directories create them.
 */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { cache, copyOf, hashOf, isKept, removeUnused, seeded, shapeOf } from './seed.ts'

/** The organization that has a fifth of all users. */
export const largeOrganization = organizationId(0)

export function usersOfLarge(users: number): number {
  return Math.ceil(users / 5)
}

/** The users that `seeded` has, in their organizations. To change it, work on a copy. */
export async function seededWithOrganizations(users: number): Promise<string> {
  const folder = join(
    cache,
    `organizations-${users}-${hashOf(import.meta.dirname, 'organizations.ts')}-${shapeOf('ours')}`,
  )
  if (isKept(folder)) return folder
  removeUnused(`organizations-${users}-`)
  const unfinished = copyOf(await seeded('ours', users))
  console.error(`Putting ${users.toLocaleString('en')} users into organizations …`)
  assign(join(unfinished, 'rollbook.db'), users)
  renameSync(unfinished, folder)
  return folder
}

function assign(path: string, users: number): void {
  const db = new DatabaseSync(path)
  const count = Math.ceil(users / 100)
  const at = new Date(0).toISOString()
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN')
  const insert = db.prepare(`
    INSERT INTO organizations (organization_id, version, name, name_key, created_at, updated_at) VALUES (?, 1, ?, ?, ?, ?)`)
  for (let n = 0; n < count; n++) insert.run(organizationId(n), `Organization ${n}`, `organization ${n}`, at, at)
  // With its member in the document, as the service writes it. An update splits pages that rows written at once do not.
  db.exec(`
    CREATE TEMP TABLE homes AS SELECT row_id, format('${organizationId(0).slice(0, -12)}%012d',
      CASE batch % 5 WHEN 0 THEN 0 ELSE 1 + batch % ${count - 1} END) AS home
    FROM (SELECT row_id, (row_number() OVER (ORDER BY row_id) - 1) / 100 AS batch FROM users);
    UPDATE users SET organization_id = home,
      document = replace(document, ',"attributes":', ',"organization_id":"' || home || '","attributes":')
    FROM homes WHERE homes.row_id = users.row_id;
    COMMIT; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`)
  db.close()
}

function organizationId(n: number): string {
  return `0197f000-0000-7000-8000-${String(n).padStart(12, '0')}`
}
