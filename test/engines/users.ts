/** Users: created, read, changed, listed, deleted, restored, erased, changed in bulk, exported and imported. */
import { password } from '../people.ts'
import type { Script } from './script.ts'

export async function users({ admin, app, change, holder, request, together }: Script): Promise<void> {
  const ada = await admin('POST /users', { username: 'Ada', email: 'ada@example.com', first_name: 'Ada', password })
  await admin('POST /users', { username: 'ADA', email: 'Ada@Example.com' }, { refused: 409 })
  await admin('POST /users', { username: 'ada@example.com' }, { refused: 409 })
  await admin('POST /users?dry_run=true', { username: 'grace' })
  const once = { headers: { 'idempotency-key': 'once' } }
  const grace = await admin('POST /users', { username: 'grace', external_id: 'g-1', last_name: 'Hopper' }, once)
  await admin('POST /users', { username: 'grace', external_id: 'g-1', last_name: 'Hopper' }, once)
  await admin('POST /users', { username: 'other' }, { ...once, refused: 422 })
  await admin('POST /users', { username: 'root', role: 'admin', password })
  await admin('POST /users', { username: 'robot', kind: 'service' })
  await admin(`GET /users/${ada.user_id}`)
  await admin('GET /users/019a0000-0000-7000-8000-000000000000', undefined, { refused: 404 })
  await admin(`PATCH /users/${ada.user_id}`, { last_name: 'Lovelace', email: null })
  await admin(`PATCH /users/${ada.user_id}`, { external_id: 'g-1' }, { refused: 409 })
  await admin(`PATCH /users/${ada.user_id}`, { role: 'user' }, { headers: { 'if-match': '"1"' }, refused: 412 })
  await admin(`PATCH /users/${ada.user_id}?dry_run=true`, { first_name: 'Augusta' })
  await admin(`PATCH /users/${ada.user_id}`, { email: 'ada@example.com', locale: 'de' })
  await admin(`PATCH /users/${ada.user_id}`, { first_name: 'Augusta Ada' })
  const temp = await admin('POST /users', { username: 'temp', expires_at: '2020-02-29T12:00:00Z' })
  await change('users.record_ends', undefined as never)
  const end = '2098-12-31T00:00:00.000Z'
  const brief = await admin('POST /users', { username: 'brief', email: 'brief@example.com', expires_at: end })
  const nearEnd = { ...request(), now: Date.parse(end) - 3_600_000 }
  await app.storage.change('users.notice_ends', undefined, nearEnd)
  await admin(`DELETE /users/${brief.user_id}`)
  await admin(`GET /users/${temp.user_id}/sign-in`)
  await admin(`PATCH /users/${temp.user_id}`, { expires_at: '2099-12-31T23:59:59Z' })
  await admin(`DELETE /users/${temp.user_id}`)
  await admin(`POST /users/${temp.user_id}/restore`)
  await together('users.create', [
    { username: 'twin-2', username_key: 'twin-2' },
    { username: 'twin-1', username_key: 'twin-1' },
  ])

  await admin('GET /users')
  await admin('GET /users', undefined, { headers: { accept: 'text/csv' } })
  for (const query of [
    'limit=2&sort=-username&count=true',
    'q=love&limit=5',
    'role=admin&active=true',
    'email=ADA@example.com',
    'external_id=g-1',
    `user_id=${ada.user_id}&user_id=${grace.user_id}`,
    'created_after=2026-01-01T00:00:00Z&last_login_before=2099-01-01T00:00:00Z',
    'inactive_since=2099-01-01T00:00:00Z',
    'state=active&count=true&limit=2',
    'state=expired',
    'expires_after=2020-01-01T00:00:00Z&expires_before=2100-01-01T00:00:00Z',
  ]) {
    await admin(`GET /users?${query}`)
  }
  await admin('GET /users/closest?q=lovelance')
  await admin('GET /users?sort=shoe_size', undefined, { refused: 422 })

  await admin(`POST /users/${grace.user_id}/password`, { password: 'a moth in relay seventy', must_change: true })
  await admin(`POST /users/${grace.user_id}/password`, { password: 'short' }, { refused: 422 })
  await admin(`GET /users/${grace.user_id}/sign-in`)
  await admin(`GET /users/${grace.user_id}/lock`)
  await admin(`DELETE /users/${grace.user_id}/lock`)

  const leaving = await admin('POST /users', { username: 'leaving', email: 'leaving@example.com' })
  await admin(`DELETE /users/${leaving.user_id}?dry_run=true`)
  await admin(`DELETE /users/${leaving.user_id}`)
  await admin('GET /deleted-users')
  await admin('GET /deleted-users?q=leaving&count=true&limit=1')
  await admin(`POST /users/${leaving.user_id}/restore`)
  await admin(`POST /users/${leaving.user_id}/restore`, undefined, { refused: 404 })
  await admin(`DELETE /users/${leaving.user_id}?purge=true`)
  await admin('DELETE /users/019a0000-0000-7000-8000-000000000000?purge=true', undefined, { refused: 404 })
  await admin('GET /roles')

  const { key } = await admin('POST /keys', { name: 'reader', permissions: ['users:read'] })
  await holder(key)(`GET /users/${ada.user_id}`)
  await holder(key)('POST /users', { username: 'none' }, { refused: 403 })
}
