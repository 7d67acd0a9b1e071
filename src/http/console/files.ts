/** The files of the console's build; compressible ones are stored only in Brotli. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import { negotiate } from '../../lib/accept.ts'

const codings = ['br', 'gzip', 'identity'] as const
type Coding = (typeof codings)[number]
export type ConsoleFile = { type: string; coding: Coding; content: Buffer }

export type ConsoleFiles = {
  /** `index.html`, whose head the server extends. */
  page: string
  /** A file below `assets/`, or undefined. */
  read(name: string, acceptEncoding: string | undefined): Promise<ConsoleFile | undefined>
}

// Next to the compiled server in the package, or in console/ of a checkout.
const places = [join(import.meta.dirname, 'built'), join(import.meta.dirname, '../../../console/dist')]

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Undefined if the console was not built, as after `npm ci --ignore-scripts`. */
export function consoleFiles(): ConsoleFiles | undefined {
  const folder = places.find((place) => existsSync(join(place, 'index.html')))
  if (folder === undefined) return undefined
  const assets = join(folder, 'assets')
  const names = new Set(readdirSync(assets))
  const zipped = new Map<string, Promise<Buffer>>()
  /** On plain http, browsers accept gzip at best; made on the first request and cached. */
  function zip(name: string): Promise<Buffer> {
    const made = zipped.get(name) ?? unpack(name).then((content) => promisify(gzip)(content, { level: 9 }))
    zipped.set(name, made)
    made.catch(() => zipped.delete(name))
    return made
  }
  const unpack = async (name: string) => promisify(brotliDecompress)(await readFile(join(assets, `${name}.br`)))
  return {
    page: readFileSync(join(folder, 'index.html'), 'utf8'),
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
