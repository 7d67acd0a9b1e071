#!/usr/bin/env -S node --max-semi-space-size=2
// Plain words of plain JavaScript, and no import statement: a Node too old to run Rollbook must still be able to parse
// this file and say so.

const version = process.versions.node.split('.').map(Number)

if (version[0] > 24 || (version[0] === 24 && version[1] >= 12)) {
  start()
} else {
  console.error(
    'Rollbook needs Node.js 24.12 or newer, and this is ' +
      process.versions.node +
      '. In a checkout, `npm ci && npm start` brings and uses its own; elsewhere, install a newer one.',
  )
  process.exitCode = 1
}

function start() {
  const { existsSync, realpathSync } = process.getBuiltinModule('node:fs')
  const { dirname, join } = process.getBuiltinModule('node:path')
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule('node:module')
  const { availableParallelism } = process.getBuiltinModule('node:os')

  // npm reaches this file through a link in node_modules/.bin.
  const home = dirname(dirname(realpathSync(process.argv[1])))

  // Node keeps stripped TypeScript there too, which saves 20 MB and 30 ms for each thread that is started. Where the
  // package cannot be written to there is no cache, unless NODE_COMPILE_CACHE names one: Node's default is in the
  // temporary directory of all users, where anybody could leave code for us to run.
  if (!process.env.NODE_COMPILE_CACHE) {
    const cache = join(home, 'node_modules', '.cache', 'rollbook')
    // Worker threads look for it in the environment.
    if (enableCompileCache(cache).directory) process.env.NODE_COMPILE_CACHE = cache
  }

  // Hashing may take a thread for each core, and files and compression need some as well. Read when the first is started.
  if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = String(availableParallelism() + 3)

  const main = existsSync(join(home, 'src', 'main.ts')) ? import('../src/main.ts') : import('../dist/main.js')
  // Node itself writes the cache at a regular exit only; a server may never see one.
  return main.then(() => flushCompileCache())
}
