/** Shared by the sign-in pages: their frame and headers, the signed-in user, and the place to return to. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, dutyOf, organizationOf, type SignedIn } from '../../../core/actor.ts'
import type { Brand, BrandSource } from '../../../core/brand.ts'
import { refuseImpersonation } from '../../../http/endpoint/access.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { encodeQuery } from '../../../http/request/query.ts'
import type { Problem } from '../../../http/response/problem.ts'
import { returnTo } from '../../../lib/return-to.ts'
import {
  type ChoiceNeeds,
  chosenForSeconds,
  languageInQuery,
  languageNames,
  languageOf,
  languages,
  textsIn,
} from '../page-texts/service.ts'
import { organizationOfRequest, organizationOfSignIn } from './organization-of-request.ts'
import { actingIn } from './views/acting-bar.ts'
import { lookOf, servedFrom } from './views/look.ts'
import { type Frame, type Page, type Person, withReturnTo } from './views/pages.ts'

/** The fields of a form. */
export type Form = Record<string, string | undefined>
/** Queries are not validated: a repeated parameter is an array. */
export type Query = Record<string, unknown>

export type OfPage = {
  locale?: string | null
  organization_id?: string | null
  /** Who has taken the first step of a sign-in. */
  user_id?: string
  /** The way up to the pages' folder, if not that of the route. */
  up?: string
}

export type PageTools = {
  headers(page: Page): Record<string, string>
  /** @param of the user whose link it is: the language, and the organization whose look the page has */
  frameOf(request: FastifyRequest, of?: OfPage): Promise<Frame>
  /** As on the page before the problem. Otherwise it reads nothing from the store if that may be what failed. */
  frameOfProblem(request: FastifyRequest, problem: Problem): Promise<Frame>
  send(reply: FastifyReply, page: Page, status?: number): FastifyReply
  /** Where to go afterwards, if that is allowed. */
  placeIn(fields: Query): string | undefined
  /** The signed-in user, by cookie only. */
  personIn(request: FastifyRequest): Promise<SignedIn | undefined>
}

/** Not in the OpenAPI document: for people. */
export const hidden = { config: { access: 'public', scope: 'global' } } as const
/** A form reads nothing but the language from the query: a `dry_run` there would be expected to have an effect. */
export const form = {
  ...hidden,
  schema: { querystring: { type: 'object', properties: { lang: { type: 'string' } }, additionalProperties: false } },
} as const

export type PageNeeds = Pick<HttpLayer, 'config' | 'cookies' | 'links' | 'lookUp' | 'storage'> & {
  branding: BrandSource
}

/** @param assets the folder of the pages' files, relative to the pages */
export function pageTools(needs: PageNeeds, assets: string): PageTools {
  const { branding, config, cookies, links, lookUp, storage } = needs
  const allowed = config.returnOrigins ?? []
  const headers = ({ language }: Page) => ({
    ...pageHeaders(links.origin(), allowed),
    'content-language': language,
    vary: 'accept, accept-language, cookie',
  })
  async function actorIn(request: FastifyRequest): Promise<Actor | undefined> {
    const token = cookies.read(request)
    const found = token === undefined ? undefined : await lookUp(token, request.now)
    return found?.kind === 'session' ? found.actor : undefined
  }
  async function frameFor(
    request: FastifyRequest,
    brand: Brand,
    person?: SignedIn,
    { locale = null, up = upFrom(request, links.path('')) }: OfPage = {},
  ): Promise<Frame> {
    const t = await textsIn(languageOf(request, needs, locale))
    const acting = actingIn(person, request.now)
    const look = lookOf(brand, servedFrom(up))
    return { productName: brand.name, up, assets: up + assets, t, languages: languageLinks(request), acting, look }
  }
  async function brandOf(request: FastifyRequest, actor: Actor | undefined, of: OfPage): Promise<Brand> {
    if (!(await branding.areThereOthers())) return branding.current()
    const signingIn = of.organization_id ?? (await organizationOfSignIn({ storage, cookies }, request, of.user_id))
    const known = signingIn === undefined ? actor && organizationOf(actor)?.organization_id : signingIn
    const organizationId = known === undefined ? await organizationOfRequest(storage.db, request) : known
    return branding.current(organizationId ?? undefined)
  }
  async function frameOf(request: FastifyRequest, of: OfPage = {}): Promise<Frame> {
    const actor = await actorIn(request)
    const brand = await brandOf(request, actor, of)
    replacedPages.set(request, { brand, of })
    return frameFor(request, brand, actor?.signedIn, of)
  }
  return {
    headers,
    frameOf,
    frameOfProblem(request, problem) {
      const before = replacedPages.get(request)
      if (before === undefined && mayReadFor(problem)) return frameOf(request)
      const { actor } = request
      const brand = before?.brand ?? branding.known(organizationOf(actor)?.organization_id)
      return frameFor(request, brand, actor.signedIn, before?.of)
    },
    send: (reply, page, status = 200) =>
      reply.code(status).headers(headers(page)).type('text/html; charset=utf-8').send(page.html),
    placeIn: (fields) => returnTo(fields.return_to, { origin: links.origin(), allowed }),
    async personIn(request) {
      const actor = await actorIn(request)
      if (actor === undefined) return undefined
      request.actor = actor
      refuseImpersonation(actor, request.routeOptions.config, request.method)
      return actor.signedIn
    },
  }
}

