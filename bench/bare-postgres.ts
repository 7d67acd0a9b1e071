// The yardstick on PostgreSQL: the least that a Fastify server does to read, create and change a user in the same tables,
// with `pg` as its documentation shows it: a pool, prepared statements. Arguments: see below.
import { randomUUIDv7 } from 'node:crypto'
import { parseArgs } from 'node:util'
import fastify from 'fastify'
import pg from 'pg'
import { journalRows, postgresTables } from './bare-journal.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    port: { type: 'string', default: '8081' },
    pool: { type: 'string', default: '10' },
    /** `transaction` reads the user, changes it and writes it; `blind` writes without reading. */
    patch: { type: 'string', default: 'transaction' },
    /** Writes an audit record and an event with each change. Not in a chain, for which all changes would have to wait. */
    journal: { type: 'boolean', default: false },
  },
})

const pool = new pg.Pool({
  connectionString: values.database,
  options: '-c search_path=rollbook',
  max: Number(values.pool),
})
const statement = (name: string, text: string) => (parameters: unknown[]) => ({ name, text, values: parameters })
const find = statement('find', 'SELECT document, version FROM users WHERE user_id = $1')
const findPage = statement('find_page', 'SELECT document FROM users WHERE user_id > $1 ORDER BY user_id LIMIT $2')
const findForChange = statement('find_for_change', 'SELECT * FROM users WHERE user_id = $1 FOR UPDATE')
const update = statement(
  'update',
  `UPDATE users SET version = $2, document = $3, first_name = $4, updated_at = $5, search_text = $6 WHERE user_id = $1`,
)
const updateBlindly = statement(
  'update_blindly',
  `UPDATE users SET version = version + 1, first_name = $2, updated_at = $3,
     document = (document::jsonb || jsonb_build_object('first_name', $2::text, 'updated_at', $3::text))::text
   WHERE user_id = $1 RETURNING document`,
)

const names = [
  ...['user_id', 'version', 'document', 'username', 'username_key', 'email', 'email_key', 'external_id', 'first_name'],
  ...['last_name', 'role', 'active', 'created_at', 'updated_at', 'search_text'],
]
const insertUser = `INSERT INTO users (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`
const insert = statement('insert', insertUser)
// One statement for both rows, or for all three: a round trip, and for a new user no transaction around it.
const insertRows = (first: number) => {
  const places = (from: number, count: number) => Array.from({ length: count }, (_, i) => `$${from + i}`).join(', ')
  const record = `INSERT INTO bare_records (record_id, occurred_at, action, actor_id, target_id, request_id, what, hash)
    VALUES (${places(first, 8)})`
  const event = `INSERT INTO bare_events (event_id, type, subject, occurred_at, data) VALUES (${places(first + 8, 5)})`
  return { record, event }
}
const inJournal = statement('journal', `WITH record AS (${insertRows(1).record}) ${insertRows(1).event}`)
const withJournal = insertRows(names.length + 1)
const insertInJournal = statement(
  'insert_in_journal',
  `WITH created AS (${insertUser}), record AS (${withJournal.record}) ${withJournal.event}`,
)
if (values.journal) for (const table of postgresTables) await pool.query(table)

const searchText = (user: Record<string, string | null>) =>
  [user.username, user.email ?? '', `${user.first_name} ${user.last_name}`, user.last_name].join('\n\n').toLowerCase()

type Route = {
  Params: { id: string }
  Querystring: Record<string, string>
  Body: { first_name: string } & Record<string, string>
}
const app = fastify()
app.addHook('onRequest', (_, reply, done) => {
  reply.type('application/json')
  done()
})

app.get<Route>('/users/:id', async ({ params: { id } }, reply) => {
  const { rows } = await pool.query(find([id]))
  if (rows.length === 0) return reply.callNotFound()
  return rows[0].document
})

app.get<Route>('/users', async ({ query: { cursor = '', limit } }) => {
  const { rows } = await pool.query(findPage([cursor, Number(limit)]))
  return `[${rows.map(({ document }) => document).join(',')}]`
})

app.post<Route>('/users', async ({ body }, reply) => {
  const at = new Date().toISOString()
  const user = { user_id: randomUUIDv7(), username: '', email: null, external_id: null, last_name: '', ...body }
  const rest = { role: 'user', active: true, has_password: false, last_login_at: null, created_at: at, updated_at: at }
  const document = JSON.stringify({ ...user, ...rest })
  const { username, email, first_name, last_name } = user
  const keys = [username, username.toLowerCase(), email, (email as string | null)?.toLowerCase() ?? null]
  const own = [user.user_id, 1, document, ...keys, user.external_id, first_name, last_name, 'user', 1, at, at]
  own.push(searchText(user))
  if (values.journal) {
    const { record, event } = journalRows({ action: 'user.created', id: user.user_id, document, after: body, at }, '')
    await pool.query(insertInJournal([...own, ...record, ...event]))
  } else await pool.query(insert(own))
  reply.code(201)
  return document
})

app.patch<Route>('/users/:id', async ({ params: { id }, body: { first_name } }) => {
  const updated_at = new Date().toISOString()
  if (values.patch === 'blind') {
    return (await pool.query(updateBlindly([id, first_name, updated_at]))).rows[0].document
  }
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const user = (await client.query(findForChange([id]))).rows[0]
    const document = JSON.stringify({ ...JSON.parse(user.document), first_name, updated_at })
    await client.query(
      update([id, user.version + 1, document, first_name, updated_at, searchText({ ...user, first_name })]),
    )
    if (values.journal) {
      const change = { action: 'user.updated', id, document, before: user, after: { first_name }, at: updated_at }
      const { record, event } = journalRows(change, '')
      await client.query(inJournal([...record, ...event]))
    }
    await client.query('COMMIT')
    return document
  } finally {
    client.release()
  }
})

await app.listen({ port: Number(values.port), host: '127.0.0.1' })
