import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** Set by bin/rollbook.js when it has stopped the optimizing compilers of V8 for the start. */
const stopped = Symbol.for('rollbook.optimizing-stopped')

/** Lets V8 optimize what is called often. Before the server listens, that would be what only the start needs. */
export function optimizeFromNowOn(): void {
  const marks = globalThis as { [stopped]?: boolean }
  if (!marks[stopped]) return
  // V8 accepts cached code only under the flags that it was made with: write what the next start will load with these.
  flushCompileCache()
  for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--${compiler}`)
  delete marks[stopped]
}
