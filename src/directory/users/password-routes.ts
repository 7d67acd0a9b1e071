import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { conditionProblems, ownAccountProblems } from '../../http/endpoint/problem-lists.ts'
import { dryRun, etag } from '../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion } from '../../http/request/conditional.ts'
import { pathId } from '../../http/request/path-id.ts'
import type { Hasher } from '../passwords/service.ts'
import { passwordHashFor } from './password.ts'
import type { SetPassword } from './schema.ts'
import * as users from './users.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange'> & { hasher: Hasher }

export function passwordRoutes(app: FastifyInstance, { config, contextOf, makeChange, hasher }: Needs): void {
  app.route({
    ...operation({
      name: 'set_password',
      method: 'POST',
      path: '/users/{user_id}/password',
      access: 'users:write',
      scope: 'organization',
      recent: true,

      description: `Sets the password of a user. Needs the permission {access}.

All sessions and access tokens of the user end at once, and a locked user is unlocked. With \`must_change\` the user must
choose another password after signing in, because you know the one you set.`,
      body: 'SetPassword',
      returns: 'User',
      sendsText: true,
      etag: 'user',
      responses: {
        200: {
          description: 'The changed user. In a dry run: the user as it would be, without an ETag.',
          headers: { ...etag('user'), ...dryRun },
        },
      },
      problems: [...conditionProblems, 'user_not_found', 'user_outranks_caller', ...ownAccountProblems],
      example: { password: 'for the first day only', must_change: true },
    }),
    async handler(request, reply) {
      const { password, must_change = false } = request.body as SetPassword
      const user_id = pathId(request, 'user_id')
      const { result, dryRun } = await makeChange(request, reply, 'users.update', {
        async input() {
          const expected = expectedVersion(request, config)
          const known = await users.getForChange(contextOf(request), user_id, { expected, part: 'password' })
          const { dry_run: dryRun = false } = request.query as { dry_run?: boolean }
          const hashed = await passwordHashFor(hasher, {
            body: { password },
            known,
            productName: config.productName,
            dryRun,
          })
          return { user_id, input: { ...hashed, must_change_password: Number(must_change) }, expected }
        },
      })
      if (!dryRun) reply.header('etag', etagOf(result.version))
      return reply.type('application/json; charset=utf-8').send(result.document)
    },
  })
}
