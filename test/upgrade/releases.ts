/** Kept releases: what an earlier one needs to run, packed when it was made, so that tests can run it beside this code. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { version } from '../../src/core/version.ts'
import type { Migration } from '../../src/store/db/migrations/migration.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const nameForm = /^release-(\d+\.\d+\.\d+)\.tar\.gz$/

export function keptFile(release: string): string {
  return join(import.meta.dirname, `release-${release}.tar.gz`)
}

/** The sources of this checkout without their tests; what they import from elsewhere is in node_modules. */
export async function pack(file: string): Promise<void> {
  const sources = globSync('src/**/*.*', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  const files = ['package.json', 'bin/rollbook.js', ...sources].sort()
  await run('tar', ['-czf', file, '-C', root, ...files])
}

export function keptReleases(): string[] {
  return globSync('release-*.tar.gz', { cwd: import.meta.dirname }).flatMap((name) => nameForm.exec(name)?.[1] ?? [])
}

/** Returns the kept releases before this code, the oldest first. */
export function keptBefore(current: string): string[] {
  return keptReleases()
    .filter((one) => compareVersions(one, current) < 0)
    .sort(compareVersions)
}

export function newestKeptBefore(current: string): string | undefined {
  return keptBefore(current).at(-1)
}

/** The newest release before this code, by the changelog. */
export function newestReleasedBefore(current: string): string | undefined {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const named = [...changelog.matchAll(/^## \[?(\d+\.\d+\.\d+)\b/gm)].map(([, name]) => name as string)
  return named
    .filter((one) => compareVersions(one, current) < 0)
    .sort(compareVersions)
    .at(-1)
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

export type OldRelease = {
  version: string
  /** The steps that it knows. */
  migrations: readonly Migration[]
  /** Starts the service of that release, for `startService`. */
  through: string[]
  env: Record<string, string>
  remove(): void
}

/**
 * Unpacks a kept release, by default the one before this one. As long as there is none, that is a copy of this code, and
 * the tests show that it gets along with itself and with the steps that a test makes up.
 */
export async function unpackOldRelease(before = newestKeptBefore(version)): Promise<OldRelease> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-release-'))
  const home = join(directory, 'rollbook')
  mkdirSync(home)
  const file = before === undefined ? join(directory, 'this.tar.gz') : keptFile(before)
  if (before === undefined) await pack(file)
  // Its owner in the archive is no user of this machine.
  await run('tar', ['-xzf', file, '-C', home, '--no-same-owner'])
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  if (before === '0.1.0') standInForSwaggerUi(directory)
  // The second is where it was in 0.1.0.
  const [steps] = ['src/store/db/migrate.ts', 'src/db/migrate.ts'].map((path) => join(home, path)).filter(existsSync)
  const { migrations } = await import(pathToFileURL(steps as string).href)
  return {
    version: before ?? version,
    migrations,
    // What `startService` would start is $2, which is not used.
    through: ['sh', '-c', 'exec "$1" "$0"', join(home, 'bin/rollbook.js')],
    // Its compiled sources are nothing for the cache of this checkout.
    env: { NODE_COMPILE_CACHE: join(directory, 'compiled') },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** 0.1.0 reads the files of its docs page at its start. No test opens that page, so empty files do; Node.js finds them above. */
function standInForSwaggerUi(directory: string): void {
  const folder = join(directory, 'node_modules/@fastify/swagger-ui')
  mkdirSync(join(folder, 'static'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}')
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) writeFileSync(join(folder, 'static', name), '')
}
