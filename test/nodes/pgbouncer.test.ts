/** A real PgBouncer of Debian between the service and the database. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../command-process.ts'
import { findOrUnpack } from '../debian.ts'
import { makeDirectory, makePlace, runService, startService } from '../durability/process.ts'
import { freePort } from '../free-port.ts'
import { type FreshSchema, postgresIsMissing } from '../postgres.ts'
import { waitUntil } from './nodes.ts'

async function startBouncer(t: TestContext, program: string, database: FreshSchema, mode: string): Promise<URL> {
  const folder = makeDirectory(t)
  chmodSync(folder, 0o755)
  const to = new URL(database.url)
  const port = await freePort()
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${to.username}" "${decodeURIComponent(to.password)}"\n`)
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${to.hostname} port=${to.port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'default_pool_size = 40',
    'ignore_startup_parameters = options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn(program, [file], { stdio: 'ignore', ...asUser })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await waitUntil(
    'PgBouncer listens',
    10_000,
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy()
          resolve(true)
        })
        socket.on('error', () => resolve(false))
      }),
  )
  return Object.assign(new URL(to), { host: `127.0.0.1:${port}` })
}

describe('PgBouncer in front of the database', { skip: postgresIsMissing }, async () => {
  const program = await findOrUnpack({ name: 'pgbouncer', variable: 'PGBOUNCER_PATH' })
  const skip = program === undefined && 'there is no pgbouncer'

  for (const mode of ['transaction', 'statement']) {
    it(`is refused in ${mode} mode by the start, move and the doctor, which say what to do`, { skip }, async (t) => {
      const place = await makePlace(t, { name: 'PostgreSQL' })
      const url = await startBouncer(t, program as string, place.database as FreshSchema, mode)
      const env = { ...place.env, ROLLBOOK_DATABASE_URL: url.href, HOME: place.directory }
      const { code, errors } = await runService({ ...place, env })
      assert.equal(code, 78, errors)
      assert.match(errors, /^ROLLBOOK_DATABASE_URL leads to a pooler in transaction mode, .*pool_mode=session/)
      const doctor = await runCommand(['doctor', '--only', 'storage'], env)
      assert.match(doctor.out, /failed +store .*a pooler in transaction mode/)
      const sqlite = await makePlace(t, { name: 'SQLite' })
      const move = await runCommand(['move', '--from', `sqlite:${sqlite.directory}`, '--to', url.href], env)
      assert.match(move.err, /a pooler in transaction mode/)
    })
  }

  it('works in session mode', { skip }, async (t) => {
    const place = await makePlace(t, { name: 'PostgreSQL' })
    const { role, schema, adminUrl } = place.database as FreshSchema
    assert.ok(adminUrl)
    await place.runSql(`ALTER ROLE ${role} SET search_path = ${schema}`)
    const url = await startBouncer(t, program as string, place.database as FreshSchema, 'session')
    const service = await startService(t, { ...place, env: { ...place.env, ROLLBOOK_DATABASE_URL: url.href } })
    for (let n = 0; n < 30; n++) {
      assert.equal((await service.call('POST', '/users', { username: `user-${n}` })).status, 201)
      assert.equal((await service.call('GET', '/users?limit=5')).status, 200)
    }
  })
})
