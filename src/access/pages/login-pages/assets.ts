import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { negotiate } from '../../../lib/accept.ts'
import { home } from '../../../lib/home.ts'
import { productMark } from '../../../lib/product-mark.ts'

/** The pages' files, and a name for all of them that changes with the content. */
function assetFiles(productName: string) {
  const files = new Map([
    ['login.css', { type: 'text/css; charset=utf-8', content: ours('login.css') }],
    ['account.css', { type: 'text/css; charset=utf-8', content: ours('account.css') }],
    ['setup.css', { type: 'text/css; charset=utf-8', content: ours('setup.css') }],
    ['acting.css', { type: 'text/css; charset=utf-8', content: ours('acting.css') }],
    ['copy.js', { type: 'text/javascript; charset=utf-8', content: ours('copy.js') }],
    ['login.js', { type: 'text/javascript; charset=utf-8', content: ours('login.js') }],
    ['add-passkey.js', { type: 'text/javascript; charset=utf-8', content: ours('add-passkey.js') }],
    ['passkey.js', { type: 'text/javascript; charset=utf-8', content: ours('passkey.js') }],
    ['signal-passkeys.js', { type: 'text/javascript; charset=utf-8', content: ours('signal-passkeys.js') }],
    // Inter, under the SIL Open Font License: inter-latin.LICENSE.txt next to it.
    ['inter-latin.woff2', { type: 'font/woff2', content: readFileSync(place('inter-latin.woff2')) }],
    ['mark.svg', { type: 'image/svg+xml', content: productMark(productName) }],
  ])
  const hash = createHash('sha256')
  for (const { content } of files.values()) hash.update(content)
  return { files, version: hash.digest('base64url').slice(0, 12) }
}

/** The folder of the pages' files, relative to the pages. */
export function assetsFolder(productName: string): string {
  return `login/assets/${assetFiles(productName).version}`
}

/** Serves the pages' files. Returns their folder. */
export function loginAssets(app: FastifyInstance, productName: string): string {
  const { files, version } = assetFiles(productName)
  const zipped = new Map<string, Buffer>()
  const route = { config: { access: 'public', scope: 'global' } } as const
  app.get<{ Params: { version: string; name: string } }>(
    '/login/assets/:version/:name',
    route,
    async (request, reply) => {
      const file = files.get(request.params.name)
      if (file === undefined) throw new AppError('not_found', 'The sign-in page does not have this file.')
      // During a rolling upgrade the page of one release may ask the server of another: respond, but do not allow caching.
      const isCurrent = request.params.version === version
      reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache').type(file.type)
      if (typeof file.content !== 'string') return reply.send(file.content)
      reply.header('vary', 'accept-encoding')
      const { 'accept-encoding': accepted = 'identity' } = request.headers
      if (negotiate(accepted, ['gzip', 'identity']) !== 'gzip') return reply.send(file.content)
      const content = zipped.getOrInsertComputed(request.params.name, () => gzipSync(file.content, { level: 9 }))
      return reply.header('content-encoding', 'gzip').send(content)
    },
  )
  return `login/assets/${version}`
}

function ours(name: string): string {
  return readFileSync(place(name), 'utf8')
}

function place(name: string): string {
  return join(home, 'src/access/pages/login-pages/assets', name)
}
