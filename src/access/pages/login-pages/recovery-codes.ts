/** The page that offers recovery codes, after a passkey was added on another page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { isRecent } from '../../../http/endpoint/recent-authentication.ts'
import { encodeQuery } from '../../../http/request/query.ts'
import { isMultiFactor } from '../../../lib/amr.ts'
import { accountUrl } from '../../../record/mails/service.ts'
import * as factors from '../../credentials/factors/service.ts'
import { makeRecoveryCodes } from '../../credentials/factors/service.ts'
import { afterFactor, form, formOf, hidden, type PageTools, queryOf } from './tools.ts'
import { offerCodesPage, recoveryCodesPage } from './views/factor-pages.ts'
import { type Frame, type Page, withReturnTo } from './views/pages.ts'

type CodesNeeds = Pick<HttpLayer, 'contextOf' | 'links' | 'makeChange' | 'refuseCrossOrigin'>

export function recoveryCodesPages(app: FastifyInstance, needs: CodesNeeds, tools: PageTools): void {
  const { contextOf, links, refuseCrossOrigin } = needs
  const { frameOf, send, placeIn, personIn } = tools

  for (const path of ['/recovery-codes', '/recovery-codes/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const person = await personIn(request)
      const returnTo = placeIn(queryOf(request))
      if (person === undefined) return reply.redirect(withReturnTo(`${frame.up}login`, returnTo), 303)
      const { factors: all, recovery_codes: left } = await factors.listOf(contextOf(request), person.user_id)
      // Codes stand in for a factor.
      const next = afterFactor(person, frame.up, returnTo)
      if (all.length === 0) return reply.redirect(next, 303)
      const isUsed = queryOf(request).used !== undefined
      return send(
        reply,
        offerCodesPage(frame, { left, returnTo, next, isUsed, accountPath: accountUrl(links.path('')) }),
      )
    })
  }

  app.post('/recovery-codes', form, async (request, reply) => {
    refuseCrossOrigin(request)
    const person = await personIn(request)
    const returnTo = placeIn(formOf(request))
    if (person === undefined) return reply.redirect(withReturnTo('login', returnTo), 303)
    const { factors: all } = await factors.listOf(contextOf(request), person.user_id)
    if (all.length === 0) return reply.redirect(withReturnTo('login', returnTo), 303)
    // The password alone must not yield recovery codes that bypass the second factor.
    if (!isRecent(person, request.now) || !isMultiFactor(person.amr)) {
      // Back to this page, and from there to where the user was going.
      return reply.redirect(withReturnTo('confirm', withReturnTo(links.path('/recovery-codes'), returnTo)), 303)
    }
    const next = afterFactor(person, '', returnTo)
    return send(reply, await codesPage(needs, request, reply, { frame: await frameOf(request), next }))
  })
}

/** Where a user goes who has just used a recovery code. */
export function afterRecoveryCode(path: string, returnTo: string | undefined): string {
  return `${path}?${encodeQuery({ used: 'true', return_to: returnTo })}`
}

/** Replaces the user's codes, and shows them. @throws AppError `no_factor` */
export async function codesPage(
  { makeChange }: Pick<CodesNeeds, 'makeChange'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { frame, next }: { frame: Frame; next: string },
): Promise<Page> {
  const codes = makeRecoveryCodes()
  await makeChange(request, reply, 'factors.replace_recovery_codes', { input: () => ({ codes }) })
  return recoveryCodesPage(frame, { codes, next })
}
