/** The directory as a dry run's rows would have changed it so far: stored separately, never in the store. */
import { DatabaseSync } from 'node:sqlite'
import type { Directory, Write } from '../users/imported-rows.ts'
import type { Names, UserRow } from '../users/service.ts'

export type Overlay = {
  /** The store with these changes on top. */
  over(directory: Directory): Directory
  /** How many rows this overlay covers. */
  readonly rows: number
  /** Whether the user would get a new id. */
  isMade(userId: string): boolean
  /** Adds the result of rows, up to row `rows`. */
  put(writes: readonly Write[], rows: number): void
  close(): void
}

const lists = [
  ['user_id', 'user_ids'],
  ['username_key', 'username_keys'],
  ['email_key', 'email_keys'],
  ['external_id', 'external_ids'],
] as const

/** In a separate file that is deleted when it is closed: a file of users may have any length. */
export function openOverlay(): Overlay {
  const database = new DatabaseSync('')
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE users (user_id TEXT PRIMARY KEY, username_key TEXT UNIQUE, email_key TEXT UNIQUE, external_id TEXT UNIQUE,
      role TEXT, active INTEGER, row TEXT) WITHOUT ROWID;
    CREATE TABLE made (user_id TEXT PRIMARY KEY) WITHOUT ROWID`)
  const remove = database.prepare('DELETE FROM users WHERE user_id = ?')
  const insert = database.prepare('INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, ?)')
  const make = database.prepare('INSERT INTO made VALUES (?)')
  const wasMade = database.prepare('SELECT 1 FROM made WHERE user_id = ?')
  const has = database.prepare('SELECT 1 FROM users WHERE user_id = ?')
  const findBy = lists.map(([column, names]) => {
    const statement = database.prepare(`SELECT row FROM users WHERE ${column} IN (SELECT value FROM json_each(?))`)
    return (wanted: Names) => statement.all(JSON.stringify(wanted[names])) as { row: string }[]
  })
  const withRole = database.prepare(
    'SELECT user_id FROM users WHERE active = 1 AND role IN (SELECT value FROM json_each(?)) LIMIT ?',
  )
  let changed = 0
  let rows = 0
  const isHere = (userId: string) => has.get(userId) !== undefined

  return {
    over: (directory) => ({
      async find(names) {
        const found = new Map<string, UserRow>()
        for (const row of await directory.find(names)) if (!isHere(row.user_id)) found.set(row.user_id, row)
        for (const find of findBy) {
          for (const { row } of find(names)) {
            const user = JSON.parse(row) as UserRow
            found.set(user.user_id, user)
          }
        }
        return [...found.values()]
      },
      findFormerIds: (userIds) => directory.findFormerIds(userIds),
      async findWithRole(roles, limit) {
        const here = withRole.all(JSON.stringify(roles), limit).map(({ user_id }) => user_id as string)
        // As many as may be changed here, so no longer match, plus as many as are wanted.
        const there = await directory.findWithRole(roles, limit + changed)
        return [...here, ...there.filter((userId) => !isHere(userId))]
      },
    }),
    isMade: (userId) => wasMade.get(userId) !== undefined,
    get rows() {
      return rows
    },
    put(writes, upTo) {
      rows = upTo
      database.exec('BEGIN')
      for (const { found, next, isMade } of writes) {
        if (found !== undefined) changed++
        else if (isMade) make.run(next.user_id)
        remove.run(next.user_id)
      }
      for (const { next } of new Map(writes.map((write) => [write.next.user_id, write])).values()) {
        const { user_id, username_key, email_key, external_id, role, active } = next
        insert.run(user_id, username_key, email_key, external_id, role, active, JSON.stringify(next))
      }
      database.exec('COMMIT')
    },
    close: () => database.close(),
  }
}
