import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scopeOf } from '../../core/scope.ts'
import { mayGrant } from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion, unlessKnown } from '../../http/request/conditional.ts'
import { readRequest } from '../../http/response/send-stream.ts'
import type { Db } from '../../store/db/db.ts'
import * as answers from './answers.ts'
import { checkRoleInput } from './input.ts'
import { toRole, toRoles } from './list.ts'
import { replaceSoon } from './replacement.ts'
import { countHolders, roleNotFound } from './roles.ts'
import type { CreateRole, Role, UpdateRole } from './schema.ts'
import * as store from './store.ts'

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'clock' | 'log' | 'links' | 'makeChange' | 'originOf'>

export function routes(app: FastifyInstance, needs: Needs): void {
  listRoles(app, needs)
  createRole(app, needs)
  getRole(app, needs)
  updateRole(app, needs)
  deleteRole(app, needs)
}

const deleteQuery = {
  ...overrideQuery,
  properties: {
    ...overrideQuery.properties,
    replace_with: { type: 'string', maxLength: 64, description: 'The role that users and groups with this one get.' },
  },
} as const

const changeProblems = [
  ...(['role_not_found', 'role_built_in', 'managed_elsewhere', 'role_not_grantable'] as const),
  ...(['role_in_use', 'last_admin', 'last_password_admin'] as const),
] as const

/** Counting the roles of a million users takes a tenth of a second, and pages ask repeatedly. */
const [manyUsers, countedMs] = [50_000, 10_000]

function listRoles(app: FastifyInstance, { storage, clock }: Needs): void {
  let known: { counts: readonly store.RoleCount[]; atMs: number } | undefined

  async function countsFor(reply: FastifyReply): Promise<readonly store.RoleCount[]> {
    const scope = scopeOf(reply.request.actor)
    if (scope.kind !== 'everyone') return storage.query('roles.count_holders', scope, readRequest(reply))
    const now = clock()
    const users = known?.counts.reduce((sum, count) => sum + count.users, 0) ?? 0
    if (known !== undefined && users > manyUsers && Math.abs(now - known.atMs) < countedMs) return known.counts
    const counts = await storage.query('roles.count_holders', scope, readRequest(reply))
    known = { counts, atMs: now }
    return counts
  }

  app.route({
    ...operation({
      name: 'list_roles',
      method: 'GET',
      path: '/roles',
      access: 'users:read',
      scope: 'organization',
      description: answers.listDescription,
      returns: 'Role[]',
      responses: {
        200: 'Every role. To a caller whose permission is limited to their organization: those that they could give.',
      },
      problems: ['overloaded', 'storage_unavailable'],
    }),
    async handler({ actor }, reply) {
      const counts = await countsFor(reply)
      const rows = await store.listRoles(storage.db)
      const all = toRoles({ rules: storage.rules, rows, counts }).map(({ role }) => role)
      return all.filter(({ role }) => isVisible(storage, actor, role))
    },
  })
}

function createRole(app: FastifyInstance, { storage, makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_role',
      method: 'POST',
      path: '/roles',
      access: 'roles:write',
      scope: 'global',
      recent: true,
      description: answers.createDescription,
      body: 'CreateRole',
      returns: 'Role',
      etag: 'role',
      responses: {
        200: 'Dry run: the role as it would be created.',
        201: { description: 'The role was created.', addedHeaders: { Location: text('The URL of the role.') } },
      },
      problems: ['role_taken', 'role_not_grantable', 'too_many_roles'],
      example: answers.createExample,
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'roles.create', {
        input: () => checkRoleInput(request.body as CreateRole),
      })
      if (!dryRun) reply.code(201).header('location', links.to(`/roles/${result.role}`))
      return sendRole(reply, { storage, row: result, dryRun })
    },
  })
}

