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

type Needs = { firstScreen: Set<string>; lightPages: Set<string> }

/** The modules that pages load before a click. Only a build knows which ones are left at the end. */
async function findNeeds(): Promise<Needs> {
  const { output } = (await build({ ...config, build: { write: false } })) as Rolldown.RolldownOutput
  const chunks = output.filter((one): one is Rolldown.OutputChunk => one.type === 'chunk')
  const needsOf = (roots: Rolldown.OutputChunk[]): Set<string> => {
    const needed = new Set<Rolldown.OutputChunk>()
    const waiting = [...roots]
    for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
      if (needed.has(chunk)) continue
      needed.add(chunk)
      const { imports } = chunk
      waiting.push(...chunks.filter(({ fileName }) => imports.includes(fileName)))
    }
    return new Set([...needed].flatMap(({ moduleIds }) => moduleIds))
  }
  const isUsersPage = ({ facadeModuleId }: Rolldown.OutputChunk) => facadeModuleId?.endsWith('/users/users-page.tsx')
  const pages = chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith('-page.tsx'))
  const needsOfPages = pages.map((page) => needsOf([page]))
  const hasMenus = (needs: Set<string>) => needs.values().some((id) => /@(floating-ui|mantine.form)\//.test(id))
  return {
    firstScreen: needsOf(chunks.filter((chunk) => chunk.isEntry || isUsersPage(chunk))),
    lightPages: new Set(needsOfPages.filter((needs) => !hasMenus(needs)).flatMap((needs) => [...needs])),
  }
}

/** In a folder of its own until it is whole: a server may be reading the last one. */
async function buildConsole(): Promise<void> {
  const draft = `${dist}.${process.pid}`
  try {
    const { firstScreen, lightPages } = await findNeeds()
    // Few files, because each small part that several pages share would be a request of its own.
    const groups = [
      // The users page, which is where people arrive.
      { name: 'first-screen', test: (id: string) => firstScreen.has(id), priority: 3 },
      // Without menus and forms, which are most of the rest and which these pages load at a click.
      { name: 'light-pages', test: (id: string) => lightPages.has(id), minShareCount: 3, priority: 2 },
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
