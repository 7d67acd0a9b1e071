/**
 * Builds the console and the docs page into console/dist, as `npm ci` does in a checkout. What browsers may ask for compressed is kept
 * compressed only. With --if-stale it does nothing when no source is younger than the last build.
 */
import { globSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants as zlib } from 'node:zlib'
import { build, type InlineConfig, type Rolldown } from 'vite'

const root = join(import.meta.dirname, '../console')
const dist = join(root, 'dist')
const config: InlineConfig = { root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }

if (!(process.argv.includes('--if-stale') && isFresh())) await buildConsole()

function isFresh(): boolean {
  const builtAt = statSync(join(dist, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const guides = ['docs/provisioning*.md', 'docs/images/provisioning.svg']
  const sources = ['console/src/**/*.*', 'console/*.*', 'src/sdk/client/*.ts', 'package-lock.json', ...guides]
  const files = globSync(sources, { cwd: join(root, '..') }).filter((file) => !file.endsWith('.test.ts'))
  return files.every((file) => statSync(join(root, '..', file)).mtimeMs < builtAt)
}

/**
 * Whether a module is needed on the users screen, which is where people arrive: those go into one file, else each small
 * part that it shares with another page would be a request of its own. Only a build knows which ones are left at the end.
 */
async function firstScreen(): Promise<(id: string) => boolean> {
  const { output } = (await build({ ...config, build: { write: false } })) as Rolldown.RolldownOutput
  const chunks = output.filter((one): one is Rolldown.OutputChunk => one.type === 'chunk')
  const isFirst = ({ isEntry, facadeModuleId }: Rolldown.OutputChunk) =>
    isEntry || facadeModuleId?.endsWith('/users/users-page.tsx')
  const needed = new Set<Rolldown.OutputChunk>()
  const waiting = chunks.filter(isFirst)
  for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
    if (needed.has(chunk)) continue
    needed.add(chunk)
    const { imports } = chunk
    waiting.push(...chunks.filter(({ fileName }) => imports.includes(fileName)))
  }
  const modules = new Set([...needed].flatMap(({ moduleIds }) => moduleIds))
  return (id) => modules.has(id)
}

/** In a folder of its own until it is whole: a server may be reading the last one. */
async function buildConsole(): Promise<void> {
  const draft = `${dist}.${process.pid}`
  try {
    const test = await firstScreen()
    const groups = [
      { name: 'first-screen', test, priority: 2 },
      // One file of what several pages share: the page of a user would ask for 45 files, and asks for 9.
      { name: 'shared', minShareCount: 3, priority: 1 },
    ]
    const rolldownOptions = { output: { codeSplitting: { groups } } }
    await build({ ...config, build: { outDir: draft, rolldownOptions } })
    const docsPage = { ...config, configFile: join(root, 'docs-page.vite.config.ts') }
    await build({ ...docsPage, build: { outDir: join(draft, 'docs-page') } })
    await compressAll(join(draft, 'assets'))
    await compressAll(join(draft, 'docs-page/assets'))
    rmSync(dist, { recursive: true, force: true })
    renameSync(draft, dist)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function compressAll(folder: string): Promise<void> {
  await Promise.all(
    readdirSync(folder).map(async (name) => {
      if (name.endsWith('.woff2')) return
      const file = join(folder, name)
      const content = readFileSync(file)
      const params = { [zlib.BROTLI_PARAM_QUALITY]: 10, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length }
      writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, { params }))
      rmSync(file)
    }),
  )
}
