import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { pathId } from '../../http/request/path-id.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import * as answers from './answers.ts'
import { type ListAudit, listAuditSchema, listUserAuditSchema } from './schema.ts'
import { type RecordNeeds, sendRecords } from './send-records.ts'

const problems = ['bad_cursor', 'not_acceptable', 'validation_failed'] as const

export function routes(app: FastifyInstance, needs: RecordNeeds): void {
  listAudit(app, needs)
  listUserAudit(app, needs)
  getAuditCheckpoint(app, needs)
}

function listAudit(app: FastifyInstance, needs: RecordNeeds): void {
  app.route({
    ...operation({
      name: 'list_audit',
      method: 'GET',
      path: '/audit',
      access: 'audit:read',
      scope: 'organization',
      description: answers.listDescription,
      query: listAuditSchema,
      responses: answers.listed,
      problems,
    }),
    handler: (request, reply) => sendRecords(needs, reply, { path: '/audit', query: request.query as ListAudit }),
  })
}

function listUserAudit(app: FastifyInstance, needs: RecordNeeds): void {
  app.route({
    ...operation({
      name: 'list_user_audit',
      method: 'GET',
      path: '/users/{user_id}/audit',
      access: 'audit:read',
      scope: 'organization',
      description: answers.listOfUserDescription,
      query: listUserAuditSchema,
      responses: answers.listed,
      problems: [...problems, 'user_not_found'],
    }),
    handler(request, reply) {
      const target = pathId(request, 'user_id')
      if (!isUuid(target)) throw new AppError('user_not_found', 'The user id is not in a valid form.')
      const query = { ...(request.query as ListAudit), target }
      return sendRecords(needs, reply, { path: `/users/${target}/audit`, query })
    },
  })
}

function getAuditCheckpoint(app: FastifyInstance, { storage }: RecordNeeds): void {
  app.route({
    ...operation({
      name: 'get_audit_checkpoint',
      method: 'GET',
      path: '/audit/checkpoint',
      access: 'audit:read',
      scope: 'global',
      description: answers.checkpointDescription,
      returns: 'AuditCheckpoint',
      responses: { 200: 'The end of the chain.' },
    }),
    async handler(request, reply) {
      await storage.settleJournal()
      return storage.query('audit.checkpoint', { created_at: timestamp(request.now) }, readRequest(reply))
    },
  })
}
