import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseNamedOrganization, scopeOf } from '../../core/scope.ts'
import {
  type AttributeCache,
  attributeFilters,
  changedValues,
  readDefinitions,
  refuseUniqueForMany,
} from '../../directory/attributes/service.ts'
import { refuseUnknownOrganization } from '../../directory/organizations/service.ts'
import { isPowerfulIfEnabled } from '../../directory/users/service.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { readRequest, sendStream } from '../../http/response/send-stream.ts'
import { refuseWhileDraining } from '../../http/server/lifecycle.ts'
import { linkPaths } from '../../record/mails/service.ts'
import type { KeptAnswerRequest } from '../../store/idempotency/service.ts'
import type { ChangeRequest } from '../../store/storage/storage.ts'
import { isPowerfulIfRestored } from '../deleted-users/service.ts'
import * as groups from '../groups/service.ts'
import { refuseUngrantableGroup } from '../groups/service.ts'
import * as answers from './answers.ts'
import { type Asked, type Outcome, readBulkChange } from './bulk-change.ts'
import { isMembership } from './memberships.ts'
import { countUsers, type Run, run } from './run.ts'
import { createRunningLimit } from './running-limit.ts'
import { type BulkChange, type BulkLine, type BulkQuery, bulkQuery } from './schema.ts'

type Needs = Pick<
  HttpLayer,
  'storage' | 'config' | 'clock' | 'idempotency' | 'lifecycle' | 'contextOf' | 'originOf' | 'recheck' | 'links'
> & {
  attributes: AttributeCache
}

export function routes(app: FastifyInstance, needs: Needs): void {
  const { storage, config, idempotency } = needs
  const running = createRunningLimit()
  app.route({
    ...operation({
      name: 'change_users',
      method: 'POST',
      path: '/users/bulk',
      access: 'users:write',
      scope: 'organization',
      recent: (request) => isSensitive(needs, request),
      description: answers.description,
      query: bulkQuery,
      body: 'BulkChange',
      responses: answers.changed,
      problems: ['malformed_json', 'body_too_large', 'list_too_costly', 'group_not_found', 'role_not_grantable'],
      example: answers.example,
    }),
    async handler(request, reply) {
      const { dry_run: dryRun = false, override = false, rows = 'all' } = request.query as BulkQuery
      const body = request.body as BulkChange
      const change = readBulkChange(
        body,
        { ...config, roles: storage.rules.roles },
        { scope: scopeOf(request.actor), now: request.now },
      )
      refuseUnlessAllowed(request, change)
      await refuseGroup(needs, request, change)
      await refuseValues(needs, change)
      if (change.filters !== undefined) {
        const attributes = await attributeFilters(needs, body.filter ?? {}, { pointer: (name) => `#/filter/${name}` })
        if (attributes !== undefined) change.filters.attributes = attributes
      }
      const repeatable = dryRun ? undefined : idempotency.read(request)
      const release = repeatable && idempotency.markRunning(repeatable)
      let leavePlace: (() => void) | undefined
      const stop = () => {
        release?.()
        leavePlace?.()
      }
      const sending = { stallMs: config.snapshotStallSeconds * 1000, onClose: stop }
      try {
        const stored = repeatable && (await storage.keptAnswer(repeatable))
        if (stored && 'result' in stored) {
          return send(reply.header('idempotency-replayed', 'true'), again(stored.result as Outcome), sending)
        }
        leavePlace = running.reserve(request.actor.id)
        const work: Run = {
          storage,
          rules: {
            roles: storage.rules.roles,
            disabledOrganizations: storage.rules.disabledOrganizations,
            sendsMail: config.smtpUrl !== undefined,
          },
          selection: change,
          dryRun,
          override,
          refusedOnly: rows === 'refused',
          startedAt: request.now,
          signal: readRequest(reply).signal as AbortSignal,
          request: () => askAgain(needs, request, change),
          urlOf: (token) => `${needs.links.issuer()}${linkPaths.invitation}/${token}`,
        }
        const total = await countUsers(work)
        if (body.action === 'invite') reply.header('cache-control', 'no-store')
        if (dryRun) reply.header('dry-run', 'true')
        return send(reply, linesOf(work, repeatable, total), sending)
      } catch (error) {
        stop()
        throw error
      }
    },
  })
}