function getRole(app: FastifyInstance, { storage }: Needs): void {
  app.route({
    ...operation({
      name: 'get_role',
      method: 'GET',
      path: '/roles/{role}',
      access: 'users:read',
      scope: 'organization',
      description: answers.getDescription,
      returns: 'Role',
      etag: 'role',
      responses: { 200: 'The role.', 304: 'The role has not changed since this `If-None-Match`.' },
      problems: ['role_not_found'],
    }),
    async handler(request, reply) {
      const role = nameOf(request)
      const isConfigured = Object.hasOwn(storage.rules.configuredRoles, role)
      const row = isConfigured ? undefined : await store.findRole(storage.db, role)
      if (!isVisible(storage, request.actor, role)) throw roleNotFound()
      const { users, groups } = await countOf(storage.db, request, role)
      if (!isConfigured && row === undefined && users + groups === 0) throw roleNotFound()
      const found = toRole(storage.rules, { role, row, count: { role, users, groups } })
      return unlessKnown(reply, found.version, found.role)
    },
  })
}

function updateRole(app: FastifyInstance, { config, storage, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'update_role',
      method: 'PATCH',
      path: '/roles/{role}',
      access: 'roles:write',
      scope: 'global',
      recent: true,
      description: answers.updateDescription,
      query: overrideQuery,
      body: 'UpdateRole',
      returns: 'Role',
      etag: 'role',
      responses: { 200: 'The changed role. In a dry run: the role as it would be, without an ETag.' },
      problems: [...changeProblems, 'too_many_roles'],
      example: { permissions: ['users:read'] },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'roles.update', {
        input: () => ({
          role: nameOf(request),
          expected: expectedVersion(request, config),
          input: checkRoleInput(request.body as UpdateRole),
          override: overrides(request),
        }),
      })
      return sendRole(reply, { storage, row: result, dryRun })
    },
  })
}

function deleteRole(app: FastifyInstance, { config, storage, log, makeChange, originOf }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_role',
      method: 'DELETE',
      path: '/roles/{role}',
      access: 'roles:write',
      scope: 'global',
      recent: true,
      description: answers.deleteDescription,
      query: deleteQuery,
      returns: 'ConfirmationOfRoleDeletion',
      etag: 'role',
      responses: {
        200: { description: 'The role was deleted. In a dry run `deleted` is false.' },
        202: { description: 'The role is being replaced, and will be deleted.' },
      },
      problems: [...changeProblems, 'too_many_roles'],
    }),
    async handler(request, reply) {
      const role = nameOf(request)
      const { replace_with } = request.query as { replace_with?: string }
      const { result, dryRun } = await makeChange(request, reply, 'roles.delete', {
        input: () => ({
          role,
          replace_with,
          expected: expectedVersion(request, config),
          override: overrides(request),
        }),
      })
      if (dryRun) return { ...result, deleted: false }
      if (result.deleted) return result
      const { actor, now, id: requestId } = request
      const deleted = await replaceSoon(role, {
        storage,
        log,
        request: { actor, now, requestId, origin: originOf(request) },
      })
      if (!deleted) reply.code(202)
      return { ...result, deleted }
    },
  })
}

/** A limited caller sees the roles that they could give. */
function isVisible({ rules }: Needs['storage'], actor: FastifyRequest['actor'], role: string): boolean {
  if (actor.limitedTo === undefined) return true
  const isInForce = Object.hasOwn(rules.roles, role) && !rules.closedRoles.includes(role)
  return isInForce && mayGrant({ actor, rules }, role)
}

/** How many in the scope of the call hold this role. */
async function countOf(db: Db, { actor }: FastifyRequest, role: string): Promise<{ users: number; groups: number }> {
  const scope = scopeOf(actor)
  if (scope.kind === 'everyone') {
    const { user_count, group_count } = await countHolders({ db }, role)
    return { users: user_count, groups: group_count }
  }
  const held = await store.countHolders(db, scope)
  return held.find((count) => count.role === role) ?? { users: 0, groups: 0 }
}

type Changed = Pick<Needs, 'storage'> & { row: store.RoleRow; dryRun: boolean }

async function sendRole(reply: FastifyReply, { storage, row, dryRun }: Changed): Promise<Role> {
  const { role, version } = row
  if (!dryRun) reply.header('etag', etagOf(version))
  const { user_count: users, group_count: groups } = await countHolders(storage, role)
  return toRole(storage.rules, { role, row, count: { role, users, groups } }).role
}

/** No role has another form, and PostgreSQL refuses a NUL. */
function nameOf({ params }: FastifyRequest): string {
  const { role } = params as { role: string }
  return /^[a-z][a-z0-9_-]*$/.test(role) ? role : ''
}
