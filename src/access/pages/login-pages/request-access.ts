/**
 * The pages on which people ask for access: one for the address, which answers all addresses alike, and one behind the link of the
 * message. A GET changes nothing, because mail scanners open every link, and a form without a reason is refused.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { AppError, type InputFault } from '../../../core/errors.ts'
import { type Definition, readDefinitions } from '../../../directory/attributes/service.ts'
import { findOrganizationOfDomain } from '../../../directory/organizations/service.ts'
import { domainIn } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { isEmail } from '../../../lib/email-form.ts'
import type { Text } from '../../../lib/html.ts'
import { trimEnds } from '../../../lib/typed-name.ts'
import { linkPaths, tokenHashOf } from '../../../record/mails/service.ts'
import { findCompany } from '../../providers/connections/service.ts'
import {
  findByToken,
  isOpen,
  type RequestRow,
  refuseUnlessEnabled,
  requiredOf,
} from '../../sign-in/access-requests/service.ts'
import type { Texts } from '../page-texts/service.ts'
import { busyRefusal } from './faults.ts'
import { privately } from './links.ts'
import { form, formOf, hidden, type PageTools } from './tools.ts'
import { type Frame, type Page, problemPage } from './views/pages.ts'
import * as pages from './views/request-access-pages.ts'

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'originOf' | 'makeChange' | 'refuseCrossOrigin' | 'lifecycle'>

export function requestAccessPages(app: FastifyInstance, needs: Needs, tools: PageTools): void {
  app.register(async (scope) => {
    scope.addHook('preValidation', async () => refuseUnlessEnabled(needs.config))
    addressPages(scope, needs, tools)
    requestPages(scope, needs, tools)
  })
}

function addressPages(app: FastifyInstance, needs: Needs, { frameOf, send }: PageTools): void {
  const hasMail = needs.config.smtpUrl !== undefined
  app.get('/request-access', hidden, async (request, reply) => {
    const frame = await frameOf(request)
    return send(reply, hasMail ? pages.enterAddressPage(frame) : pages.noMailForRequestsPage(frame))
  })

  app.post('/request-access', form, async (request, reply) => {
    // Another site must not have its visitors' network count for its own requests.
    needs.refuseCrossOrigin(request)
    refuseWhileDraining(needs.lifecycle)
    const frame = await frameOf(request)
    if (!hasMail) return send(reply, pages.noMailForRequestsPage(frame))
    const email = trimEnds(formOf(request).email ?? '')
    if (email.length > 254 || !isEmail(email)) {
      const fault = { title: frame.t.page.missing, detail: frame.t.requestAccess.emailInvalid, at: 'email' }
      return send(reply, pages.enterAddressPage(frame, { email, fault }), 422)
    }
    try {
      const { language: locale } = frame.t.page
      await needs.makeChange(request, reply, 'access_requests.enter', { input: () => ({ email, locale }) })
    } catch (error) {
      const { refusal, fault } = busyRefusal(frame.t, error)
      return send(reply.headers(refusal.headers), pages.enterAddressPage(frame, { email, fault }), refusal.status)
    }
    return send(reply, pages.addressEnteredPage(frame))
  })
}

type Open = { frame: Frame; row: RequestRow; definitions: readonly Definition[]; company: string | undefined }
type Dead = { page: Page; status: number }

function requestPages(app: FastifyInstance, needs: Needs, tools: PageTools): void {
  const { storage, originOf, lifecycle } = needs
  const path = `${linkPaths.access_request}/:token`

  async function open(request: FastifyRequest): Promise<Open | Dead> {
    const row = await findByToken(storage.db, tokenOf(request))
    const domain = domainIn(row?.email ?? '')
    const organization_id = domain === undefined ? undefined : await findOrganizationOfDomain(storage.db, domain)
    const frame = await tools.frameOf(request, {
      locale: row?.locale ?? null,
      organization_id: organization_id ?? null,
    })
    if (row === undefined || !isOpen(row, request.now)) {
      return { page: pages.deadRequestPage(frame, row?.state, request.id), status: row === undefined ? 404 : 410 }
    }
    const definitions = [...requiredOf(await readDefinitions(storage.db)).values()]
    const company = (await findCompany(storage.db, row.email))?.name
    return { frame, row, definitions, company }
  }

  function showForm(
    reply: FastifyReply,
    { frame, row, definitions, company }: Open,
    { typed = {}, faults = {} }: { typed?: pages.Typed; faults?: Readonly<Record<string, Text>> } = {},
    status = 200,
  ): FastifyReply {
    const page = pages.requestFormPage(frame, { email: row.email, company, definitions, typed, faults })
    return privately(reply, tools, page, status)
  }

  app.get(path, hidden, async (request, reply) => {
    const opened = await open(request)
    return 'page' in opened ? privately(reply, tools, opened.page, opened.status) : showForm(reply, opened)
  })

  app.post(path, form, async (request, reply) => {
    refuseWhileDraining(lifecycle)
    const opened = await open(request)
    if ('page' in opened) return privately(reply, tools, opened.page, opened.status)
    const { frame, row } = opened
    const typed = formOf(request)
    const { first_name = '', last_name = '', reason = '' } = typed
    const attributes = Object.fromEntries(
      opened.definitions.map(({ name }) => [name, typed[`attributes.${name}`] ?? '']),
    )
    const sent = { first_name, last_name, attributes, reason }
    const { now, id: requestId } = request
    const input = { token_hash: tokenHashOf(tokenOf(request)), locale: frame.t.page.language, sent }
    try {
      const by = { actor: system, now, requestId, origin: originOf(request) }
      await storage.change('access_requests.submit', input, by)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // Another request was faster.
      if (error.code === 'link_ended') {
        const again = await open(request)
        if ('page' in again) return privately(reply, tools, again.page, again.status)
      }
      if (error.code === 'email_taken') {
        const { title, detail } = frame.t.requestAccess.known
        return privately(reply, tools, problemPage(frame, { title, detail, requestId }), error.status)
      }
      if (error.code !== 'validation_failed') throw error
      return showForm(reply, opened, { typed, faults: faultsOf(frame.t, opened.definitions, error.errors ?? []) }, 422)
    }
    return privately(reply, tools, pages.requestSentPage(frame, row.email))
  })
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token
}

/** The faults in words of the page, by the names of the fields. */
function faultsOf(
  { requestAccess: texts, page }: Texts,
  definitions: readonly Definition[],
  errors: readonly InputFault[],
): Record<string, Text> {
  const labels = new Map(definitions.map(({ name, label }) => [`attributes.${name}`, label]))
  // A wrong value is also missing: what was said first counts.
  return Object.fromEntries(
    errors.toReversed().map(({ pointer, code }): [string, Text] => {
      const name = pointer.replace('#/', '').replace('/', '.')
      const label = labels.get(name)
      if (label !== undefined) return [name, code === 'missing_member' ? texts.isMissing(label) : texts.isWrong(label)]
      if (code === 'too_long') return [name, texts.tooLong]
      if (code === 'control_character') return [name, texts.notPlain]
      return [name, name === 'reason' ? texts.whyMissing : page.missing]
    }),
  )
}
