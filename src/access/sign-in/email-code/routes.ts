import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import { refuseOtherSites } from '../sign-in/service.ts'
import { type EmailCodeNeeds, requestEmailCode } from './request-code.ts'
import type { RequestEmailCode } from './schema.ts'

const description = `Starts a sign-in with a code by email: sends six digits to the user with this username or email address, and returns a
\`challenge_id\` and a cookie that binds the code to this browser. Send both to \`POST /sessions\` with \`email_code\`. The code works for
ten minutes, once, and for at most five attempts. If the user has a second factor, \`POST /sessions\` asks for it next.

The response is the same whether or not there is such a user. No code is sent to disabled users, to users whom a sign-in connection
signs in, and beyond three messages an hour to one address (five if the user has signed in in this browser before). Needs no credential,
and the setting \`ROLLBOOK_EMAIL_CODE\`.`

export function routes(app: FastifyInstance, needs: EmailCodeNeeds & Pick<HttpLayer, 'refuseCrossOrigin'>): void {
  app.route({
    ...operation({
      name: 'request_email_code',
      method: 'POST',
      path: '/sessions/email-code',
      access: 'public',
      scope: 'global',
      isRepeatable: true,
      description,
      body: 'RequestEmailCode',
      returns: 'RequestedEmailCode',
      responses: {
        200: {
          description: 'If there is such a user, a message is on its way.',
          addedHeaders: { 'Set-Cookie': text('Binds the code to this browser.') },
        },
      },
      problems: [...publicChangeProblems, 'not_enabled', 'too_many_attempts', 'validation_failed'],
      example: { username: 'ada@example.com' },
    }),
    async handler(request, reply) {
      refuseOtherSites(needs, request)
      return requestEmailCode(needs, request, reply, (request.body as RequestEmailCode).username)
    },
  })
}
