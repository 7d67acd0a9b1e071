import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** Set by bin/rollbook.js if it has disabled V8's optimizing compilers for the start. */
const stopped = Symbol.for('rollbook.optimizing-stopped')

/** Lets V8 optimize again. Before the server listens, it would optimize code that only the start needs. */
export function optimizeFromNowOn(): void {
  const marks = globalThis as { [stopped]?: boolean }
  if (!marks[stopped]) return
  // V8 accepts cached code only under the flags it was created with, so write the cache under these.
  flushCompileCache()
  for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--${compiler}`)
  delete marks[stopped]
}
