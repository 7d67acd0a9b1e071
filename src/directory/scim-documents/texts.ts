/**
 * Users as resources of SCIM in JSON, put together by the database: a page of them has no row that becomes an object, like
 * a page of our own list. Composing a page of 100 in JavaScript took 1,500 µs; joining stored texts takes 78 (docs/decisions/speed.md,
 * 0061). A text is valid while the user's version, or the values that it was made of, are the same; otherwise a mark says that the
 * resource must be composed. `src/scim/mapping/user.ts` says what a resource has; a test compares both.
 */
import type { Db, Engine } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { type FixedSql, sql } from '../../store/db/sql.ts'

const quotes: Record<Engine, (column: string) => string> = {
  sqlite: (column) => `json_quote(${column})`,
  postgres: (column) => `to_json(${column})::text`,
}

/** With an id behind it, stands for a user whose stored resource is out of date. No JSON has this character. */
export const staleMark = '\u0001'

const text = (value: string) => `'${value}'`
const concat = (...parts: string[]) => `concat(${parts.join(', ')})`

/** A sign-in makes a new version of the user, and leaves the resource as it is. */
const sameValues = [
  'username',
  'email',
  'external_id',
  'first_name',
  'last_name',
  'active',
  'access_ends_at',
  'attributes',
]
  .map((name) => `kept.${name} IS NOT DISTINCT FROM users.${name}`)
  .join(' AND ')

/** A resource without its groups, of a user joined with scim_documents, in the pieces around the base. */
function resourceSql(engine: Engine): string[] {
  const base = '<base>'
  const meta = [
    text(',"meta":{"resourceType":"User","created":"'),
    'users.created_at',
    text('","lastModified":"'),
    'users.updated_at',
    // The text before it comes along: SQLite takes 0.1 µs for each argument. PostgreSQL cannot tell its type.
    `CAST(${base} AS text)`,
    'users.user_id',
    text('","version":"W/\\"'),
    'users.version',
    text('\\""}}'),
  ]
  // The usual case first: the order of the others does not matter.
  return `CASE WHEN kept.version = users.version OR (${sameValues}) THEN ${concat('kept.resource', ...meta)}
    WHEN kept.user_id IS NULL AND users.attributes = '{}' AND users.access_ends_at IS NULL THEN ${concat(...withoutDocument(engine), ...meta)}
    ELSE ${concat(text(staleMark), 'users.user_id')} END`.split(base)
}

/** Most users of a service that SCIM has just been set up for have no document. */
function withoutDocument(engine: Engine): string[] {
  const quote = quotes[engine]
  const isNamed = (name: string) => `users.${name} <> ''`
  return [
    text('{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"id":"'),
    'users.user_id',
    text('"'),
    `CASE WHEN users.external_id IS NOT NULL THEN ',"externalId":' || ${quote('users.external_id')} END`,
    text(',"userName":'),
    quote('users.username'),
    `CASE WHEN ${isNamed('first_name')} THEN ',"name":{"givenName":' || ${quote('users.first_name')}
      WHEN ${isNamed('last_name')} THEN ',"name":{' END`,
    `CASE WHEN ${isNamed('last_name')}
      THEN CASE WHEN ${isNamed('first_name')} THEN ',' ELSE '' END || '"familyName":' || ${quote('users.last_name')} || '}'
      WHEN ${isNamed('first_name')} THEN '}' END`,
    `CASE WHEN users.active = 1 THEN ',"active":true' ELSE ',"active":false' END`,
    `CASE WHEN users.email IS NOT NULL
      THEN ',"emails":[{"value":' || ${quote('users.email')} || ',"type":"work","primary":true}]' END`,
  ]
}

// The same array each time: a connection knows a prepared statement by it.
const resources: Record<Engine, readonly string[]> = {
  sqlite: resourceSql('sqlite'),
  postgres: resourceSql('postgres'),
}

function resource(db: Db, base: string): FixedSql {
  const place = `","location":"${base}/Users/`
  return { fixed: resources[db.engine], values: [place, place] }
}

/** Separates resources. Within one, line feeds are escaped, so a search for this byte finds where the next one begins. */
export const joint = ',\n'
/** The free bytes before the resources of a page, for the head of the response, which then needs no copy of them. */
export const headRoom = 512
/** Ends the response: the list of resources is its last member. */
export const pageEnd = ']}'

