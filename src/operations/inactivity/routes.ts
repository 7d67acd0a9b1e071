import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isTooMany, mostNoticeDays } from '../../core/inactivity.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import { timestamp } from '../../lib/instant.ts'
import { checkRule } from '../policies/service.ts'
import type { InactivityPreview, PreviewInactivity } from './schema.ts'
import { findStop } from './stop.ts'

type Needs = Pick<HttpLayer, 'storage' | 'makeChange'>

const dayMs = 86_400_000

export function routes(app: FastifyInstance, { storage, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'preview_inactivity',
      method: 'POST',
      path: '/inactivity/preview',
      access: 'policies:read',
      scope: 'global',
      isRepeatable: true,
      description:
        'Returns who is disabled by an inactivity rule, and when, if they do not use their access. The rule need not be saved. Changes nothing. Needs the permission {access}, and `users:read`.',
      body: 'PreviewInactivity',
      returns: 'InactivityPreview',
      responses: { 200: 'Who is disabled, and when.' },
      problems: ['validation_failed', 'storage_unavailable'],
      example: { inactivity: { '*': { days: 90, notice_days: 14 } } },
    }),
    handler: preview,
  })

  app.route({
    ...operation({
      name: 'confirm_inactivity',
      method: 'POST',
      path: '/inactivity/confirmation',
      access: 'policies:write',
      scope: 'global',
      recent: true,
      description:
        'Lets a stopped run of the inactivity rule disable the users who are due now. It continues within a minute. Needs the permission {access}.',
      returns: 'InactivityStop',
      responses: { 200: 'The run that was confirmed.' },
      problems: ['inactivity_not_stopped'],
    }),
    async handler(request, reply) {
      return (await makeChange(request, reply, 'inactivity.confirm', { input: () => undefined })).result
    },
  })

  async function preview(request: FastifyRequest, reply: FastifyReply): Promise<InactivityPreview> {
    refuseWithout(request.actor, { access: 'users:read' }, 'POST')
    const { inactivity: inForce, roles } = storage.rules
    const { inactivity: unsaved, until, limit = 100 } = request.body as PreviewInactivity
    const rule = unsaved === undefined ? (inForce?.rule ?? null) : unsaved && checkRule({ roles }, unsaved)
    const { now } = request
    const untilMs = until === undefined ? now + (rule === null ? 0 : mostNoticeDays(rule) * dayMs) : Date.parse(until)
    const stopped = (await findStop(storage.db)) ?? null
    const common = { inactivity: rule, until: timestamp(untilMs), stopped }
    if (rule === null) {
      return { ...common, users: [], total: 0, active_users: 0, largest_run: 0, stops: false, spared: null }
    }
    // On PostgreSQL the last moment's commits are counted when they are settled.
    await storage.settleJournal()
    const policy = { since: inForce?.since ?? timestamp(now), rule }
    const found = await storage.query('inactivity.foresee', { policy, roles, now, untilMs, limit }, readRequest(reply))
    const { users, total, spared, active_users, largestRun } = found
    return {
      ...common,
      users: users.map(({ user, course }) => ({
        user_id: user.user_id,
        username: user.username,
        last_used_at: course.lastUseMs === undefined ? null : timestamp(course.lastUseMs),
        noticed: course.isNoticed,
        notice_at: timestamp(course.noticeMs),
        disable_at: timestamp(course.disableMs),
      })),
      total,
      active_users,
      largest_run: largestRun,
      stops: isTooMany(largestRun, active_users),
      spared,
    }
  }
}
