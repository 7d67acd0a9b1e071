/** A streaming standby of a test's cluster, to be promoted. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Cluster, findOrInstallPostgres } from '../postgres.ts'
import { runAs } from './nodes.ts'

const run = promisify(execFile)

type Standby = {
  query(text: string): Promise<Record<string, unknown>[]>
  /** Resolves when it has all that the primary had at this moment. */
  caughtUp(): Promise<void>
  promote(): Promise<void>
}

export async function startStandby(t: TestContext, cluster: Cluster, port: number): Promise<Standby> {
  // The folder on the path may hold links to some of the programs only.
  const bin = dirname(realpathSync(join((await findOrInstallPostgres()) as string, 'postgres')))
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollbook-standby-')))
  // PostgreSQL does not run as root.
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  const owner = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {}
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...owner }
  await run(
    join(bin, 'pg_basebackup'),
    ['-d', cluster.adminUrl, '-D', data, '-R', '-X', 'stream', '-c', 'fast'],
    options,
  )
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port)], { ...options, stdio: 'ignore' })
  const whenEnded = once(server, 'exit')
  t.after(async () => {
    server.kill('SIGQUIT')
    await whenEnded
    rmSync(folder, { recursive: true })
  })
  const url = new URL(cluster.adminUrl)
  url.port = String(port)
  const runQuery = (text: string) => runAs(url.href, text)
  const deadline = Date.now() + 60_000
  for (;;) {
    const streaming = await runQuery("SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'").catch((error) => {
      if (Date.now() > deadline || server.exitCode !== null) throw error
      return []
    })
    if (streaming.length > 0) break
    await sleep(50)
  }
  return {
    query: runQuery,
    async caughtUp() {
      const [row] = await runAs(cluster.adminUrl, 'SELECT pg_current_wal_insert_lsn()::text AS place')
      const isThere = `SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${row?.place}'`
      while ((await runQuery(isThere)).length === 0) await sleep(20)
    },
    async promote() {
      await runQuery('SELECT pg_promote()')
    },
  }
}
