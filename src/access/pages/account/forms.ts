/** How the forms of the account page work: signed in, through the API, back to the page with a note or with what was wrong. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import {
  type Form,
  type Frame,
  form,
  formOf,
  hidden,
  isHalf,
  type Page,
  type PageNeeds,
  type PageTools,
  queryOf,
  withReturnTo,
} from '../login-pages/service.ts'
import type { Texts } from '../page-texts/service.ts'
import { type Call, callApi } from './api-call.ts'
import { faultsOf, noFaults } from './faults.ts'
import { permissionPrefix } from './permission-fields.ts'
import type { Step } from './steps.ts'
import { withQuery } from './view.ts'

export type FormNeeds = PageNeeds & Pick<HttpLayer, 'refuseCrossOrigin' | 'log'>

type NoteName = keyof Texts['account']['saved']

export type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  frame: Frame
  person: SignedIn
  returnTo: string | undefined
}
/** Shows the page of a form; after a refusal with what was wrong and what was typed. Undefined: it is about nothing any more. */
export type Show = (exchange: Exchange, step: Step) => Promise<Page | undefined>

type Post = {
  call: (fields: Form, exchange: Exchange) => Call | Promise<Call>
  /** The note on the account page, or what to show instead. */
  done: NoteName | ((body: Record<string, unknown>, exchange: Exchange) => NoteName | Page)
  show?: Show
  /** The page to which a confirmation leads back. */
  confirmAt?: string
}

export type AccountForms = {
  /** Runs `handle` for a signed-in user; everyone else signs in first, and comes back to `path`. */
  signedIn(
    path: string,
    handle: (exchange: Exchange) => Promise<FastifyReply>,
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  get(path: string, show: Show): void
  /** Posts to `path` what `call` makes of the fields, and goes back to the account page. */
  post(path: string, form: Post): void
}

/** @param showOverview what a refused form shows that has no page of its own */
export function accountForms(
  app: FastifyInstance,
  needs: FormNeeds,
  tools: PageTools,
  showOverview: (exchange: Exchange, step: Pick<Step, 'faults' | 'typed'>) => Promise<Page>,
): AccountForms {
  const { links } = needs

  function signedIn(path: string, handle: (exchange: Exchange) => Promise<FastifyReply>) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const isForm = request.method === 'POST'
      if (isForm) needs.refuseCrossOrigin(request)
      const frame = await tools.frameOf(request)
      const person = await tools.personIn(request)
      const fields = isForm ? formOf(request) : queryOf(request)
      const returnTo = tools.placeIn(fields)
      reply.header('cache-control', 'no-store')
      if (person === undefined || isHalf(person)) {
        const back = withQuery(links.path(path), isForm ? typedIn(fields as Form, returnTo) : textsOf(fields))
        return reply.redirect(withReturnTo(`${frame.up}login`, back), 303)
      }
      return handle({ request, reply, frame, person, returnTo })
    }
  }

  function post(path: string, { call, done, show = showOverview, confirmAt = path }: Post): void {
    app.post(
      path,
      form,
      signedIn(confirmAt, async (exchange) => {
        const { request, reply, frame, returnTo } = exchange
        const fields = formOf(request)
        const result = await callApi(app, needs, exchange, await call(fields, exchange))
        if ('body' in result) {
          const next = typeof done === 'string' ? done : done(result.body, exchange)
          if (typeof next !== 'string') return tools.send(reply, next)
          return reply.redirect(withQuery(`${frame.up}account`, { saved: next, return_to: returnTo }), 303)
        }
        const back = withQuery(links.path(confirmAt), typedIn(fields, returnTo))
        const elsewhere = otherPage(frame, result.refusal.code, back)
        if (elsewhere !== undefined) return reply.redirect(elsewhere, 303)
        const { status, retryAfter } = result.refusal
        if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
        const step = { returnTo, faults: faultsOf(frame.t, result.refusal), typed: fields }
        return tools.send(reply, (await show(exchange, step)) ?? (await showOverview(exchange, step)), status)
      }),
    )
  }

  function get(path: string, show: Show): void {
    for (const one of [path, `${path}/`]) {
      app.get(
        one,
        hidden,
        signedIn(path, async (exchange) => {
          const { request, reply, frame, returnTo } = exchange
          const page = await show(exchange, { returnTo, faults: noFaults, typed: textsOf(queryOf(request)) })
          // It was removed in another tab.
          if (page === undefined) return reply.redirect(withQuery(`${frame.up}account`, { return_to: returnTo }), 303)
          return tools.send(reply, page)
        }),
      )
    }
  }

  return { signedIn, get, post }
}

/** Where the user goes first: to a confirmation, or to sign in. Then back to the form. */
function otherPage(frame: Frame, code: string, back: string): string | undefined {
  if (code === 'reauthentication_required') return withReturnTo(`${frame.up}confirm`, back)
  const mustSignIn = ['credential_missing', 'credential_invalid', 'factor_required', 'password_change_required']
  return mustSignIn.includes(code) ? withReturnTo(`${frame.up}login`, back) : undefined
}

/** What of a form may be in an address: never a password. */
function typedIn(fields: Form, returnTo: string | undefined): Record<string, string | undefined> {
  const { email, name, days, factor_id, identity_id } = fields
  const permissions = Object.entries(fields).filter(([field]) => field.startsWith(permissionPrefix))
  return { email, name, days, factor_id, identity_id, ...Object.fromEntries(permissions), return_to: returnTo }
}

/** Reads a query, in which repeated parameters are arrays. */
function textsOf(query: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'string' && value.length <= 512 ? [[name, value]] : [],
    ),
  )
}
