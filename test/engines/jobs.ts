/** Changes of many users at once: bulk changes, exports, imports. */
import { password } from '../people.ts'
import type { Script } from './script.ts'

const ndjson = { headers: { 'content-type': 'application/x-ndjson' } }
const csv = { headers: { 'content-type': 'text/csv' } }

const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

export async function bulkChanges({ admin, signIn }: Script): Promise<void> {
  const ids: string[] = []
  for (const username of ['many-1', 'many-2', 'many-3']) {
    ids.push((await admin('POST /users', { username, email: `${username}@example.com`, password })).user_id)
  }
  await (await signIn('many-1')).caller('POST /me/keys', { name: 'laptop' })
  await admin('POST /users/bulk?dry_run=true', { action: 'deactivate', filter: { q: 'many' } })
  await admin(
    'POST /users/bulk',
    { action: 'deactivate', filter: { q: 'many' }, except: [ids[2]] },
    { headers: { 'idempotency-key': 'bulk' } },
  )
  await admin('POST /users/bulk', { action: 'activate', user_ids: ids })
  await admin('POST /users/bulk', { action: 'end_sessions', user_ids: ids })
  await admin('POST /users/bulk', { action: 'set_role', role: 'support', user_ids: ids })
  await admin(
    'POST /users/bulk',
    { action: 'set_attribute', attributes: { bulk_note: 'x' }, user_ids: ids },
    { refused: 422 },
  )
  await admin('POST /attributes', { name: 'bulk_note', type: 'string', searchable: true })
  await admin('POST /users/bulk', { action: 'set_attribute', attributes: { bulk_note: 'x' }, user_ids: ids })
  await admin('POST /users/bulk', { action: 'set_locale', locale: 'de', user_ids: ids })
  await admin('POST /users/bulk', { action: 'set_expires_at', expires_at: '2099-12-31T00:00:00Z', user_ids: ids })
  await admin('DELETE /attributes/bulk_note')
  await admin('POST /users/bulk', { action: 'delete', filter: { role: 'support' } })
  await admin('POST /users/bulk', { action: 'restore', user_ids: ids })
  await admin('POST /users/bulk', { action: 'no_such' }, { refused: 422 })
}

export async function imports({ admin, change }: Script): Promise<void> {
  const hash = '$2b$04$abcdefghijklmnopqrstuuMv5ZbkPOzG0DZvPdlR6cWqmTr3YlXZ6'
  const done = await admin(
    'POST /users/import?file_name=people.ndjson',
    lines(
      { username: 'imported-1', email: 'one@example.com', groups: ['Staff'] },
      { username: 'imported-2', password_hash: hash, totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
      { username: 'imported-1' },
      { username: '' },
    ),
    ndjson,
  )
  const deleted = await admin('POST /users', { username: 'gone' })
  await admin(`DELETE /users/${deleted.user_id}`)
  await admin(
    'POST /users/import?mode=update',
    lines(
      { username: 'imported-1', groups: ['Staff'], organization: 'acme', last_name: 'Again' },
      { username: 'imported-1', organization: 'Nowhere' },
      { username: 'imported-2', totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
      { username: 'gone', user_id: deleted.user_id },
    ),
    ndjson,
  )
  await admin('GET /imports')
  await admin(`GET /imports/${done.job_id}`)
  await admin(`GET /imports/${done.job_id}/rows`)
  await admin(`GET /imports/${done.job_id}/rows?verdict=rejected`)
  await admin(
    'POST /users/import?mode=update&match=username',
    'username,first_name\nimported-1,One\nimported-3,Three\n',
    csv,
  )
  await admin('POST /users/import?dry_run=true', lines({ username: 'imported-4' }), ndjson)
  const open = await admin('POST /users/import?complete=false', lines({ username: 'imported-5' }), ndjson)
  await admin(`POST /imports/${open.job_id}/cancel`)
  await admin(`POST /imports/${open.job_id}/cancel`)
  await admin('POST /users/import', 'not a line of JSON\n', ndjson)
  const forgotten = await admin('POST /users/import?dry_run=true&complete=false', lines({ username: 'x' }), ndjson)
  await change('imports.interrupt', { job_id: forgotten.job_id })
  await change('imports.forget', { job_id: forgotten.job_id })
}

export async function exports({ admin }: Script): Promise<void> {
  await admin('POST /users/export?dry_run=true', { passphrase: 'opened by few: nanoseconds' })
  await admin('POST /users/export', { passphrase: 'opened by few: nanoseconds' })
  await admin('POST /users/export', { passphrase: 'short' }, { refused: 422 })
}
