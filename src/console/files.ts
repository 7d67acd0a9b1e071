/** The files of the console as its build left them: those that can be compressed only in their compressed forms. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { negotiate } from '../lib/accept.ts'

const codings = ['br', 'gzip', 'identity'] as const
type Coding = (typeof codings)[number]
const endings: Record<string, Coding> = { '.br': 'br', '.gz': 'gzip' }
export type ConsoleFile = { type: string; coding: Coding; content: Buffer }

export type ConsoleFiles = {
  /** `index.html`, into whose head the server has to write. */
  page: string
  /** A file below `assets/`; undefined when there is none of this name. */
  read(name: string, acceptEncoding: string | undefined): Promise<ConsoleFile | undefined>
}

// Beside the compiled server in the package, and in console/ of a checkout.
const places = [join(import.meta.dirname, 'built'), join(import.meta.dirname, '../../console/dist')]

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Undefined when the console was not built, as after `npm ci --ignore-scripts`. */
export function consoleFiles(): ConsoleFiles | undefined {
  const folder = places.find((place) => existsSync(join(place, 'index.html')))
  if (folder === undefined) return undefined
  const assets = join(folder, 'assets')
  const forms = new Map<string, Set<Coding>>()
  for (const file of readdirSync(assets)) {
    const coding = endings[extname(file)] ?? 'identity'
    const name = coding === 'identity' ? file : file.slice(0, -3)
    forms.set(name, (forms.get(name) ?? new Set()).add(coding))
  }
  return {
    page: readFileSync(join(folder, 'index.html'), 'utf8'),
    async read(name, acceptEncoding) {
      const form = forms.get(name)
      if (form === undefined) return undefined
      const type = types[extname(name)] ?? 'application/octet-stream'
      if (form.has('identity')) return { type, coding: 'identity', content: await readFile(join(assets, name)) }
      const coding = negotiate(acceptEncoding || 'identity', codings) ?? 'identity'
      if (coding === 'br') return { type, coding, content: await readFile(join(assets, `${name}.br`)) }
      const zipped = await readFile(join(assets, `${name}.gz`))
      // Every browser takes a compressed form; this is for the curious.
      return { type, coding, content: coding === 'gzip' ? zipped : await promisify(gunzip)(zipped) }
    },
  }
}
