// npm runs this after `npm ci`: a checkout builds its console. The package has it built, and brings no sources of it. Not the
// script `prepare`, which npm would want approved wherever the package is installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const isThere = (path) => existsSync(new URL(path, import.meta.url))

if (!isThere('../node_modules/vite')) {
  if (isThere('../console')) console.log('console: not built, since what builds it was not installed')
} else if (isThere('../console')) {
  const build = fileURLToPath(new URL('build-console.ts', import.meta.url))
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
