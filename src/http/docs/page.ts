import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { negotiate } from '../../lib/accept.ts'

export type DocsPageOptions = {
  version: string
}

// Only the files of the plugin are used: with its `staticCSP` its own page fails on plain http in a LAN. The package
// `swagger-ui-dist` has the same files, but runs an install script.
const pluginManifest = createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')
const swaggerUi = join(dirname(pluginManifest), 'static')
const ours = join(import.meta.dirname, 'assets')

const assets = {
  'swagger-ui.css': { folder: swaggerUi, type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { folder: swaggerUi, type: 'text/javascript; charset=utf-8' },
  'init.css': { folder: ours, type: 'text/css; charset=utf-8' },
  'init.js': { folder: ours, type: 'text/javascript; charset=utf-8' },
  'favicon.svg': { folder: ours, type: 'image/svg+xml' },
} as const

type AssetName = keyof typeof assets

// `data:` is for the icons inside swagger-ui.css. No `upgrade-insecure-requests`: the page must work on plain http.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The docs page: Swagger UI in our own page, loaded from this server alone. */
export function docsPage(app: FastifyInstance, options: DocsPageOptions): void {
  const hash = contentHash()
  const route = { config: { access: 'public' } } as const

  // Both spellings work: a redirect between them would have to know what a proxy in front does to the path. For the same
  // reason all links are relative to the requested spelling.
  for (const [path, toDocs, toApi] of [
    ['/docs', 'docs/', ''],
    ['/docs/', '', '../'],
  ] as const) {
    const html = page(options.version, { folder: `${toDocs}assets/${hash}`, openapi: `${toApi}openapi.json` })
    app.get(path, route, (_request, reply) =>
      reply
        .header('content-security-policy', contentSecurityPolicy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(html),
    )
  }

  const compressed = onceEach(compress)

  app.get<{ Params: { hash: string; name: string } }>('/docs/assets/:hash/:name', route, async (request, reply) => {
    const { name } = request.params
    if (!isAssetName(name)) throw new AppError('not_found', 'The docs page does not have this file.')
    const coding = negotiate(request.headers['accept-encoding'] || 'identity', ['br', 'gzip', 'identity']) ?? 'identity'
    // Before any header is set: an error response must not be cacheable.
    const body = coding === 'identity' ? undefined : await compressed(coding, name)
    const length = body?.length ?? (await stat(pathOf(name))).size
    // During a rolling upgrade the page of one release may ask the server of another: respond, but do not allow caching.
    const isCurrent = request.params.hash === hash
    reply
      .header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('vary', 'accept-encoding')
      .header('content-length', length)
      .type(assets[name].type)
    if (body !== undefined) reply.header('content-encoding', coding)
    return reply.send(body ?? createReadStream(pathOf(name)))
  })
}

function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(assets, name)
}

function pathOf(name: AssetName): string {
  return join(assets[name].folder, name)
}

/** Changes whenever a file may have changed; the plugin's version stands for its two megabytes. */
function contentHash(): string {
  const hash = createHash('sha256').update(readFileSync(pluginManifest))
  for (const name of Object.keys(assets) as AssetName[]) {
    if (assets[name].folder === ours) hash.update(readFileSync(pathOf(name)))
  }
  return hash.digest('base64url').slice(0, 12)
}

/** Each file is compressed on its first request and cached. */
function onceEach(make: typeof compress): typeof compress {
  const kept = new Map<string, Promise<Buffer>>()
  return (coding, name) => {
    const key = `${coding} ${name}`
    const made = kept.get(key) ?? make(coding, name)
    kept.set(key, made)
    made.catch(() => kept.delete(key))
    return made
  }
}

// Quality 6 shrinks the two megabytes to 417 kB in 33 ms of a pool thread; 9 takes three times as long for 2 % less.
async function compress(coding: 'br' | 'gzip', name: AssetName): Promise<Buffer> {
  const content = await readFile(pathOf(name))
  if (coding === 'gzip') return promisify(gzip)(content)
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 6, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length }
  return promisify(brotliCompress)(content, { params })
}

function page(version: string, { folder, openapi }: { folder: string; openapi: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rollbook ${version} API</title>
<link rel="icon" type="image/svg+xml" href="${folder}/favicon.svg">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="stylesheet" href="${folder}/init.css">
<script defer src="${folder}/swagger-ui-bundle.js"></script>
<script defer src="${folder}/init.js"></script>
</head>
<body>
<div id="docs" data-openapi="${openapi}"></div>
<noscript><p>This page needs JavaScript. The <a href="${openapi}">OpenAPI document</a> has the same content.</p></noscript>
</body>
</html>
`
}
