/**
 * Builds the console into console/dist, as `npm ci` does in a checkout. What browsers may ask for compressed is kept
 * compressed only. With --if-stale it does nothing when no source is younger than the last build.
 */
import { globSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { build } from 'vite'

const root = join(import.meta.dirname, '../console')
const dist = join(root, 'dist')

if (!(process.argv.includes('--if-stale') && isFresh())) await buildConsole()

function isFresh(): boolean {
  const builtAt = statSync(join(dist, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = ['console/src/**/*.*', 'console/*.*', 'src/client/*.ts', 'package-lock.json']
  const files = globSync(sources, { cwd: join(root, '..') }).filter((file) => !file.endsWith('.test.ts'))
  return files.every((file) => statSync(join(root, '..', file)).mtimeMs < builtAt)
}

/** In a folder of its own until it is whole: a server may be reading the last one. */
async function buildConsole(): Promise<void> {
  const draft = `${dist}.${process.pid}`
  try {
    await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn', build: { outDir: draft } })
    await compressAll(join(draft, 'assets'))
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
      writeFileSync(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
      rmSync(file)
    }),
  )
}
