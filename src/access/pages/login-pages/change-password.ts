import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { isPasswordRefused } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { isRecent } from '../../../http/endpoint/recent-authentication.ts'
import type { RecordRefusal } from '../../../record/audit/service.ts'
import { changeOwnPassword, isPasswordEnough, type OwnPasswordNeeds } from '../me/service.ts'
import { changeFaults } from './faults.ts'
import { form, formOf, hidden, type PageTools, personOf, type Query, queryOf } from './tools.ts'
import {
  changePasswordPage,
  type Frame,
  noPasswordPage,
  type Page,
  type PasswordFaults,
  withReturnTo,
} from './views/pages.ts'

export type ChangePasswordNeeds = OwnPasswordNeeds &
  Pick<HttpLayer, 'links' | 'refuseCrossOrigin'> & { recordRefusal: RecordRefusal }

export function changePasswordPages(app: FastifyInstance, needs: ChangePasswordNeeds, tools: PageTools): void {
  const { links, refuseCrossOrigin, recordRefusal } = needs
  const { frameOf, send, placeIn, personIn } = tools

  function show(frame: Frame, person: SignedIn, fields: Query, faults: PasswordFaults = {}): Page {
    const view = { isRequired: person.must_change_password, returnTo: placeIn(fields), faults }
    return changePasswordPage(frame, { person: personOf(person), ...view })
  }

  async function isRefused({ user_id }: SignedIn): Promise<boolean> {
    const user = await users.findById(needs.storage.db, scopeOf(system), user_id)
    return user !== undefined && isPasswordRefused(needs.storage.db, user)
  }

  function signInFirst({ up }: Frame, reply: FastifyReply, fields: Query): FastifyReply {
    const back = withReturnTo(links.path('/change-password'), placeIn(fields))
    return reply.redirect(withReturnTo(`${up}login`, back), 303)
  }

  for (const path of ['/change-password', '/change-password/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const person = await personIn(request)
      if (person === undefined || person.must_add_factor) return signInFirst(frame, reply, queryOf(request))
      if (await isRefused(person)) return send(reply, noPasswordPage(frame))
      return send(reply, show(frame, person, queryOf(request)))
    })
  }

  app.post('/change-password', form, async (request, reply) => {
    refuseCrossOrigin(request)
    const fields = formOf(request)
    const frame = await frameOf(request)
    const person = await personIn(request)
    // Where a second factor is required, the password alone must not become another one.
    if (person === undefined || person.must_add_factor) return signInFirst(frame, reply, fields)
    if (await isRefused(person)) return send(reply, noPasswordPage(frame), 409)
    const { current_password = '', new_password = '', new_password_again = new_password } = fields
    if (!isRecent(person, request.now) && !(await isPasswordEnough(needs.storage.db, person))) {
      const back = withReturnTo(links.path('/change-password'), placeIn(fields))
      return reply.redirect(withReturnTo('confirm', back), 303)
    }
    if (new_password !== new_password_again) {
      return send(reply, show(frame, person, fields, { repeated: frame.t.changePassword.notSame }), 422)
    }
    try {
      await changeOwnPassword(needs, request, reply, { current_password, new_password })
    } catch (error) {
      const faults = changeFaults(frame.t, error)
      if (faults === undefined || !(error instanceof AppError)) throw error
      await recordRefusal(error, request)
      return send(reply.headers(error.headers), show(frame, person, fields, faults), error.status)
    }
    return reply.redirect(placeIn(fields) ?? 'login?password_changed', 303)
  })
}
