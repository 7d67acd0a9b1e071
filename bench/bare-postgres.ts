// The yardstick on PostgreSQL: the least that a Fastify server does to read and to change a user in the same tables, with
// `pg` as its documentation shows it: a pool, prepared statements. Arguments: see below.
import { parseArgs } from 'node:util'
import fastify from 'fastify'
import pg from 'pg'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '' },
    port: { type: 'string', default: '8081' },
    pool: { type: 'string', default: '10' },
    /** `transaction` reads the user, changes it and writes it; `blind` writes without reading. */
    patch: { type: 'string', default: 'transaction' },
  },
})

const pool = new pg.Pool({
  connectionString: values.database,
  options: '-c search_path=rollbook',
  max: Number(values.pool),
})
const statement = (name: string, text: string) => (parameters: unknown[]) => ({ name, text, values: parameters })
const find = statement('find', 'SELECT document, version FROM users WHERE user_id = $1')
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

type Route = { Params: { id: string }; Body: { first_name: string } }
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
    const { username, email, last_name } = user
    const search_text = [username, email ?? '', `${first_name} ${last_name}`, last_name].join('\n\n').toLowerCase()
    await client.query(update([id, user.version + 1, document, first_name, updated_at, search_text]))
    await client.query('COMMIT')
    return document
  } finally {
    client.release()
  }
})

await app.listen({ port: Number(values.port), host: '127.0.0.1' })
