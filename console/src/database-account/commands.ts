/** The commands for an account in the product's database: to be copied and run by an administrator, never by Rollbook. */

export type AccountKind = 'create' | 'drop'
export type AccountRights = { isSuperuser: boolean; canCreateDatabases: boolean }
export type AccountCommands = {
  /** For a POSIX shell. */
  shell: string
  /** For `psql`, or any other client. */
  sql: string
  /** For `psql` alone: asks for the password of the new account. Null when there is none to set. */
  psqlPassword: string | null
}
/** Why there is no account of this name. */
export type Obstacle = 'empty' | 'too_long' | 'reserved' | 'control_character' | 'invisible_character' | 'malformed'

/** PostgreSQL cuts longer names (NAMEDATALEN - 1), silently: the account would have another one. */
export const longestNameBytes = 63

/** Only plain ones: as a quoted identifier, `current_user` is a name like any other. */
const reservedNames = ['public', 'none']

export function obstacleOf(name: string): Obstacle | undefined {
  if (name === '') return 'empty'
  if (!name.isWellFormed()) return 'malformed'
  // In a terminal, a line break is Enter and a tab asks for suggestions; PostgreSQL has no U+0000.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'control_character'
  // What is copied would not be what is seen. Two of them belong to words: the (non-)joiners of Persian and Hindi.
  if (/(?![\u200c\u200d])\p{Cf}/u.test(name)) return 'invisible_character'
  if (name.startsWith('pg_') || reservedNames.includes(name)) return 'reserved'
  if (new TextEncoder().encode(name).length > longestNameBytes) return 'too_long'
  return undefined
}

export function accountCommands(
  kind: AccountKind,
  name: string,
  { isSuperuser, canCreateDatabases }: AccountRights = { isSuperuser: false, canCreateDatabases: false },
): AccountCommands | Obstacle {
  const obstacle = obstacleOf(name)
  if (obstacle !== undefined) return obstacle
  const word = shellWord(name)
  const identifier = sqlIdentifier(name)
  if (kind === 'drop') return { shell: `dropuser -- ${word}`, sql: `DROP ROLE ${identifier};`, psqlPassword: null }
  const options = [isSuperuser && '--superuser', canCreateDatabases && '--createdb', '--pwprompt'].filter(Boolean)
  const attributes = ['LOGIN', isSuperuser && 'SUPERUSER', canCreateDatabases && 'CREATEDB'].filter(Boolean)
  return {
    shell: `createuser ${options.join(' ')} -- ${word}`,
    sql: `CREATE ROLE ${identifier} ${attributes.join(' ')};`,
    psqlPassword: `\\password ${identifier}`,
  }
}

/** Nothing has a meaning between single quotes, and a single quote itself stands outside of them. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function sqlIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
