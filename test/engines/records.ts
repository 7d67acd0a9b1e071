/** Reading what happened: the audit, the events, statistics, metrics and the state of the service. */
import { areThereAny, findStanding } from '../../src/directory/users/users.ts'
import { checkStore } from '../../src/operations/doctor/storage.ts'
import { verifyStore } from '../../src/record/audit/verify-store.ts'
import type { Db } from '../../src/store/db/db.ts'
import { postgresDb } from '../../src/store/db/postgres/connection.ts'
import type { Started } from '../harness.ts'
import { adminOf } from '../postgres.ts'
import type { Script } from './script.ts'

export async function records({ app, admin, visitor, note }: Script): Promise<void> {
  await app.storage.settleJournal()
  const [first] = await admin('GET /audit?limit=5')
  await admin('GET /audit?action=user.*&outcome=success&limit=3')
  await admin(`GET /users/${first.target?.id ?? first.actor.id}/audit`)
  await admin('GET /audit?changed=role')
  const [created] = await admin('GET /audit?action=organization.created&limit=1')
  await admin(`GET /audit?organization=${created.target.id}&limit=3`)
  await admin('GET /audit/checkpoint')
  await admin('GET /events?limit=5&type=user.created')
  await admin('GET /events?after=nonsense', undefined, { refused: 400 })
  await admin('GET /statistics')
  await admin('GET /access')
  const review = await admin('POST /reviews', { name: 'Q4', due_at: '2099-01-01T00:00:00Z' })
  const at = `/reviews/${review.review_id}`
  await admin('GET /reviews')
  await admin(`GET ${at}`)
  await admin(`PATCH ${at}`, { name: 'Q4, all' })
  const [row] = await admin(`GET ${at}/rows?limit=1`)
  await admin(`GET ${at}/rows?state=open`)
  await admin(`POST ${at}/decisions`, { row_ids: [row.row_id], decision: 'keep', comment: 'needed' })
  await admin(`PATCH ${at}`, { state: 'closed' })
  await admin(`PATCH ${at}`, { state: 'closed' }, { refused: 409 })
  await visitor('GET /health/live')
  await visitor('GET /health/ready')
  await app.call('GET', '/metrics')
  await app.call('GET', '/deployment')
  // The command line reads the store past the API.
  const { db } = app.storage
  await app.storage.settleJournal()
  await withWaitingEntry(app, async (inside = db) =>
    note('audit verify', (await verifyStore(inside)).fault ?? 'intact'),
  )
  note('doctor', await checkStore(db, app.config))
  note('users', [await areThereAny({ db }), await findStanding(db, 'root')])
}

/** On PostgreSQL entries wait for their place in the chain; here one does for as long as the transaction lasts. */
async function withWaitingEntry({ database }: Started, work: (db?: Db) => Promise<void>): Promise<void> {
  if (database === undefined) return work()
  const client = await adminOf(database.adminUrl).connect()
  try {
    await client.query(`BEGIN; SET LOCAL search_path = ${database.schema}`)
    const entry = { records: [{ action: 'user.erased', target_id: 'of no user' }], events: [] }
    await client.query('INSERT INTO journal_pending (entry) VALUES ($1)', [JSON.stringify(entry)])
    await work(postgresDb(client, database.schema))
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}
