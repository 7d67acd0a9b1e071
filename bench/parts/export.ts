import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from '../processes.ts'
import { alternately, atLeast, medianOf } from '../report.ts'
import { type Server, withServer } from '../servers.ts'
import { million, type Part } from './settings.ts'

/** All users into a file: by the command line, with its count, digest and fsync, and by curl. */
export const exportUsers: Part = async ({ rounds, users = million }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-bench-export-'))
  const file = join(folder, 'users.ndjson')
  const measure = (commandFor: (server: Server) => { command: string[]; env?: Record<string, string> }) => () =>
    withServer('ours', { users }, async (server) => {
      const { command, env } = commandFor(server)
      const options = { env: { ...process.env, ...env } }
      // The first list of a server takes longer.
      await run(command, options)
      const begun = performance.now()
      await run(command, options)
      const perSecond = statSync(file).size / 1e6 / ((performance.now() - begun) / 1000)
      rmSync(file)
      return perSecond
    })
  const key = ({ headers }: Server) => headers['X-API-Key'] as string
  const address = ({ port, prefix }: Server) => `http://127.0.0.1:${port}${prefix}`
  try {
    const found = await alternately(rounds, {
      curl: measure((server) => ({
        command: [
          'curl',
          '--fail',
          '--silent',
          ...['--header', `X-API-Key: ${key(server)}`, '--header', 'Accept: application/x-ndjson'],
          ...['--output', file, `${address(server)}/users?include=groups`],
        ],
      })),
      ours: measure((server) => ({
        command: [process.execPath, join(root, 'bin/rollbook.js'), 'users', 'export', '--quiet', '--overwrite', file],
        env: { ROLLBOOK_URL: address(server), ROLLBOOK_API_KEY: key(server) },
      })),
    })
    return [
      {
        work: `rollbook users export, ${users.toLocaleString('en')} users`,
        unit: 'MB/s',
        bare: medianOf(found.curl, (perSecond) => perSecond),
        reference: 'curl',
        ours: medianOf(found.ours, (perSecond) => perSecond),
        target: atLeast(0.7),
        judged: 'ratio',
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
