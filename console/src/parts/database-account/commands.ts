/** The commands for an account in the product's database. An administrator copies and runs them; Rollbook never does. */

export type AccountKind = 'create' | 'drop'
type AccountRights = { isSuperuser: boolean; canCreateDatabases: boolean }
export type AccountCommands = {
  /** For a POSIX shell. */
  shell: string
  /** For `psql`, or any other client. */
  sql: string
  /** For `psql` only: asks for the password of the new account. Null if no password is set. */
  psqlPassword: string | null
}
/** Why an account of this name is not possible. */
export type Obstacle = 'empty' | 'too_long' | 'reserved' | 'control_character' | 'invisible_character' | 'malformed'

/** PostgreSQL silently truncates longer names (NAMEDATALEN - 1), so the account would have another name. */
export const longestNameBytes = 63

/** Reserved only without quotes: as a quoted identifier, `current_user` is an ordinary name. */
const reservedNames = ['public', 'none']

export function obstacleOf(name: string): Obstacle | undefined {
  if (name === '') return 'empty'
  if (!name.isWellFormed()) return 'malformed'
  // In a terminal, a line break is Enter and a tab asks for suggestions; PostgreSQL has no U+0000.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'control_character'
  // The copied text would differ from the visible one. The (non-)joiners are allowed: Persian and Hindi words need them.
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

/** Between single quotes nothing has a special meaning; a single quote itself has to stand outside of them. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function sqlIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
