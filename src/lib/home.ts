/**
 * Locates Rollbook's own files. The same code runs from src/ and from built/, where scripts/build-server.ts bundles
 * the modules and `import.meta` no longer has their folder.
 */
import { join } from 'node:path'

const isSource = import.meta.filename.endsWith('.ts')

/** The folder of package.json. */
export const home = join(import.meta.dirname, isSource ? '../..' : '..')

/** The module that a thread runs, for example `app/writer-thread`. scripts/build-server.ts names each of them. */
export function threadModule(path: string): URL {
  return new URL(isSource ? `../${path}.ts` : `./${path.slice(path.lastIndexOf('/') + 1)}.js`, import.meta.url)
}
