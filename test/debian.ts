/** Programs that tests need beside Node: the machine's own, else Debian's, unpacked into node_modules/.cache. */
import { execFile } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = resolve(import.meta.dirname, '../node_modules/.cache/debian')

export type Program = {
  name: string
  /** The name in Debian; by default the same. */
  package?: string
  /** The environment variable that may name another one. */
  variable: string
}

/**
 * Returns the path of a program. The package is unpacked rather than installed: an installed server would be started at
 * the next boot of the machine. Undefined (after saying why) when there is none; in CI that is an error.
 */
export async function findOrUnpack(program: Program): Promise<string | undefined> {
  const { name, package: debianPackage = name, variable } = program
  const found = process.env[variable] || findOnPath(name) || findUnpacked(debianPackage)
  if (found !== undefined) return found
  const reason = await unpack(debianPackage, name)
  const unpacked = findUnpacked(debianPackage)
  if (unpacked !== undefined) return unpacked
  const message = `No ${name} for the tests (${reason}): install it or name it in ${variable}.`
  if (process.env.CI) throw new Error(message)
  console.error(message)
  return undefined
}

function findOnPath(name: string): string | undefined {
  // Debian keeps servers where users do not look.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function findUnpacked(debianPackage: string): string | undefined {
  const launcher = join(cache, debianPackage, 'run')
  return existsSync(launcher) ? launcher : undefined
}

/**
 * Returns the folder that holds the unpacked files of packages and of what they need, such as libraries for Debian's own
 * Python. Undefined (after saying why) if they cannot be fetched.
 */
export async function findFiles(folder: string, packages: readonly string[]): Promise<string | undefined> {
  const root = join(cache, folder, 'root')
  if (existsSync(root)) return root
  const reason = await fetchInto(folder, packages, () => undefined)
  if (existsSync(root)) return root
  console.error(`Debian's ${packages.join(', ')} cannot be fetched for the tests: ${reason}`)
  return undefined
}

/** Resolves to the reason when it cannot. */
function unpack(debianPackage: string, name: string): Promise<string | undefined> {
  return fetchInto(debianPackage, [debianPackage], (draft) => {
    const root = join(draft, 'root')
    const [executable] = globSync(`${root}/usr/{bin,sbin}/${name}`)
    if (executable === undefined) return `Debian's package ${debianPackage} has no ${name}`
    const libraries = new Set(globSync(`${root}/**/*.so*`).map(dirname))
    const text = launcher(executable, [...libraries]).replaceAll(draft, join(cache, debianPackage))
    writeFileSync(join(draft, 'run'), text, { mode: 0o755 })
    return undefined
  })
}

/** Resolves to the reason when it cannot, or that of `finish`. Needs no rights but those of the folder. */
async function fetchInto(
  folder: string,
  packages: readonly string[],
  finish: (draft: string) => string | undefined,
): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it is fetched on Debian and Ubuntu only'
  mkdirSync(cache, { recursive: true })
  // Complete under its final name, or not there: a test run may be interrupted.
  const draft = mkdtempSync(join(cache, 'draft-'))
  const root = join(draft, 'root')
  const state = join(draft, 'apt')
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(state, part), { recursive: true })
  console.error(`Fetching Debian's ${packages.join(', ')} for the tests (apt-get); nothing is installed …`)
  const options = [
    `Dir::State::lists=${state}/lists`,
    `Dir::Cache=${state}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
  ]
  const aptGet = (...args: string[]) =>
    run('apt-get', ['-qq', ...options.flatMap((option) => ['-o', option]), ...args], {
      timeout: 600_000,
      maxBuffer: 16 << 20,
    })
  try {
    await aptGet('update')
    // The package and what it needs that this machine lacks.
    await aptGet('install', '--download-only', '--reinstall', '--yes', '--no-install-recommends', ...packages)
    for (const archive of globSync(`${state}/archives/*.deb`)) await run('dpkg-deb', ['--extract', archive, root])
    rmSync(state, { recursive: true })
    const fault = finish(draft)
    if (fault !== undefined) return fault
    chmodSync(draft, 0o755)
    renameSync(draft, join(cache, folder))
    return undefined
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    return (stderr || message).trim().split('\n').slice(0, 3).join(' ')
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A script, because the libraries that came along have to be found where they lie. */
function launcher(executable: string, libraries: readonly string[]): string {
  const setting = libraries.length > 0 ? `export LD_LIBRARY_PATH='${libraries.join(':')}'\n` : ''
  return `#!/bin/sh\n${setting}exec '${executable}' "$@"\n`
}
