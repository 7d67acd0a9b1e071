/** What the service is made of besides our own code: the production dependencies of package-lock.json. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

type Entry = { version?: string; license?: string; dev?: boolean; [member: string]: unknown }
type Lock = { packages: Record<string, Entry> }

const run = promisify(execFile)

/** The lock file without what only developers need. */
function productionTree(root: string): string {
  const lock = readLock(root)
  const { devDependencies: _, ...ours } = lock.packages[''] as Entry
  return `${JSON.stringify({ ...lock, packages: { '': ours, ...ofProduction(lock) } }, undefined, 2)}\n`
}

/** CycloneDX, by npm itself; the same for the same commit, so that a package can be built again and compared. */
export async function billOfMaterials(root: string): Promise<string> {
  const bill = JSON.parse(await npmSbom(root))
  // npm calls it after the folder.
  bill.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name
  bill.metadata.timestamp = new Date(1000 * (await secondsOfRelease(root))).toISOString()
  delete bill.serialNumber
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`
  return `${JSON.stringify(bill, undefined, 2)}\n`
}

/** The licence of each production dependency, each text once. */
export function licenceTexts(root: string): string {
  const texts = new Map<string, string[]>()
  for (const [path, { version, license }] of Object.entries(ofProduction(readLock(root)))) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const text = licenceFiles(join(root, path))
      .map((file) => readFileSync(file, 'utf8').trim())
      .join('\n\n')
    const parts = texts.get(text) ?? []
    texts.set(text, [...parts, `${name} ${version} (${license})`])
  }
  return [...texts].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`)
}

/** What is for another kind of machine is not installed here; its text is that of the package it belongs to. */
function licenceFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|notice|copying)\b/i.test(name))
  return names.sort().map((name) => join(folder, name))
}

function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

function ofProduction(lock: Lock): Record<string, Entry> {
  return Object.fromEntries(Object.entries(lock.packages).filter(([path, entry]) => path !== '' && !entry.dev))
}

/** Asked of that tree alone: with --omit=dev npm leaves out what the project needs for both, as of 11.19. */
async function npmSbom(root: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-tree-'))
  try {
    const tree = productionTree(root)
    writeFileSync(join(folder, 'package-lock.json'), tree)
    writeFileSync(join(folder, 'package.json'), JSON.stringify((JSON.parse(tree) as Lock).packages['']))
    const options = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
    const { stdout: version } = await run('npm', ['--version'])
    // The npm 9 of Debian 12 does not know the command.
    const [program, first] = Number.parseInt(version, 10) < 10 ? ['npx', ['--yes', 'npm@10']] : ['npm', []]
    const { stdout } = await run(program, [...first, ...options], { cwd: folder, maxBuffer: 64 << 20 })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The time of the commit, or https://reproducible-builds.org/specs/source-date-epoch/ outside a repository. */
async function secondsOfRelease(root: string): Promise<number> {
  const { SOURCE_DATE_EPOCH: input } = process.env
  if (input) return Number(input)
  const committed = await run('git', ['log', '-1', '--format=%ct'], { cwd: root }).catch(() => undefined)
  return committed === undefined ? Math.floor(Date.now() / 1000) : Number(committed.stdout)
}

/** A name-based UUID (RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
