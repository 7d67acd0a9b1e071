/**
 * Which rows of what others sent mention a user who is erased: claims, requests and the sentences about them. A name can be
 * anywhere in such a text, in JSON within JSON, in a DN or percent-encoded, so SQL only finds candidates.
 */
import type { Db } from './db/db.ts'
import { containsText } from './db/dialect.ts'
import { joinSql, rawSql, sql } from './db/sql.ts'

/** A user who is erased. Only the id is known of a user whom an earlier release had already deleted. */
export type Erased = {
  user_id: string
  username?: string
  email?: string | null
  external_id?: string | null
  organization_id?: string | null
  /** Subjects at providers, other addresses, former names. */
  aliases?: readonly string[]
}

type Place = { table: string; id: string; columns: readonly string[] }

/** Returns the ids of the rows that mention the user, in any case of the letters. */
export async function findMentions(db: Db, erased: Erased, { table, id, columns }: Place): Promise<string[]> {
  const { user_id, username, email, external_id, aliases = [] } = erased
  const identifiers = [user_id, username, email, external_id, ...aliases].flatMap((name) => (name ? [plain(name)] : []))
  const names = [...new Set(identifiers)]
  const text = columns.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ")
  const candidates = names.map((name) => {
    const part = partOf(name)
    return part === undefined ? sql`1 = 1` : containsText(db, `lower(${text})`, part)
  })
  const rows = await db.all<{ id: string; text: string }>(sql`
    SELECT ${rawSql(id)} AS id, ${rawSql(text)} AS text FROM ${rawSql(table)} WHERE ${joinSql(candidates, ' OR ')}`)
  const patterns = names.map(patternOf)
  return rows.filter((row) => patterns.some((pattern) => pattern.test(plain(row.text)))).map((row) => row.id)
}

/** What every form of a name has in common, in SQL's lower case: letters of ASCII that nothing escapes. */
function partOf(name: string): string | undefined {
  const runs = (name.replace(/(?<=.)@.*/s, '').match(/[a-z0-9._-]+/g) ?? []).toSorted((a, b) => b.length - a.length)
  return runs[0]
}

/** The text without what JSON and URLs escape. */
function plain(text: string): string {
  return text
    .replaceAll(/(?:%[\da-f]{2})+/gi, decoded)
    .replaceAll(/\\+(?=["/])/g, '')
    .replaceAll(/\\+/g, '\\')
    .normalize('NFC')
    .toLowerCase()
}

function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch (error) {
    if (error instanceof URIError) return escaped
    throw error
  }
}

/** As a word of its own: `ada` is not in `adam` or `ada@other.example`. Shorter ones only as a whole string of JSON. */
function patternOf(name: string): RegExp {
  const [before, after] =
    name.length < 3 ? ['(?<=")', '(?=")'] : ['(?<![\\p{L}\\p{N}_.@+-])', '(?![\\p{L}\\p{N}_@+-]|\\.[\\p{L}\\p{N}])']
  return new RegExp(before + RegExp.escape(name) + after, 'u')
}
