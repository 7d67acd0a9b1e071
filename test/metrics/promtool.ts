/** Prometheus' own judge of what is written for it, from Debian's package `prometheus`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findOrUnpack } from '../debian.ts'

/** The one of `PROMTOOL_PATH`, else the machine's own, else Debian's, unpacked. */
export function findPromtool(): Promise<string | undefined> {
  return findOrUnpack({ name: 'promtool', package: 'prometheus', variable: 'PROMTOOL_PATH' })
}

type Verdict = { code: number; said: string }

export async function promtool(
  program: string,
  args: readonly string[],
  { cwd = '.', input = '' } = {},
): Promise<Verdict> {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, said: said.trim() }
}
