/** The package as others get it: packed from a copy of the checkout, installed from the file that came out. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const root = join(import.meta.dirname, '../..')

const notCopied = new Set(['.git', 'bench', 'built', 'data', 'dist', 'node_modules', 'npm-shrinkwrap.json', 'test'])

/** Copied, because other tests start the service from the checkout meanwhile: no half a build may be there. */
export function copyCheckout(to: string): string {
  for (const name of readdirSync(root).filter((one) => !notCopied.has(one) && !one.endsWith('.tgz'))) {
    cpSync(join(root, name), join(to, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'))
  return to
}

/** Runs `npm pack` in a checkout. Answers the file. */
export async function pack(checkout: string, to: string): Promise<string> {
  // The copy has no commit to be dated by.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1795132800' }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', to], { cwd: checkout, env })
  // npm 12 answers an object, the ones before a list.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]$/m)))) as { filename: string }[]
  return join(to, packed?.filename as string)
}

/** What npm has fetched before is not fetched again: `npm ci` has brought the same packages. */
const quickly = ['--prefer-offline', '--no-audit', '--no-fund']

/** As a newcomer does it. Answers what npm said. */
export async function install(folder: string, tarball: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const { stdout, stderr } = await run('npm', ['install', ...quickly, tarball], { cwd: folder })
  return stdout + stderr
}

/** As the image and the unit for systemd have it: with what was tested. */
export async function unpack(folder: string, tarball: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder])
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', ...quickly], { cwd: folder })
}

/** A Node.js of this version, from the npm registry, kept beside the compiled sources of the checkout. */
export async function nodeOfVersion(version: string): Promise<string> {
  const cachePath = join(root, 'node_modules/.cache/rollbook-node', version)
  const executable = join(cachePath, 'package/bin/node')
  if (existsSync(executable)) return executable
  const fetched = mkdtempSync(join(tmpdir(), 'rollbook-node-'))
  const name = `node-${process.platform}-${process.arch}@${version}`
  await run('npm', ['pack', '--prefer-offline', '--pack-destination', fetched, name])
  const [tarball] = readdirSync(fetched)
  await run('tar', ['-xzf', join(fetched, tarball as string), '-C', fetched, 'package/bin/node'])
  mkdirSync(cachePath, { recursive: true })
  cpSync(join(fetched, 'package/bin/node'), `${executable}`, { recursive: true })
  rmSync(fetched, { recursive: true })
  return executable
}

export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
