import type { FastifyInstance } from 'fastify'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { bodyProblems } from '../../http/endpoint/problem-lists.ts'
import { personOf } from '../sessions/person.ts'
import type { SignInParts } from '../sign-in/proof.ts'
import type { Reauthenticate } from './schema.ts'
import * as reauthentication from './service.ts'

type Needs = SignInParts & Pick<HttpLayer, 'config' | 'makeChange'>

const description = `Confirms that it is you, for operations that need an authentication within the last 10 minutes: creating keys, granting roles,
changing factors, email address or password, exporting password hashes, and rotating signing keys. They answer 403
\`reauthentication_required\` otherwise.

Users who have a second factor confirm with it; the password is enough for the others. Wrong attempts are counted and
throttled like failed sign-ins. A "trusted" browser is never enough.`

export function reauthenticationRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'reauthenticate',
      summary: 'Confirm that it is you',
      method: 'POST',
      path: '/sessions/current/reauthentication',
      access: 'user',
      duringEnrollment: true,
      description,
      answers: {
        200: {
          description: 'How and when the user of this session was authenticated, from now on.',
          headers: { 'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Reauthenticated' } } },
        },
      },
      problems: [...bodyProblems, 'confirmation_failed', 'current_password_wrong', 'too_many_attempts'],
      example: { password: 'analytical engine no. 1' },
      schema: {
        querystring: writeQuery,
        body: { $ref: 'Reauthenticate#' },
        response: { 200: { $ref: 'Reauthenticated#' } },
      },
    }),
    async handler(request, reply) {
      const when = { now: request.now, requestId: request.id }
      const { result } = await needs.makeChange(request, reply, 'sessions.renew', {
        input: () => {
          const given = request.body as Reauthenticate
          return reauthentication.check(needs, { person: personOf(request), given }, when)
        },
      })
      return result
    },
  })
}
