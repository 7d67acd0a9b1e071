/** The directory as a dry run's rows would have changed it so far: stored separately, never in the store. */
import { DatabaseSync } from 'node:sqlite'
import { valueName } from '../../directory/attributes/service.ts'
import {
  type Directory,
  type GroupDirectory,
  type ImportedGroup,
  lastingRoles,
  lasts,
  type Names,
  stateAfter,
  type UserRow,
  type Write,
} from '../../directory/users/service.ts'

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

function prepareStatements(database: DatabaseSync) {
  const prepare = (text: string) => database.prepare(text)
  return {
    remove: prepare('DELETE FROM users WHERE user_id = ?'),
    insert: prepare('INSERT INTO users VALUES (?, ?, ?, ?, ?, ?)'),
    removeValues: prepare('DELETE FROM unique_values WHERE user_id = ?'),
    insertValue: prepare('INSERT INTO unique_values VALUES (?, ?)'),
    ownerOf: prepare('SELECT user_id FROM unique_values WHERE name = ?'),
    make: prepare('INSERT INTO made VALUES (?)'),
    wasMade: prepare('SELECT 1 FROM made WHERE user_id = ?'),
    has: prepare('SELECT 1 FROM users WHERE user_id = ?'),
    findBy: lists.map(([column, names]) => {
      const statement = prepare(`SELECT row FROM users WHERE ${column} IN (SELECT value FROM json_each(?))`)
      return (wanted: Names) => statement.all(JSON.stringify(wanted[names])) as { row: string }[]
    }),
    withRole: prepare(`
      SELECT user_id, row FROM users
      WHERE EXISTS (SELECT 1 FROM json_each(?) WHERE instr(roles, ' ' || value || ' ') > 0) LIMIT ?`),
    regroup: prepare('INSERT OR REPLACE INTO memberships VALUES (?, ?)'),
    groupsOf: prepare('SELECT user_id, groups FROM memberships WHERE user_id IN (SELECT value FROM json_each(?))'),
    addFactor: prepare('INSERT OR IGNORE INTO factored VALUES (?)'),
    withFactor: prepare('SELECT user_id FROM factored WHERE user_id IN (SELECT value FROM json_each(?))'),
  }
}

type Statements = ReturnType<typeof prepareStatements>

/** In a separate file that is deleted when it is closed: a file of users may have any length. */
export function openOverlay(): Overlay {
  const database = new DatabaseSync('')
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE users (user_id TEXT PRIMARY KEY, username_key TEXT UNIQUE, email_key TEXT UNIQUE, external_id TEXT UNIQUE,
      roles TEXT, row TEXT) WITHOUT ROWID;
    CREATE TABLE memberships (user_id TEXT PRIMARY KEY, groups TEXT) WITHOUT ROWID;
    CREATE TABLE unique_values (name TEXT PRIMARY KEY, user_id TEXT) WITHOUT ROWID;
    CREATE INDEX unique_values_user ON unique_values (user_id);
    CREATE TABLE factored (user_id TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE made (user_id TEXT PRIMARY KEY) WITHOUT ROWID`)
  const statements = prepareStatements(database)
  let changed = 0
  let rows = 0

  return {
    over: (directory) => directoryOver(directory, statements, () => changed),
    isMade: (userId) => statements.wasMade.get(userId) !== undefined,
    get rows() {
      return rows
    },
    put(writes, upTo) {
      rows = upTo
      database.exec('BEGIN')
      for (const { found, next, isMade } of writes) {
        if (found !== undefined) changed++
        else if (isMade) statements.make.run(next.user_id)
        statements.remove.run(next.user_id)
        statements.removeValues.run(next.user_id)
      }
      for (const { next, regrouping } of writes) {
        if (regrouping !== undefined) statements.regroup.run(next.user_id, JSON.stringify(regrouping.groups))
      }
      for (const write of new Map(writes.map((one) => [one.next.user_id, one])).values()) {
        const next = stateAfter(write)
        if (write.factors !== undefined) statements.addFactor.run(next.user_id)
        const { user_id, username_key, email_key, external_id, role } = next
        // As the store counts them: a service account administers nothing, and what has an end date does not remain.
        const roles = lasts(next) ? ` ${role} ${lastingRoles(next)} ` : ''
        for (const name of write.uniqueValues) statements.insertValue.run(name, user_id)
        statements.insert.run(user_id, username_key, email_key, external_id, roles, JSON.stringify(next))
      }
      database.exec('COMMIT')
    },
    close: () => database.close(),
  }
}

/** @param countChanged how many users of the store are changed here */
function directoryOver(directory: Directory, statements: Statements, countChanged: () => number): Directory {
  const isHere = (userId: string) => statements.has.get(userId) !== undefined
  return {
    ...directory,
    groups: groupsOver(directory.groups, statements),
    async find(names) {
      const found = new Map<string, UserRow>()
      for (const row of await directory.find(names)) if (!isHere(row.user_id)) found.set(row.user_id, row)
      for (const find of statements.findBy) {
        for (const { row } of find(names)) {
          const user = JSON.parse(row) as UserRow
          found.set(user.user_id, user)
        }
      }
      return [...found.values()]
    },
    passwordAdmins: {
      ...directory.passwordAdmins,
      changed: {
        has: isHere,
        withRole: (roles) =>
          statements.withRole.all(JSON.stringify(roles), -1).map(({ row }) => JSON.parse(row as string)),
      },
    },
    async findFactorOwners(userIds) {
      const here = statements.withFactor.all(JSON.stringify(userIds)).map(({ user_id }) => user_id as string)
      return new Set([...here, ...(await directory.findFactorOwners(userIds))])
    },
    async findOwnersOfValues(entries) {
      const owners = await directory.findOwnersOfValues(entries)
      for (const [name, userId] of owners) if (isHere(userId)) owners.delete(name)
      for (const name of new Set(entries.map(valueName))) {
        const owner = statements.ownerOf.get(name)
        if (owner !== undefined) owners.set(name, owner.user_id as string)
      }
      return owners
    },
    async findWithRole(roles, limit, within) {
      const rows = statements.withRole.all(JSON.stringify(roles), within === undefined ? limit : -1)
      const isWithin = (row: unknown) =>
        within === undefined || (JSON.parse(row as string) as UserRow).organization_id === within
      const here = rows.filter(({ row }) => isWithin(row)).map(({ user_id }) => user_id as string)
      // As many as may be changed here, so no longer match, plus as many as are wanted.
      const there = await directory.findWithRole(roles, limit + countChanged(), within)
      return [...here, ...there.filter((userId) => !isHere(userId))]
    },
  }
}

/** The groups themselves are those of the store: an import does not change them. */
function groupsOver(groups: GroupDirectory, { groupsOf }: Statements): GroupDirectory {
  return {
    ...groups,
    async find(wanted) {
      const known = await groups.find(wanted)
      const all = new Map(known.groups.map((group) => [group.group_id, group]))
      const memberships = new Map(known.memberships)
      for (const { user_id, groups: text } of groupsOf.all(JSON.stringify(wanted.user_ids))) {
        const own = JSON.parse(text as string) as ImportedGroup[]
        memberships.set(
          user_id as string,
          own.map(({ group_id }) => group_id),
        )
        for (const group of own) if (!all.has(group.group_id)) all.set(group.group_id, group)
      }
      return { ...known, groups: [...all.values()], memberships }
    },
  }
}
