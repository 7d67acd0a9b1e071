// npm runs this after `npm ci`: a checkout builds its console and puts the modules of its server together. The package has both
// built, and brings no sources of them. Not the script `prepare`, which npm would want approved wherever the package is installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const isThere = (path) => existsSync(new URL(path, import.meta.url))

if (!isThere('../node_modules/vite')) {
  if (isThere('../console/src')) console.log('console: not built, since what builds it was not installed')
} else if (isThere('../console/src')) {
  for (const script of ['build-console.ts', 'build-server.ts']) {
    const build = fileURLToPath(new URL(script, import.meta.url))
    const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' })
    if (status !== 0) process.exitCode = status ?? 1
  }
}