/** What the page of a request was to look like, for the page of a problem in its place. */
const replacedPages = new WeakMap<FastifyRequest, { brand: Brand; of: OfPage }>()

/** Whether the page of a problem may read the store: not if that may be what failed, and a flood is refused without it. */
export function mayReadFor({ status, code }: Problem): boolean {
  return (status < 500 && status !== 429) || code === 'upstream_unavailable' || code === 'upstream_timeout'
}

/** Links are relative, so that they work whatever a proxy does to the path; but then folders and a trailing slash matter. */
function upFrom({ routeOptions }: FastifyRequest, basePath: string): string {
  const path = routeOptions.url?.slice(basePath.length) ?? ''
  return '../'.repeat(Math.max(0, path.split('/').length - 2))
}

/** The same page in each language. After a form it is the page of the form: what was typed is not in an address. */
function languageLinks(request: FastifyRequest): Frame['languages'] {
  const isForm = request.method === 'POST'
  const query = isForm ? { return_to: formOf(request).return_to } : queryOf(request)
  return languages.map((language) => {
    const href = `?${encodeQuery({ ...query, ui_locales: undefined, lang: language })}`
    return { language, name: languageNames[language], href }
  })
}

/** Keeps the language that the address asks for, and nothing else. */
export function keepLanguages(app: FastifyInstance, { cookies }: ChoiceNeeds): void {
  app.addHook('onRequest', async (request, reply) => {
    const language = languageInQuery(request)
    if (language !== undefined) reply.header('set-cookie', cookies.language.set(language, chosenForSeconds))
  })
}

export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form
}

/** A session with which the user must first add a factor or change the password. */
export function isHalf(person: SignedIn): boolean {
  return dutyOf({ signedIn: person }) !== undefined
}

/** Where a user goes who has added a factor: the password may have to be changed next, which the sign-in page knows. */
export function afterFactor({ must_change_password }: SignedIn, up: string, returnTo: string | undefined): string {
  return must_change_password ? withReturnTo(`${up}login`, returnTo) : (returnTo ?? `${up}login`)
}

/**
 * Returns the code that was entered in one of the two fields; undefined if both are empty. The first field accepts recovery codes
 * too: only they are that long or contain letters.
 */
export function codeIn({
  code = '',
  recovery_code = '',
}: Form): { code: string } | { recovery_code: string } | undefined {
  const [typed, recovery] = [code.trim(), recovery_code.trim()]
  if (recovery !== '') return { recovery_code: recovery }
  if (typed === '') return undefined
  return /^[\s\d-]{0,12}$/.test(typed) ? { code: typed } : { recovery_code: typed }
}

export function queryOf({ query }: FastifyRequest): Query {
  return query as Query
}

function pageHeaders(origin: string, returnOrigins: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    // The script for passkeys asks the API.
    "connect-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    // Chromium applies this to redirects after a form, too.
    `form-action ${["'self'", origin, ...returnOrigins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    // With `no-referrer` browsers send `Origin: null` with a form, as another site's page might too.
    'referrer-policy': 'same-origin',
  }
}

export function personOf({ username, first_name, last_name }: SignedIn): Person {
  return { username, name: `${first_name} ${last_name}`.trim() }
}
