/**
 * Puts the modules of the server and the command line together in built/, as `npm ci` does in a checkout and `npm pack` for the package:
 * Node takes half a millisecond to load each of 500 modules (docs/decisions/speed.md, 0083). Modules imported on first use
 * keep files of their own. With --if-stale it does nothing when no source is younger than the last build; bin/rollbook.js runs the sources
 * meanwhile.
 */
import { globSync, renameSync, rmSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { asciiText, builtinsWithoutImport, serveApart, verifyApart } from './build-server/plugins.ts'

const root = join(import.meta.dirname, '..')
const built = join(root, 'built')

/**
 * Each part is built on its own: the server and its threads load few large files, and a command loads only the modules that it uses.
 * `main` imports `serve`; Node starts with each of the others.
 */
const parts = [
  ['main'],
  // Together: they have nearly everything in common.
  ['cli/host/serve', 'app/embedded/open'],
  [
    'app/writer-thread',
    'app/reader-thread',
    'administration/exports/sealing-thread',
    'directory/passwords/crypt-thread',
    'record/mails/sending/sender-thread',
  ],
  // Apart, so that it loads nothing that the others share.
]

/** Packages that every start needs, with what they depend on (docs/decisions/speed.md, 0118). The others stay outside. */
const inside = /^(ajv|fast-json-stringify|fastify|jose|pino)(\/|$)/
/** Packages that those name, and that no start needs. */
const outside = /^(@fastify\/(ajv|fast-json-stringify)-compiler|light-my-request)$/

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
  const sources = globSync(
    ['src/**/*.ts', 'package-lock.json', 'scripts/build-server.ts', 'scripts/build-server/*.ts'],
    { cwd: root },
  )
  return sources.every((file) => statSync(join(root, file)).mtimeMs < builtAt)
}

/** In a folder of its own until it is whole: a server may be starting from the last one. */
async function build(): Promise<void> {
  const draft = `${built}.${process.pid}`
  try {
    for (const part of parts) await buildPart(part, draft)
    rmSync(built, { recursive: true, force: true })
    renameSync(draft, built)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function buildPart(entries: readonly string[], dir: string): Promise<void> {
  await using bundle = await rolldown({
    cwd: root,
    input: entries.map((entry) => `src/${entry}.ts`),
    platform: 'node',
    tsconfig: false,
    transform: { target: 'esnext' },
    external: isOutside,
    plugins: [
      ...(entries.includes('main') ? [serveApart] : []),
      ...(entries.includes('app/embedded/open') ? [verifyApart(root)] : []),
      builtinsWithoutImport,
      placeless,
      asciiText,
    ],
  })
  // All in one folder, which is what src/lib/home.ts expects. Comments would stay in memory, in each thread.
  await bundle.write({
    dir,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: { legal: false, annotation: false, jsdoc: false },
  })
}

function isOutside(id: string, importer: string | undefined): boolean {
  if (isBuiltin(id) || /^(\.|\/|\0|src\/|@oxc-project\/)/.test(id)) return false
  return importer?.includes('/node_modules/') ? outside.test(id) : !inside.test(id)
}
