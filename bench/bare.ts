// The yardstick: the least a server can do for the same operations, as fast as this stack goes.
// No authorization, no validation, no log, no error texts; a row holds the JSON that is sent.
import { randomUUIDv7 } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { hash } from '@node-rs/argon2'
import fastify from 'fastify'
import { sqliteJournal } from './bare-journal.ts'

const text = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: {
    database: text('bare.db'),
    port: text('8081'),
    commit: text('group'),
    journal: { type: 'boolean', default: false },
  },
})

function open(): DatabaseSync {
  const connection = new DatabaseSync(values.database)
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  return connection
}

const db = open()
db.exec('CREATE TABLE IF NOT EXISTS users (user_id TEXT PRIMARY KEY, username TEXT UNIQUE, document TEXT)')
const record = values.journal ? sqliteJournal(db) : undefined
const find = db.prepare('SELECT document FROM users WHERE user_id = ?')
const insert = db.prepare('INSERT INTO users VALUES (?, ?, ?)')
const update = db.prepare('UPDATE users SET username = ?, document = ? WHERE user_id = ?')
// SQLite joins the documents and hands over their bytes: one call for a page, and no string in JavaScript.
const pageSql = `SELECT CAST(? || group_concat(document, ',') || ? AS BLOB) AS json, max(user_id) AS last
  FROM (SELECT user_id, document FROM users WHERE user_id > ? ORDER BY user_id LIMIT ?)`
const page = db.prepare(pageSql)

function* everyUser(): Generator<unknown> {
  const reader = open()
  try {
    reader.exec('BEGIN')
    const next = reader.prepare(pageSql)
    let chunk = next.get('[', '', '', 250)
    if (!chunk?.json) yield '['
    for (; chunk?.json; chunk = next.get(',', '', chunk.last as string, 250)) yield chunk.json
    yield ']'
  } finally {
    reader.close()
  }
}

// Group commit: the writes of one turn of the event loop share a transaction and so an fsync. Each is in a
// savepoint of its own, and none is answered before the commit; a commit that fails ends the process.
type Write = { work: () => string; resolve: (document: string) => void; reject: (error: unknown) => void }
const waiting: Write[] = []
const [begin, savepoint, release, commit] = ['BEGIN', 'SAVEPOINT one', 'RELEASE one', 'COMMIT'].map((s) =>
  db.prepare(s),
)

function commitWaiting(): void {
  begin?.run()
  const answers = waiting.splice(0).map(({ work, resolve, reject }) => {
    savepoint?.run()
    try {
      const document = work()
      return () => resolve(document)
    } catch (error) {
      db.exec('ROLLBACK TO one')
      return () => reject(error)
    } finally {
      release?.run()
    }
  })
  commit?.run()
  for (const answer of answers) answer()
}

const write = (work: () => string): Promise<string> | string =>
  values.commit === 'each'
    ? work()
    : new Promise((resolve, reject) => {
        if (waiting.push({ work, resolve, reject }) === 1) setImmediate(commitWaiting)
      })

type Route = { Params: { id: string }; Querystring: Record<string, string>; Body: Record<string, string> }
const app = fastify()
app.addHook('onRequest', (_, reply, done) => {
  reply.type('application/json')
  done()
})

app.get<Route>('/users/:id', (request, reply) => {
  const row = find.get(request.params.id)
  if (row) reply.send(row.document)
  else reply.callNotFound()
})

app.get<Route>('/users', ({ query: { limit, cursor = '' } }, reply) =>
  reply.send(limit ? (page.get('[', ']', cursor, Number(limit))?.json ?? '[]') : Readable.from(everyUser())),
)

app.post<Route>('/users', async ({ body: { password, ...members } }, reply) => {
  // No one signs in here: the hash is only computed, not stored.
  if (password) await hash(password)
  const at = new Date().toISOString()
  const user = { user_id: randomUUIDv7(), email: null, external_id: null, first_name: '', last_name: '', ...members }
  const rest = { role: 'user', active: true, has_password: Boolean(password), last_login_at: null, created_at: at }
  const document = JSON.stringify({ ...user, ...rest, updated_at: at, attributes: {} })
  reply.code(201)
  return write(() => {
    insert.run(user.user_id, members.username ?? null, document)
    record?.({ action: 'user.created', id: user.user_id, document, after: members, at })
    return document
  })
})

app.patch<Route>('/users/:id', async ({ params: { id }, body }) =>
  write(() => {
    const before = JSON.parse(find.get(id)?.document as string)
    const at = new Date().toISOString()
    const user = { ...before, ...body, updated_at: at }
    const document = JSON.stringify(user)
    update.run(user.username, document, id)
    record?.({ action: 'user.updated', id, document, before, after: body, at })
    return document
  }),
)

await app.listen({ port: Number(values.port), host: '127.0.0.1' })
