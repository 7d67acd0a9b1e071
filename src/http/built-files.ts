/** The files of a page that was built from console/; compressible ones are stored only in Brotli. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import { negotiate } from '../lib/accept.ts'
import { home } from '../lib/home.ts'

const codings = ['br', 'gzip', 'identity'] as const
type Coding = (typeof codings)[number]
export type BuiltFile = { type: string; coding: Coding; content: Buffer }

export type BuiltFiles = {
  /** The HTML, which the server adapts to the request. */
  page: string
  /** Changes whenever a file may have changed. */
  hash(): Promise<string>
  /** A file below `assets/`, or undefined. */
  read(name: string, acceptEncoding: string | undefined): Promise<BuiltFile | undefined>
}

const built = join(home, 'console/dist')

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Undefined if the page was not built, as after `npm ci --ignore-scripts`. */
export function builtFiles(pageName: 'index.html' | 'docs-page/docs-page.html'): BuiltFiles | undefined {
  const page = join(built, pageName)
  if (!existsSync(page)) return undefined
  const assets = join(dirname(page), 'assets')
  const names = new Set(readdirSync(assets))
  const zipped = new Map<string, Promise<Buffer>>()
  /** On plain http, browsers accept gzip at best; made on the first request and cached. */
  function zip(name: string): Promise<Buffer> {
    const compressed = zipped.get(name) ?? unpack(name).then((content) => promisify(gzip)(content, { level: 9 }))
    zipped.set(name, compressed)
    compressed.catch(() => zipped.delete(name))
    return compressed
  }
  const unpack = async (name: string) => promisify(brotliDecompress)(await readFile(join(assets, `${name}.br`)))
  return {
    page: readFileSync(page, 'utf8'),
    async hash() {
      const hash = createHash('sha256')
      for (const name of [...names].sort()) hash.update(await readFile(join(assets, name)))
      return hash.digest('base64url').slice(0, 12)
    },
    async read(name, acceptEncoding) {
      const type = types[extname(name)] ?? 'application/octet-stream'
      if (names.has(name)) return { type, coding: 'identity', content: await readFile(join(assets, name)) }
      if (!names.has(`${name}.br`)) return undefined
      const coding = negotiate(acceptEncoding || 'identity', codings) ?? 'identity'
      if (coding === 'br') return { type, coding, content: await readFile(join(assets, `${name}.br`)) }
      // Every browser accepts a compressed form; this is for other clients.
      return { type, coding, content: coding === 'gzip' ? await zip(name) : await unpack(name) }
    },
  }
}
