/** The page on which a signed-in user confirms who they are, for what needs a recent authentication or a second factor. */

import type { FastifyInstance } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { canUsePassword } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import type { Html } from '../../../lib/html.ts'
import type { RecordRefusal } from '../../../record/audit/service.ts'
import * as factors from '../../credentials/factors/service.ts'
import { listOf } from '../../providers/connections/service.ts'
import { check } from '../../sign-in/reauthentication/service.ts'
import type { SignInParts } from '../../sign-in/sign-in/service.ts'
import { noCode, secondStepFault } from './faults.ts'
import { afterRecoveryCode } from './recovery-codes.ts'
import { afterFactor, codeIn, form, formOf, hidden, type PageTools, queryOf } from './tools.ts'
import { confirmationButtons } from './views/company-pages.ts'
import { confirmPage } from './views/factor-pages.ts'
import { emailCodeLink, type Frame, type Message, type Page, withReturnTo } from './views/pages.ts'

export type ConfirmNeeds = SignInParts &
  Pick<HttpLayer, 'config' | 'links' | 'makeChange' | 'refuseCrossOrigin'> & { recordRefusal: RecordRefusal }

const steps = ['/add-factor', '/change-password', '/recovery-codes']

export function confirmPages(app: FastifyInstance, needs: ConfirmNeeds, tools: PageTools): void {
  const { config, links, storage, makeChange, refuseCrossOrigin, recordRefusal } = needs
  const { frameOf, send, placeIn, personIn } = tools

  async function hasUsablePassword({ user_id }: SignedIn): Promise<boolean> {
    const user = await users.findById(storage.db, scopeOf(system), user_id)
    return user !== undefined && canUsePassword(storage.db, user)
  }

  /** The companies, or for a user without any other way a new sign-in with a code by email (decisions/0214). */
  async function waysBeside(
    frame: Frame,
    person: SignedIn,
    place: { returnTo: string | undefined; isNew: boolean },
  ): Promise<Html> {
    const identities = await listOf({ db: storage.db, actor: system }, person.user_id)
    const isWithout = identities.length === 0 && !(await factors.hasFactor(storage.db, person.user_id))
    if (isWithout && config.emailCode === 'on' && !(await hasUsablePassword(person))) {
      return emailCodeLink(frame, place.returnTo, frame.t.emailCode.again)
    }
    return confirmationButtons(frame, identities, place)
  }

  /** The page once more, with what was wrong. */
  async function pageWith(
    frame: Frame,
    person: SignedIn,
    { returnTo, fault }: { returnTo: string | undefined; fault: Message },
  ): Promise<Page> {
    return confirmPage(frame, {
      username: person.username,
      methods: await factors.methodsOf(storage.db, person.user_id),
      hasPassword: await hasUsablePassword(person),
      returnTo,
      fault,
      buttons: await waysBeside(frame, person, { returnTo, isNew: false }),
    })
  }

  for (const path of ['/confirm', '/confirm/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const person = await personIn(request)
      const returnTo = placeIn(queryOf(request))
      if (person === undefined) return reply.redirect(withReturnTo(`${frame.up}login`, returnTo), 303)
      const methods = await factors.methodsOf(storage.db, person.user_id)
      if (methods.length === 0 && queryOf(request).acr === 'aal2') {
        return reply.redirect(withReturnTo(`${frame.up}add-factor`, returnTo), 303)
      }
      const hasPassword = await hasUsablePassword(person)
      // A provider that never reports the authentication time cannot confirm, so a user without another method signs in again.
      const isNew = methods.length === 0 && !hasPassword && person.authTimeMs === 0
      const buttons = await waysBeside(frame, person, { returnTo, isNew })
      return send(reply, confirmPage(frame, { username: person.username, methods, hasPassword, returnTo, buttons }))
    })
  }

  app.post('/confirm', form, async (request, reply) => {
    refuseCrossOrigin(request)
    const frame = await frameOf(request)
    const person = await personIn(request)
    const fields = formOf(request)
    const returnTo = placeIn(fields)
    if (person === undefined) return reply.redirect(withReturnTo('login', returnTo), 303)
    const { password, code, recovery_code } = fields
    const isCode = code !== undefined || recovery_code !== undefined
    const proof = isCode ? codeIn(fields) : { password: password ?? '' }
    const when = { now: request.now, requestId: request.id }
    if (proof === undefined) {
      const fault = noCode(frame.t, await factors.methodsOf(storage.db, person.user_id))
      return send(reply, await pageWith(frame, person, { returnTo, fault }), 422)
    }
    try {
      await makeChange(request, reply, 'sessions.renew', {
        input: () => check(needs, { person, proof, origins: needs.relyingParty.originsOf(request) }, when),
      })
    } catch (error) {
      const fault = error instanceof AppError ? secondStepFault(frame.t, error, proof) : undefined
      if (fault === undefined || !(error instanceof AppError)) throw error
      await recordRefusal(error, request)
      return send(reply.headers(error.headers), await pageWith(frame, person, { returnTo, fault }), error.status)
    }
    // Back to the step that asked for the confirmation, or on to the next one.
    const isStep = steps.some((page) => returnTo?.startsWith(links.path(page)))
    if ('recovery_code' in proof && !returnTo?.startsWith(links.path('/recovery-codes'))) {
      return reply.redirect(afterRecoveryCode('recovery-codes', returnTo), 303)
    }
    return reply.redirect(isStep && returnTo ? returnTo : afterFactor(person, '', returnTo), 303)
  })
}