/** Gives or returns power, or sends links that set a password. A filter may find any user. */
async function isSensitive({ contextOf }: Needs, request: FastifyRequest): Promise<boolean> {
  const { action, group_id, user_ids } = request.body as BulkChange
  const ctx = contextOf(request)
  if (group_id !== undefined) return groups.isPowerfulGroup(ctx, group_id.toLowerCase())
  if (action === 'set_role' || action === 'invite') return true
  if (action !== 'activate' && action !== 'set_expires_at' && action !== 'restore') return false
  if (user_ids === undefined) return true
  const isPowerful = action === 'restore' ? isPowerfulIfRestored : isPowerfulIfEnabled
  for (const user_id of user_ids) if (await isPowerful(ctx, user_id.toLowerCase())) return true
  return false
}

/** Before the response begins. @throws AppError `group_not_found`, `role_not_grantable` */
async function refuseGroup({ storage }: Needs, { actor }: FastifyRequest, { action }: Asked): Promise<void> {
  if (!isMembership(action)) return
  refuseUngrantableGroup(
    { actor, rules: storage.rules },
    await groups.getRow(storage.db, scopeOf(actor), action.group_id),
  )
}

/** Before the response begins: values that no user may be given. @throws AppError `validation_failed` */
async function refuseValues({ storage }: Needs, { action }: Asked): Promise<void> {
  if (action.action === 'set_organization' && action.organization_id !== null) {
    await refuseUnknownOrganization(storage.db, action.organization_id)
  }
  if (action.action !== 'set_attribute') return
  const definitions = await readDefinitions(storage.db)
  changedValues(definitions, { found: {}, input: { by: 'admin', values: action.values } })
  if (!action.isForOne) refuseUniqueForMany(definitions, action.values)
}

/** Checked again for each batch, because the work can take minutes. */
function refuseUnlessAllowed({ actor, method }: Pick<FastifyRequest, 'actor' | 'method'>, question: Asked): void {
  if (question.action.action === 'set_organization') refuseNamedOrganization(actor, question.action)
  // The matches of a filter reveal users.
  if (question.filters !== undefined) refuseWithout(actor, { access: 'users:read' }, method)
  if (question.filters?.group_id !== undefined) refuseWithout(actor, { access: 'groups:read' }, method)
  if (isMembership(question.action)) refuseWithout(actor, { access: 'groups:write' }, method)
  if (question.action.action === 'end_sessions') refuseWithout(actor, { access: 'sessions:write' }, method)
}

async function askAgain(
  { lifecycle, clock, recheck, originOf }: Needs,
  request: FastifyRequest,
  question: Asked,
): Promise<ChangeRequest> {
  refuseWhileDraining(lifecycle)
  request.now = clock()
  await recheck(request)
  refuseUnlessAllowed(request, question)
  const { actor, now, id: requestId } = request
  return { actor, now, requestId, origin: originOf(request) }
}

type Sending = {
  /** How long the client may take to read a line. */
  stallMs: number
  /** Called when the response has ended. */
  onClose(): void
}

/** Fails, which cuts the response, when the client stops reading. */
function send(reply: FastifyReply, lines: AsyncGenerator<BulkLine>, { stallMs, onClose }: Sending): FastifyReply {
  const stalled = () => stream.destroy(new Error('The client stopped reading.'))
  async function* watched() {
    for await (const line of lines) {
      const timer = setTimeout(stalled, stallMs)
      try {
        yield `${JSON.stringify(line)}\n`
      } finally {
        clearTimeout(timer)
      }
    }
  }
  const stream = Readable.from(watched(), { objectMode: false })
  // Here, because a generator that was never read runs no `finally`.
  stream.once('close', onClose)
  // A proxy that buffers the response would show nothing until the end.
  reply.type('application/x-ndjson; charset=utf-8').header('x-accel-buffering', 'no')
  return sendStream(reply, stream, 'identity')
}

async function* linesOf(work: Run, repeatable: KeptAnswerRequest | undefined, total: number): AsyncGenerator<BulkLine> {
  yield { type: 'begin', total }
  // Before the first change, which may take away the caller's own permission.
  const request = await work.request()
  const counts = yield* run(work)
  if (repeatable !== undefined)
    await work.storage.change('users.finish_bulk_change', { total, ...counts }, { ...request, responseKey: repeatable })
  yield { type: 'end', ...counts }
}

async function* again({ total, ...counts }: Outcome): AsyncGenerator<BulkLine> {
  yield { type: 'begin', total }
  yield { type: 'end', ...counts }
}
