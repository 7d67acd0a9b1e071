import type { FastifyInstance } from 'fastify'
import { operation } from '../../http/endpoint/operation.ts'
import { type ListUsers, listUsersSchema } from '../users/schema.ts'
import * as answers from './answers.ts'
import { type ListNeeds, listProblems, sendList } from './send-list.ts'

export function routes(app: FastifyInstance, needs: ListNeeds): void {
  app.route({
    ...operation({
      name: 'list_users',
      method: 'GET',
      path: '/users',
      access: 'users:read',
      description: answers.listDescription,
      query: listUsersSchema,
      responses: answers.listed,
      problems: listProblems,
    }),
    handler: (request, reply) => sendList(needs, request, reply, { query: request.query as ListUsers, path: '/users' }),
  })
}
