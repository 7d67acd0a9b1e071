import type { FastifyInstance } from 'fastify'
import { memberFault, validationFailed } from '../../core/errors.ts'
import { checkUserInput } from '../../directory/users/input.ts'
import type { User } from '../../directory/users/schema.ts'
import * as users from '../../directory/users/service.ts'
import { writeQuery } from '../../http/endpoint/change.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { bodyProblems, conditionProblems } from '../../http/endpoint/problem-lists.ts'
import { expectedVersion, userETag } from '../../http/request/conditional.ts'
import type { Actor, Rules } from '../../store/context.ts'
import { personOf } from '../sessions/person.ts'
import * as answers from './answers.ts'
import { changeOwnPassword, confirm, type OwnPasswordNeeds } from './password.ts'
import { groupsOf, sourcesOf } from './permissions.ts'
import type { ChangeOwnPassword, Me, UpdateMe } from './schema.ts'

export function meRoutes(app: FastifyInstance, needs: OwnPasswordNeeds): void {
  getMe(app, needs)
  updateMe(app, needs)
  changeMyPassword(app, needs)
}

function getMe(app: FastifyInstance, { config, contextOf }: OwnPasswordNeeds): void {
  app.route({
    ...operation({
      name: 'get_me',
      summary: 'Get your own user',
      method: 'GET',
      path: '/me',
      access: 'user',
      duringPasswordChange: true,
      description: answers.getDescription,
      answers: answers.found,
      problems: [],
      schema: { response: { 200: { $ref: 'Me#' } } },
    }),
    async handler(request, reply) {
      const found = await users.get(contextOf(request), personOf(request).user_id)
      reply.header('etag', userETag(found.version))
      return meOf(request.actor, found, config.roles)
    },
  })
}

function updateMe(app: FastifyInstance, needs: OwnPasswordNeeds): void {
  const { config, storage, makeChange } = needs
  app.route({
    ...operation({
      name: 'update_me',
      summary: 'Update your own user',
      method: 'PATCH',
      path: '/me',
      access: 'user',
      description: answers.updateDescription,
      answers: answers.updated,
      problems: [...bodyProblems, ...conditionProblems, 'current_password_wrong', 'email_taken', 'too_many_attempts'],
      example: { first_name: 'Augusta' },
      schema: { querystring: writeQuery, body: { $ref: 'UpdateMe#' }, response: { 200: { $ref: 'Me#' } } },
    }),
    async handler(request, reply) {
      const { current_password, ...body } = request.body as UpdateMe
      const { result, dryRun } = await makeChange(request, reply, 'me.update', {
        async input() {
          const expected = expectedVersion(request.headers['if-match'], config.requireIfMatch)
          const input = checkUserInput(body, config.roles)
          if (current_password === undefined) {
            // The owner of the address can often take over the account, so an unattended browser must not be enough to change it.
            if (body.email === undefined) return { input, expected }
            const { email, email_key, ...others } = input
            // A form may send everything it shows: the same address is not a change.
            const user = await users.findById(storage.db, personOf(request).user_id)
            if (email !== user?.email) throw missingPassword()
            return { input: others, expected }
          }
          return { input, expected, verified_hash: await confirm(needs, request, current_password) }
        },
      })
      if (!dryRun) reply.header('etag', userETag(result.version))
      return meOf(request.actor, result, config.roles)
    },
  })
}

function changeMyPassword(app: FastifyInstance, needs: OwnPasswordNeeds): void {
  app.route({
    ...operation({
      name: 'change_my_password',
      summary: 'Change your own password',
      method: 'POST',
      path: '/me/password',
      access: 'user',
      duringPasswordChange: true,
      description: answers.changePasswordDescription,
      answers: answers.passwordChanged,
      problems: [...bodyProblems, 'current_password_wrong', 'too_many_attempts'],
      example: { current_password: 'analytical engine no. 1', new_password: 'difference engine no. 2' },
      schema: {
        querystring: writeQuery,
        body: { $ref: 'ChangeOwnPassword#' },
        response: { 200: { $ref: 'ConfirmationOfPassword#' } },
      },
    }),
    handler: (request, reply) => changeOwnPassword(needs, request, reply, request.body as ChangeOwnPassword),
  })
}

function meOf(actor: Actor, { document }: users.UserDocument, roles: Rules['roles']): Me {
  const { must_change_password, session_id } = personOf({ actor })
  return {
    ...(JSON.parse(document) as User),
    permissions: [...actor.permissions],
    permission_sources: sourcesOf(actor, roles),
    groups: groupsOf(actor),
    must_change_password,
    session_id,
  }
}

function missingPassword() {
  const detail = 'To change the email address, also send current_password.'
  return validationFailed([memberFault('current_password', 'missing_member', detail)])
}
