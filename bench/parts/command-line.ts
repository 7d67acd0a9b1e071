import { join } from 'node:path'
import { root, run } from '../processes.ts'
import { alternately, atMost, medianOf } from '../report.ts'
import type { Part } from './settings.ts'

const startsARound = 10

/** How long showing the help takes, next to a Node that does nothing. */
export const commandLine: Part = async ({ rounds }) => {
  const start = (args: readonly string[]) => async () => {
    const begun = performance.now()
    await run([process.execPath, ...args])
    return { ms: performance.now() - begun }
  }
  const executable = join(root, 'bin', 'rollbook.js')
  // The first one fills the cache of compiled code.
  await start([executable, '--help'])()
  await start([executable, 'users', '--help'])()
  const { bare, ours, command } = await alternately(rounds * startsARound, {
    bare: start(['-e', '0']),
    ours: start([executable, '--help']),
    command: start([executable, 'users', '--help']),
  })
  const ms = (samples: typeof bare) => medianOf(samples, (sample) => sample.ms)
  const beside = { unit: 'ms', bare: ms(bare), reference: 'node -e 0', judged: 'ratio' } as const
  return [
    { ...beside, work: 'rollbook --help', ours: ms(ours), target: atMost(1.5) },
    { ...beside, work: '… users --help', ours: ms(command) },
  ]
}