/** Free bytes, the resources without their groups, and the end of the response. */
type TextsPage = { body: Uint8Array; ids: readonly string[]; more: boolean }

type Page = { after: string; limit: number; base: string }
/** `ids` one after another. */
type Found = { body: string | Uint8Array; ids: string | null; more: number | boolean }

const room = ' '.repeat(headRoom)

/** The greatest number of a row. */
const endOfRows = 9_223_372_036_854_775_807n
const startOfPage = ['coalesce((SELECT row_id FROM users WHERE user_id <= ', ' ORDER BY user_id DESC LIMIT 1), 0)']

const pages: Record<Engine, (db: Db, page: Page) => Promise<Found | undefined>> = {
  // The rows stand in the order of the ids, and the join keeps it. A limit around the join, or the maximum of a subquery
  // with a bound limit, would double the time of the statement.
  sqlite: (db, { after, limit, base }) => {
    const start = { fixed: startOfPage, values: [after] }
    return db.get<Found>(sql`
      SELECT body, ids, EXISTS (SELECT 1 FROM users WHERE row_id > last_row) AS more
      FROM (
        SELECT CAST(concat(${room}, group_concat(${resource(db, base)}, ${joint}), ${pageEnd}) AS BLOB) AS body,
          group_concat(users.user_id, '') AS ids, max(row_id) AS last_row
        FROM users LEFT JOIN scim_documents AS kept ON kept.user_id = users.user_id
        WHERE row_id > ${start} AND row_id <= coalesce(
          (SELECT row_id FROM users WHERE row_id > ${start} ORDER BY row_id LIMIT 1 OFFSET ${limit - 1}), ${endOfRows}))`)
  },
  postgres: (db, { after, limit, base }) =>
    db.get<Found>(sql`
      SELECT body, ids, (SELECT 1 FROM users WHERE user_id > last ORDER BY user_id LIMIT 1) IS NOT NULL AS more
      FROM (
        SELECT ${room} || coalesce(string_agg(${resource(db, base)}, ${joint} ORDER BY users.user_id), '') || ${pageEnd} AS body,
          string_agg(users.user_id, '' ORDER BY users.user_id) AS ids, max(users.user_id) AS last
        FROM (SELECT * FROM users WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit}) AS users
          LEFT JOIN scim_documents AS kept ON kept.user_id = users.user_id
      ) AS page`),
}

/** A page of all users in the default order. @param after the id of the last user of the page before, or '' */
export async function pageOfTexts(db: Db, page: Page): Promise<TextsPage> {
  const { body, ids, more } = (await pages[db.engine](db, page)) as Found
  return {
    body: typeof body === 'string' ? Buffer.from(body) : body,
    ids: ids?.match(/.{36}/g) ?? [],
    more: Boolean(more),
  }
}

type Row = { user_id: string; resource: string }

/** The resources of those of these users who exist, by user_id; without their groups. */
export async function findTexts(db: Db, userIds: readonly string[], base: string): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map()
  const rows = await db.all<Row>(sql`
    SELECT users.user_id, ${resource(db, base)} AS resource
    FROM users LEFT JOIN scim_documents AS kept ON kept.user_id = users.user_id
    WHERE users.user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return byId(rows)
}

/** The same of the user with this name. Identity providers look for each user before they create them. */
export async function findTextByUsername(db: Db, usernameKey: string, base: string): Promise<Map<string, string>> {
  const rows = await db.all<Row>(sql`
    SELECT users.user_id, ${resource(db, base)} AS resource
    FROM users LEFT JOIN scim_documents AS kept ON kept.user_id = users.user_id
    WHERE users.username_key = ${usernameKey}`)
  return byId(rows)
}

/** The same of the user with this external id. */
export async function findTextByExternalId(db: Db, externalId: string, base: string): Promise<Map<string, string>> {
  const rows = await db.all<Row>(sql`
    SELECT users.user_id, ${resource(db, base)} AS resource
    FROM users LEFT JOIN scim_documents AS kept ON kept.user_id = users.user_id
    WHERE users.external_id = ${externalId}`)
  return byId(rows)
}

function byId(rows: readonly Row[]): Map<string, string> {
  return new Map(rows.map(({ user_id, resource }) => [user_id, resource]))
}
