/**
 * Compiles `rollbook/verify` into `dist/`, for the package: Node strips no types below node_modules. Run when the package
 * is packed, and with --remove afterwards, so that a checkout never holds a build that has gone stale.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

rmSync(join(root, 'dist'), { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
}
