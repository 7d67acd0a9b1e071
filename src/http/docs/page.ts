/** The docs page: built from console/src/docs-page, loaded from this server alone. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import { html } from '../../lib/html.ts'
import { builtFiles } from '../built-files.ts'
import { pageNames } from '../page-names.ts'

const route = { config: { access: 'public', scope: 'global' } } as const

// No `upgrade-insecure-requests`: the page must work on plain http.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** @param actingParts the bar of an administrator who acts as a user, with its styles; empty for everyone else */
export function docsPage(
  app: FastifyInstance,
  config: Config,
  actingParts: (request: FastifyRequest) => Promise<{ styles: string; bar: string }>,
): void {
  const files = builtFiles('docs-page/docs-page.html')
  let hash: Promise<string> | undefined
  const currentHash = () => (hash ??= files?.hash() ?? Promise.resolve(''))

  // Both spellings work: a redirect between them would have to know what a proxy in front does to the path. For the same
  // reason all links are relative to the requested spelling. A <base> would move the links to operations elsewhere.
  for (const [path, toDocs, toApi] of [
    ['/docs', 'docs/', ''],
    ['/docs/', '', '../'],
  ] as const) {
    app.get(path, route, async (request, reply) => {
      if (files === undefined) {
        throw new AppError('not_found', 'The docs page is not built. Run `npm run build:console`, then restart.')
      }
      const folder = `${toDocs}assets/${await currentHash()}/`
      const page = files.page
        .replaceAll('"./assets/', `"${folder}`)
        .replaceAll('"openapi.json"', `"${toApi}openapi.json"`)
        .replace('data-product="Rollbook"', () => html`data-product="${config.productName}"`.text)
        .replace('<title>Rollbook API</title>', () => html`<title>${config.productName} API</title>`.text)
      const { styles, bar } = await actingParts(request)
      return reply
        .header('content-security-policy', contentSecurityPolicy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'same-origin')
        .header('cache-control', 'no-cache')
        .header('vary', 'accept-language, cookie')
        .type('text/html; charset=utf-8')
        .send(
          page
            .replace('</head>', () => `${pageNames(config)}\n${styles}</head>`)
            .replace('</body>', () => `${bar}</body>`),
        )
    })
  }

  app.get<{ Params: { hash: string; name: string } }>('/docs/assets/:hash/:name', route, async (request, reply) => {
    const file = await files?.read(request.params.name, request.headers['accept-encoding'])
    if (file === undefined) throw new AppError('not_found', 'The docs page does not have this file.')
    // During a rolling upgrade the page of one release may ask the server of another: respond, but do not allow caching.
    const isCurrent = request.params.hash === (await currentHash())
    if (file.coding !== 'identity') reply.header('content-encoding', file.coding)
    return reply
      .header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('vary', 'accept-encoding')
      .type(file.type)
      .send(file.content)
  })
}
