/** The admin console: a page of built files, which is a client of the public API like any other. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Actor, dutyOf } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { builtInPermissions, formatPermission } from '../../core/permissions.ts'
import { holds } from '../../core/rules.ts'
import { type Html, html } from '../../lib/html.ts'
import { acceptedLanguages } from '../../lib/language-tags.ts'
import { builtFiles } from '../built-files.ts'
import type { HttpLayer } from '../endpoint/http-layer.ts'
import { pageNames } from '../page-names.ts'

const route = { config: { access: 'public', scope: 'global' } } as const
/** Where the page finds out how it was requested, and what it may share with the sign-in pages. */
const headMark = '<!--rollbook-head-->'
/** The words that stand before scripts and styles have arrived. */
const bootMark = '<!--rollbook-boot-->'
const loading = { en: 'Loading…', de: 'Wird geladen…', ar: 'جارٍ التحميل…' }
type Language = keyof typeof loading

type Needs = Pick<HttpLayer, 'config' | 'cookies' | 'lookUp'>

export function consoleRoutes(app: FastifyInstance, { config, cookies, lookUp }: Needs): void {
  const files = builtFiles('index.html')

  // Before 0.4.0 the viewer's own account was a page of the console.
  app.get('/console/profile', route, async (_, reply) => reply.redirect('../account', 303))

  // Each address below /console/ is a view of the page, which decides what it shows.
  for (const path of ['/console', '/console/', '/console/*']) {
    app.get(path, route, async (request, reply) => {
      const token = cookies.read(request)
      const found = token === undefined ? undefined : await lookUp(token, request.now)
      const base = baseOf(request.url.slice(`${config.basePath}/console`.length))
      // The console would show this user nothing but refusals.
      if (found !== undefined && !administers(found.actor)) return reply.redirect(`${base}../account`, 303)
      if (files === undefined) {
        throw new AppError('not_found', 'The console is not built. Run `npm run build:console`, then restart.')
      }
      const language = languageOf(cookies.language.read(request), request.headers['accept-language'])
      const nonce = randomBytes(16).toString('base64')
      const head = [
        `<base href="${base}">`,
        `<meta name="style-nonce" content="${nonce}">`,
        `<meta name="language-cookie" content="${cookies.language.name}">`,
        `<meta name="mail-locale" content="${config.mailLocale}">`,
        `<meta name="features" content="${featuresOn(config).join(' ')}">`,
        pageNames(config),
      ].join('\n')
      return reply
        .header('content-security-policy', contentSecurityPolicy(nonce))
        .header('referrer-policy', 'same-origin')
        .type('text/html; charset=utf-8')
        .send(
          files.page
            .replace('<html lang="en">', `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
            .replace(headMark, () => head)
            .replace(bootMark, () => bootText(config.productName, loading[language]).text)
            .replace('<style>', `<style nonce="${nonce}">`),
        )
    })
  }

  app.get<{ Params: { name: string } }>('/console/assets/:name', route, async (request, reply) => {
    const file = await files?.read(request.params.name, request.headers['accept-encoding'])
    // The page of another release asks for files that this one does not have: it then reloads itself.
    if (file === undefined) throw new AppError('not_found', 'The console of this release does not have this file.')
    if (file.coding !== 'identity') reply.header('content-encoding', file.coding)
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
      .type(file.type)
      .send(file.content)
  })
}

/** The features that the configuration switches on. The console says nothing of the others. */
function featuresOn({ accessRequests, emailCode }: Needs['config']): string[] {
  return [accessRequests === 'on' && 'access_requests', emailCode === 'on' && 'email_code'].filter(
    (one) => one !== false,
  )
}

/** Whether the user may do something here, or has a reason to be here: a duty that the console asks for, or acting as another user. */
function administers(actor: Actor): boolean {
  if (dutyOf(actor) !== undefined || actor.signedIn?.impersonation !== undefined) return true
  // A whole permission includes the limited one, which shows the same pages.
  return builtInPermissions.some((word) => holds(actor.permissions, formatPermission({ word, isLimited: true })))
}

/** The language that the page will choose: the one of the cookie, or the browser's. */
function languageOf(chosen: string | undefined, accepted: string | undefined): Language {
  const tags = [chosen ?? '', ...acceptedLanguages(accepted)]
  return tags.map((tag) => tag.split('-', 1)[0] ?? '').find(isLanguage) ?? 'en'
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(loading, text)
}

function bootText(productName: string, loadingText: string): Html {
  return html`<bdi class="boot-brand">${productName}</bdi><span class="boot-loading" role="status">${loadingText}</span>`
}

/**
 * The folder of the console relative to the page at `place`, so that it works whatever a proxy in front does to the path.
 */
function baseOf(place: string): string {
  const path = place.split('?', 1)[0] as string
  return path === '' ? 'console/' : '../'.repeat(path.split('/').length - 2) || './'
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // For the styles of the first paint, and the few that components write at run time.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
