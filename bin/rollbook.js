#!/usr/bin/env -S node --max-semi-space-size=2
// Plain words of plain JavaScript, and no import statement: a Node too old to run Rollbook must still be able to parse
// this file and say so.

const version = process.versions.node.split('.').map(Number)

if (version[0] > 24 || (version[0] === 24 && version[1] >= 12)) start()
else continueWithOwnNode()

// A checkout brings the Node that it runs on; cron jobs and shells may still find an older one first.
function continueWithOwnNode() {
  return Promise.all([import('node:fs'), import('node:url'), import('node:child_process')]).then(
    ([{ existsSync }, { fileURLToPath }, { spawn }]) => {
      const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
      if (!existsSync(own)) {
        console.error(
          `Rollbook needs Node.js 24.12 or newer, and this is ${process.versions.node}. In a checkout, run \`npm ci\`, which ` +
            'brings its own; elsewhere, install a newer one.',
        )
        process.exitCode = 1
        return
      }
      const child = spawn(own, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
      child.on('error', (error) => {
        console.error(`${own} cannot be run: ${error.message}. Run \`npm ci\` again.`)
        process.exitCode = 1
      })
      // Ctrl-C reaches the child as well; a second signal does it no harm.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
      child.on('exit', (code, signal) => {
        if (signal === null) process.exit(code)
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      })
    },
  )
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
