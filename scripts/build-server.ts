/**
 * Puts the modules of the server and the command line together in built/, as `npm ci` does in a checkout and `npm pack` for the package:
 * Node needs half a millisecond for each module, and there are 500 (docs/decisions/0083-modules-put-together.md). Packages stay outside, and what is imported on first use
 * stays apart. With --if-stale it does nothing when no source is younger than the last build; bin/rollbook.js runs the sources meanwhile.
 */
import { globSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const built = join(root, 'built')

/** What Node is told to run: the rest is imported from these. */
const entries = [
  'main',
  'app/writer-thread',
  'app/reader-thread',
  'directory/exports/sealing-thread',
  'directory/passwords/crypt-thread',
  'record/mails/sending/sender-thread',
]

/** A file that is named from where its source is would not be found once the modules are put together. */
const placeless: Plugin = {
  name: 'placeless',
  transform(code, id) {
    if (!id.startsWith(join(root, 'src/')) || id === join(root, 'src/lib/home.ts')) return
    const place = /import\.meta\.(url|dirname|filename)|new URL\('\.[^)]*/.exec(code)?.[0]
    if (place) throw new Error(`${id} has ${place}. src/lib/home.ts says where files are.`)
  },
}

if (!(process.argv.includes('--if-stale') && isFresh())) await build()

function isFresh(): boolean {
  const builtAt = statSync(join(built, 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = globSync(['src/**/*.ts', 'package-lock.json', 'scripts/build-server.ts'], { cwd: root })
  return sources.every((file) => statSync(join(root, file)).mtimeMs < builtAt)
}

/** In a folder of its own until it is whole: a server may be starting from the last one. */
async function build(): Promise<void> {
  const draft = `${built}.${process.pid}`
  try {
    await using bundle = await rolldown({
      cwd: root,
      input: entries.map((entry) => `src/${entry}.ts`),
      platform: 'node',
      tsconfig: false,
      transform: { target: 'esnext' },
      external: (id) => !/^(\.|\/|\0|src\/|@oxc-project\/)/.test(id),
      plugins: [placeless],
    })
    // All in one folder, which is what src/lib/home.ts expects.
    await bundle.write({ dir: draft, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
    rmSync(built, { recursive: true, force: true })
    renameSync(draft, built)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
