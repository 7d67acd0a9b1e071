import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { isRecent } from '../../http/endpoint/recent-authentication.ts'
import { isMultiFactor } from '../../lib/amr.ts'
import type { RecordRefusal } from '../../record/audit/refusals.ts'
import type { SignedIn } from '../../store/context.ts'
import { changeOwnPassword, type OwnPasswordNeeds } from '../me/password.ts'
import { changeFaults } from './faults.ts'
import { changePasswordPage, type PasswordFaults, withReturnTo } from './pages.ts'
import { formOf, hidden, type PageTools, personOf, type Query, queryOf } from './tools.ts'

export type ChangePasswordNeeds = OwnPasswordNeeds &
  Pick<HttpLayer, 'links' | 'refuseCrossOrigin'> & { recordRefusal: RecordRefusal }

export function changePasswordPages(app: FastifyInstance, needs: ChangePasswordNeeds, tools: PageTools): void {
  const { links, refuseCrossOrigin, recordRefusal } = needs
  const { frameOf, send, placeIn, personIn } = tools

  function show(request: FastifyRequest, person: SignedIn, fields: Query, faults: PasswordFaults = {}): string {
    const isRequired = person.must_change_password
    return changePasswordPage(frameOf(request), {
      person: personOf(person),
      isRequired,
      returnTo: placeIn(fields),
      faults,
    })
  }

  function signInFirst(request: FastifyRequest, reply: FastifyReply, fields: Query): FastifyReply {
    const back = withReturnTo(links.path('/change-password'), placeIn(fields))
    return reply.redirect(withReturnTo(`${frameOf(request).up}login`, back), 303)
  }

  for (const path of ['/change-password', '/change-password/']) {
    app.get(path, hidden, async (request, reply) => {
      const person = await personIn(request)
      if (person === undefined || person.must_add_factor) return signInFirst(request, reply, queryOf(request))
      return send(reply, show(request, person, queryOf(request)))
    })
  }

  // Without a query: `dry_run` would take effect.
  const schema = { querystring: { type: 'object', additionalProperties: false } }
  app.post('/change-password', { ...hidden, schema }, async (request, reply) => {
    refuseCrossOrigin(request)
    const fields = formOf(request)
    const person = await personIn(request)
    // Where a second factor is required, the password alone must not become another one.
    if (person === undefined || person.must_add_factor) return signInFirst(request, reply, fields)
    const { current_password = '', new_password = '', new_password_again = new_password } = fields
    // The form itself has the password, which is enough for users without a second factor.
    if (isMultiFactor(person.amr) && !isRecent(person, request.now)) {
      return reply.redirect(withReturnTo('confirm', links.path('/change-password')), 303)
    }
    if (new_password !== new_password_again) {
      return send(reply, show(request, person, fields, { repeated: 'The two new passwords are not the same.' }), 422)
    }
    try {
      await changeOwnPassword(needs, request, reply, { current_password, new_password })
    } catch (error) {
      const faults = changeFaults(error)
      if (faults === undefined || !(error instanceof AppError)) throw error
      await recordRefusal(error, request)
      return send(reply.headers(error.headers), show(request, person, fields, faults), error.status)
    }
    return reply.redirect(placeIn(fields) ?? 'login?password_changed', 303)
  })
}
