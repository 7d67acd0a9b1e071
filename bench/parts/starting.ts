import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMegabytes, root, run } from '../processes.ts'
import { alternately, atMost, medianOf } from '../report.ts'
import type { ServerName } from '../seed.ts'
import { withServer } from '../servers.ts'
import { million, type Part } from './settings.ts'

export const start: Part = async ({ users = million, rounds }) => {
  const measure = (name: ServerName) => () =>
    withServer(name, { users }, async (server) => {
      await sleep(3000)
      return { ms: server.startedInMs, idle: residentMegabytes(server.pid) }
    })
  const { bare, ours } = await alternately(rounds, { bare: measure('bare'), ours: measure('ours') })
  const both = (figure: (sample: (typeof bare)[number]) => number) => ({
    bare: medianOf(bare, figure),
    ours: medianOf(ours, figure),
  })
  const work = `start to the first user, ${users.toLocaleString('en')} users`
  return [
    { work, unit: 'ms', ...both((sample) => sample.ms), target: atMost(1.5), judged: 'ratio' },
    {
      work: '… resident memory when idle',
      unit: 'MB',
      ...both((sample) => sample.idle),
      target: atMost(105),
      judged: 'ours',
    },
  ]
}

type Lock = { packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> }

/** What an operator's `npm ci --omit=dev` brings. */
export const size: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-install-'))
  try {
    for (const path of ['package.json', 'package-lock.json', '.npmrc', 'bin', 'scripts', 'src']) {
      cpSync(join(root, path), join(folder, path), { recursive: true })
    }
    await run(['npm', 'ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
    const kib = Number.parseInt(await run(['du', '-sk', join(folder, 'node_modules')]), 10)
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock
    // The entry of the project itself is the one without a name.
    const installed = Object.entries(packages).filter(
      ([name, { dev, hasInstallScript }]) => name && hasInstallScript && !dev,
    )
    const bindings = await run(['find', join(folder, 'node_modules'), '-name', 'binding.gyp'])
    return [
      { work: 'npm ci --omit=dev', unit: 'MB', ours: (kib * 1024) / 1e6, target: atMost(60), judged: 'ours' },
      {
        work: '… packages with an install script',
        unit: '',
        ours: installed.length,
        target: atMost(0),
        judged: 'ours',
      },
      {
        work: '… packages that need a compiler',
        unit: '',
        ours: bindings.split('\n').filter(Boolean).length,
        target: atMost(0),
        judged: 'ours',
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
