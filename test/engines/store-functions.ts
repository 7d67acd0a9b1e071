/** Which functions of the files with SQL are called, counted by V8 itself. */
import { globSync, readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

/** Every `store.ts`, and those that a feature has beside it, such as `trusted-store.ts`. */
export const storeFiles = globSync(
  'src/{access,directory,operations/policies,record,scim,store}/**/{store,*-store}.ts',
  {
    cwd: root,
  },
).sort()

/**
 * Counts how often each function of these files is called while the work is done. The name of a function without a name is
 * that of the function around it, with a number: `src/directory/users/store.ts findFormerIds 1`. Needs a process of its own: a
 * function that ran before is not counted at once.
 */
export async function countCalls<Result>(
  files: readonly string[],
  work: () => Promise<Result>,
): Promise<{ result: Result; calls: Map<string, number> }> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const result = await work()
    const { result: scripts } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    const calls = new Map<string, number>()
    for (const file of files) {
      const path = join(root, file)
      const script = scripts.find(({ url }) => url === pathToFileURL(path).href)
      for (const [name, count] of callsOf(script?.functions ?? [])) calls.set(`${file} ${name}`, count)
      // V8 knows of no function in a file that was not loaded.
      for (const [, name] of readFileSync(path, 'utf8').matchAll(/^(?:export )?(?:async )?function\*? (\w+)/gm)) {
        if (!calls.has(`${file} ${name}`)) calls.set(`${file} ${name}`, 0)
      }
    }
    return { result, calls }
  } finally {
    session.disconnect()
  }
}

/** They begin in the order of the source. */
function callsOf(functions: readonly Profiler.FunctionCoverage[]): Map<string, number> {
  const calls = new Map<string, number>()
  let around = { name: 'module', endOffset: 0 }
  let inner = 0
  const places = functions.flatMap(({ functionName: name, ranges: [range] }) => (range ? [{ name, ...range }] : []))
  for (const { name, startOffset, endOffset, count } of places.sort((a, b) => a.startOffset - b.startOffset)) {
    // The module itself begins at 0.
    if (startOffset === 0) continue
    if (startOffset >= around.endOffset) {
      around = { name: name || 'module', endOffset }
      inner = 0
    }
    calls.set(startOffset >= around.endOffset || around.name === name ? name : `${around.name} ${++inner}`, count)
  }
  return calls
}
