#!/usr/bin/env -S node --max-semi-space-size=8 --v8-pool-size=2 --expose-gc
// Simple JavaScript without import statements: a Node that is too old for Rollbook must still be able to parse this
// file and report that.

const version = process.versions.node.split('.').map(Number)

if (version[0] > 24 || (version[0] === 24 && version[1] >= 12)) start()
else continueWithOwnNode()

// A checkout contains the right Node, but cron jobs and shells may find an older one first.
function continueWithOwnNode() {
  return Promise.all([import('node:fs'), import('node:url'), import('node:child_process')]).then(
    ([{ existsSync }, { fileURLToPath }, { spawn }]) => {
      const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
      if (!existsSync(own)) {
        console.error(
          `Rollbook needs Node.js 24.12 or newer, but this is ${process.versions.node}. In a checkout, run \`npm ci\`, which ` +
            'installs the right version. Elsewhere, install a newer Node.js.',
        )
        process.exitCode = 1
        return
      }
      const child = spawn(own, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
      child.on('error', (error) => {
        console.error(`${own} cannot be run: ${error.message}. Run \`npm ci\` again.`)
        process.exitCode = 1
      })
      // Ctrl-C reaches the child too; a second signal does no harm.
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
  const { realpathSync } = process.getBuiltinModule('node:fs')
  const { dirname, join } = process.getBuiltinModule('node:path')
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule('node:module')
  const { availableParallelism } = process.getBuiltinModule('node:os')

  // npm runs this file through a link in node_modules/.bin.
  const home = dirname(dirname(realpathSync(process.argv[1])))

  // The cache also holds the stripped TypeScript, which saves 20 MB and 30 ms for each thread. If the package directory is
  // not writable there is no cache, unless NODE_COMPILE_CACHE names one. Node's default directory is shared by all users,
  // who could leave code there for us to run.
  if (!process.env.NODE_COMPILE_CACHE) {
    const cache = join(home, 'node_modules', '.cache', 'rollbook')
    // Worker threads read it from the environment.
    if (enableCompileCache(cache).directory) process.env.NODE_COMPILE_CACHE = cache
  }

  // Hashing may use a thread per core, and files and compression need some too. Node reads this when it starts the first.
  if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = String(availableParallelism() + 3)

  const main = runsSources(home) ? import('../src/main.ts') : import('../built/main.js')
  // Node writes the cache only at a regular exit, which a server may never have.
  return main.then(() => flushCompileCache())
}

// The modules in built/ start in two thirds of the time. In a checkout they are as old as the last `npm ci`.
function runsSources(home) {
  const { existsSync, readdirSync, statSync } = process.getBuiltinModule('node:fs')
  const { join } = process.getBuiltinModule('node:path')
  const sources = join(home, 'src')
  if (!existsSync(join(sources, 'main.ts'))) return false
  const builtAt = statSync(join(home, 'built', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return readdirSync(sources, { recursive: true }).some(
    (name) => name.endsWith('.ts') && statSync(join(sources, name)).mtimeMs >= builtAt,
  )
}
