import type { FastifyInstance } from 'fastify'
import { scopeOf } from '../../core/scope.ts'
import { type ClosestUsers, closestUsersSchema, type ListUsers, listUsersSchema } from '../../directory/users/schema.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import * as answers from './answers.ts'
import { type ListNeeds, listProblems, sendList } from './send-list.ts'

export function routes(app: FastifyInstance, needs: ListNeeds): void {
  listUsers(app, needs)
  findClosest(app, needs)
}

/** A static path comes before one with a parameter, and no user has the id `closest`. */
function findClosest(app: FastifyInstance, { storage }: ListNeeds): void {
  app.route({
    ...operation({
      name: 'find_closest_users',
      method: 'GET',
      path: '/users/closest',
      access: 'users:read',
      scope: 'organization',
      description: answers.closestDescription,
      query: closestUsersSchema,
      returns: 'ListedUser[]',
      sendsText: true,
      responses: { 200: 'At most three users, the closest first.' },
    }),
    async handler(request, reply) {
      const { q } = request.query as ClosestUsers
      const documents = await storage.query('users.closest', { q, scope: scopeOf(request.actor) }, readRequest(reply))
      return reply.type('application/json; charset=utf-8').send(`[${documents.join(',')}]`)
    },
  })
}

function listUsers(app: FastifyInstance, needs: ListNeeds): void {
  app.route({
    ...operation({
      name: 'list_users',
      method: 'GET',
      path: '/users',
      access: 'users:read',
      scope: 'organization',
      description: answers.listDescription,
      query: listUsersSchema,
      responses: answers.listed,
      problems: listProblems,
    }),
    handler: (request, reply) => sendList(needs, request, reply, { query: request.query as ListUsers, path: '/users' }),
  })
}
