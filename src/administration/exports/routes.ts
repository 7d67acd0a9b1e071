import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { type AttributeCache, attributeFilters } from '../../directory/attributes/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { snapshotStream } from '../../http/response/snapshot-stream.ts'
import { encryptionSecrets } from '../../store/secrets/encryption.ts'
import type { Snapshot } from '../../store/storage/storage.ts'
import { planList } from '../users-list/service.ts'
import { exportDescription, exportedAnswers } from './answers.ts'
import { refusePersonalKeys } from './exports.ts'
import { type ExportQuery, type ExportUsers, exportQuery } from './schema.ts'
import { seal } from './sealing.ts'

type Needs = Pick<HttpLayer, 'storage' | 'config' | 'originOf' | 'recheck'> & { attributes: AttributeCache }

export function routes(app: FastifyInstance, needs: Needs): void {
  const { storage, config, originOf, recheck } = needs
  const limits = { ageMs: config.snapshotSeconds * 1000, stallMs: config.snapshotStallSeconds * 1000 }
  let isRunning = false

  /** One at a time: deriving the key takes the memory of a few hundred sign-ins. */
  function takePlace(): () => void {
    if (isRunning) {
      const detail = 'Another export with password hashes is running. Try again when it is done.'
      throw new AppError('too_many_snapshots', detail, { retryAfterSeconds: 5 })
    }
    isRunning = true
    return () => {
      isRunning = false
    }
  }

  app.route({
    ...operation({
      name: 'export_users',
      method: 'POST',
      path: '/users/export',
      access: 'users:export_hashes',
      scope: 'global',
      recent: true,
      isRepeatable: true,
      description: exportDescription,
      query: exportQuery,
      body: 'ExportUsers',
      responses: exportedAnswers,
      problems: ['user_required', 'list_too_costly', 'too_many_snapshots'],
    }),
    async handler(request, reply) {
      refusePersonalKeys(request)
      const { dry_run = false, ...filters } = request.query as ExportQuery
      const { passphrase, factors: withFactors = true } = request.body as ExportUsers
      const plan = {
        ...planList(scopeOf(request.actor), { ...filters, count: true }, 'ndjson', request.now),
        withGroups: scopeOf(request.actor),
      } as const
      const attributes = await attributeFilters(needs, filters)
      if (attributes !== undefined) plan.filters.attributes = attributes
      const leavePlace = takePlace()
      let snapshot: Snapshot | undefined
      try {
        const whole = { plan, withFactors, encryptionSecrets: encryptionSecrets(config) }
        snapshot = await storage.openSnapshot('users.export', whole, readRequest(reply))
        const users = snapshot.total ?? 0
        if (dry_run) {
          snapshot.close()
          leavePlace()
          return reply.header('dry-run', 'true').send({ users })
        }
        const { actor, now, id: requestId } = request
        await storage.change(
          'users.export',
          { users, withFactors },
          { actor, now, requestId, origin: originOf(request) },
        )
        reply.header('total-count', users).header('content-disposition', 'attachment; filename="users.ndjson.age"')
        const sealed = rechecked(seal(snapshot, passphrase), () => recheck(request))
        const stream = snapshotStream(sealed, limits)
        stream.once('close', leavePlace)
        return sendStream(reply.type('application/octet-stream'), stream, 'identity')
      } catch (error) {
        snapshot?.close()
        leavePlace()
        throw error
      }
    },
  })
}

/** Stops when the caller loses the permission. */
function rechecked(snapshot: Snapshot, check: () => void | Promise<void>): Snapshot {
  return {
    ...snapshot,
    async next() {
      await check()
      return snapshot.next()
    },
  }
}
