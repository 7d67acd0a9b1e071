/** A commit beside the working tree, with the packages it needs and its own store of users. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from '../processes.ts'
import { seeded, shapeOf } from '../seed.ts'

export type Checkout = { code: string; store: string }

export async function git(...args: string[]): Promise<string> {
  return (await run(['git', '-C', root, ...args])).trim()
}

/** Returns the commit to compare with: where the branch left main, or the one before when nothing has changed since. */
export async function commitBefore(): Promise<string> {
  const head = await git('rev-parse', 'HEAD')
  const isClean = (await git('status', '--porcelain', '--untracked-files=no')) === ''
  const main = await git('rev-parse', '--verify', '--quiet', 'main')
    .catch(() => git('rev-parse', '--verify', '--quiet', 'origin/main'))
    .catch(() => head)
  const base = await git('merge-base', head, main)
  return base === head && isClean ? git('rev-parse', 'HEAD~1') : base
}

/** Unpacks the commit, hands it to `work` and removes it. Git does not learn of it, so that nothing stays behind. */
export async function withCheckout<T>(commit: string, work: (checkout: Checkout) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-guard-'))
  try {
    const code = join(folder, 'code')
    const archive = join(folder, 'code.tar')
    mkdirSync(code)
    await git('archive', '--output', archive, commit)
    await run(['tar', '-xf', archive, '-C', code])
    await providePackages(code)
    await buildServers([root, code])
    return await work({ code, store: await storeOf(code, folder) })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function providePackages(code: string): Promise<void> {
  const lockOf = (place: string) => readFileSync(join(place, 'package-lock.json'), 'utf8')
  if (lockOf(code) === lockOf(root)) return symlinkSync(join(root, 'node_modules'), join(code, 'node_modules'))
  console.error('The packages differ: installing those of the commit …')
  await run(['npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: code,
  })
}

/** Puts the modules together on both sides; versions before 0.3.0 did not. */
async function buildServers(places: readonly string[]): Promise<void> {
  for (const place of places) {
    const build = join(place, 'scripts/build-server.ts')
    if (existsSync(build)) await run([process.execPath, build, '--if-stale'])
  }
}

/** The users as the commit stores them. */
async function storeOf(code: string, folder: string): Promise<string> {
  const own = await seeded('ours', users)
  if (shapeOf('ours', code) === shapeOf('ours')) return own
  const program = `import { seeded } from './bench/seed.ts'; console.log(await seeded('ours', ${users}))`
  // In a temporary folder of its own: the commit's seed.ts may delete the stores of other versions.
  const env = { ...process.env, TMPDIR: folder }
  return (await run([process.execPath, '--input-type=module', '--eval', program], { cwd: code, env })).trim()
}

/** How many users each store of the guard has. */
export const users = 100_000
