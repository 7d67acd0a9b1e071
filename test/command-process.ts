/** For tests: runs a command as a process of its own, as operators do. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const executable = fileURLToPath(new URL('../bin/rollbook.js', import.meta.url))

export type Ended = { code: number | null; signal: string | null; out: string; err: string }

/** `input` is what comes on standard input, which is empty otherwise. */
export function startCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): { child: ChildProcess; outcome: Promise<Ended> } {
  const child = spawn(process.execPath, [executable, ...args], {
    stdio: 'pipe',
    env: { PATH: process.env.PATH, ...env },
  })
  // A command that takes nothing from there may have ended before.
  child.stdin.on('error', () => undefined).end(input)
  const outcome = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], out, err]): Ended => ({ code, signal, out, err }),
  )
  return { child, outcome }
}

export function runCommand(args: readonly string[], env: Record<string, string> = {}, input?: string): Promise<Ended> {
  return startCommand(args, env, input).outcome
}

/**
 * Options for Node that make the process kill itself just before the n-th call of one of these functions, which are
 * named as `node:fs renameSync` or `pg Client.prototype.query`.
 * `only`: a regular expression that the first argument must match, the text of a statement, for the call to count.
 */
export function killedBefore(n: number, functions: readonly string[], only = ''): Record<string, string> {
  const preload = `
    import { createRequire, syncBuiltinESMExports } from 'node:module'
    const require = createRequire(${JSON.stringify(import.meta.url)})
    let left = ${n}
    for (const name of ${JSON.stringify(functions)}) {
      const [module, path] = name.split(' ')
      const steps = path.split('.')
      const last = steps.pop()
      const home = steps.reduce((found, step) => found[step], require(module))
      const original = home[last]
      home[last] = function (...args) {
        const isCounted = ${new RegExp(only)}.test(args[0]?.text ?? args[0])
        if (isCounted && --left === 0) process.kill(process.pid, 'SIGKILL')
        return original.apply(this, args)
      }
    }
    syncBuiltinESMExports()`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }
}
