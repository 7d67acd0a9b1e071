import type { FastifyInstance } from 'fastify'
import { scopeOf } from '../../core/scope.ts'
import { cursorAt, exactly, namedFilters, planList } from '../../directory/named-resources/service.ts'
import { isPowerful } from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { linkToNext } from '../../http/endpoint/next-page.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../http/endpoint/override.ts'
import { text } from '../../http/endpoint/response-parts.ts'
import { expectedVersion, unlessKnown, withETag } from '../../http/request/conditional.ts'
import * as answers from './answers.ts'
import * as groups from './groups.ts'
import { checkGroupInput, groupIdOf } from './input.ts'
import { memberRoutes } from './member-routes.ts'
import { type CreateGroup, type ListGroups, listGroupsSchema, type UpdateGroup } from './schema.ts'
import type { GroupFilters, SortColumn } from './store.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof groupRoutes>[1] & Parameters<typeof memberRoutes>[1],
): void {
  groupRoutes(app, needs)
  memberRoutes(app, needs)
}

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links' | 'storage'>

const takenProblems = ['group_name_taken', 'external_id_taken'] as const
const ruleProblems = [
  'group_not_found',
  'role_not_grantable',
  'user_outranks_caller',
  'last_admin',
  'last_organization_admin',
  'last_password_admin',
] as const

function groupRoutes(app: FastifyInstance, needs: Needs): void {
  listGroups(app, needs)
  createGroup(app, needs)
  getGroup(app, needs)
  updateGroup(app, needs)
  deleteGroup(app, needs)
}

function listGroups(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_groups',
      method: 'GET',
      path: '/groups',
      access: 'groups:read',
      scope: 'organization',
      description: answers.listDescription,
      query: listGroupsSchema,
      returns: 'Group[]',
      responses: { 200: 'A page of groups.' },
    }),
    async handler(request, reply) {
      const query = request.query as ListGroups
      const plan = planList(query, columns, ['member_count'])
      const { groups: found, next } = await groups.list(contextOf(request), {
        ...plan,
        q: query.q,
        filters: filtersOf(query),
      })
      linkToNext(reply, links, '/groups', { limit: plan.limit, cursor: next && cursorAt(query, next) })
      return found
    },
  })
}

const columns = {
  name: 'name_key',
  created_at: 'created_at',
  member_count: 'member_count',
} as const satisfies Record<string, SortColumn>

function filtersOf({ role, organization, ...query }: ListGroups): GroupFilters {
  return {
    ...namedFilters(query),
    ...(role !== undefined && { role: exactly(role) }),
    ...(organization !== undefined && { organization_id: exactly(organization.toLowerCase()) }),
  }
}

function createGroup(app: FastifyInstance, { storage, contextOf, makeChange, links }: Needs): void {
  app.route({
    ...operation({
      name: 'create_group',
      method: 'POST',
      path: '/groups',
      access: 'groups:write',
      scope: 'organization',
      recent(request) {
        const {
          name = '',
          name_key = '',
          role = null,
        } = checkGroupInput(request.body as CreateGroup, storage.rules.roles)
        return isPowerful(contextOf(request), { groups: [{ name, name_key, role }] })
      },
      description: answers.createDescription,
      body: 'CreateGroup',
      returns: 'Group',
      etag: 'group',
      responses: {
        200: 'Dry run: the group as it would be created.',
        201: { description: 'The group was created.', addedHeaders: { Location: text('The URL of the new group.') } },
      },
      problems: [...takenProblems, 'role_not_grantable'],
      example: answers.createExample,
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'groups.create', {
        input: () => checkGroupInput(request.body as CreateGroup, storage.rules.roles),
      })
      if (dryRun) return result.group
      reply.code(201).header('location', links.to(`/groups/${result.group.group_id}`))
      return withETag(reply, result.version, result.group)
    },
  })
}

function getGroup(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_group',
      method: 'GET',
      path: '/groups/{group_id}',
      access: 'groups:read',
      scope: 'organization',
      description: answers.getDescription,
      returns: 'Group',
      etag: 'group',
      responses: { 200: 'The group.', 304: 'The group has not changed since this `If-None-Match`.' },
      problems: ['group_not_found'],
    }),
    async handler(request, reply) {
      const found = await groups.get(contextOf(request), groupIdOf(request))
      return unlessKnown(reply, found.version, found.group)
    },
  })
}

function updateGroup(app: FastifyInstance, { config, storage, contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'update_group',
      method: 'PATCH',
      path: '/groups/{group_id}',
      access: 'groups:write',
      scope: 'organization',
      async recent(request) {
        const ctx = contextOf(request)
        const found = await groups.getRow(ctx.db, scopeOf(ctx.actor), groupIdOf(request))
        const next = { ...found, ...checkGroupInput(request.body as UpdateGroup, storage.rules.roles) }
        if (next.role === found.role && next.name_key === found.name_key) return false
        return isPowerful(ctx, { groups: [found, next] })
      },
      description: answers.updateDescription,
      query: overrideQuery,
      body: 'UpdateGroup',
      returns: 'Group',
      etag: 'group',
      responses: { 200: 'The changed group. In a dry run: the group as it would be, without an ETag.' },
      problems: [...takenProblems, ...ruleProblems, 'group_in_policy', 'managed_elsewhere'],
      example: { description: 'Answers customers, day and night' },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'groups.update', {
        input: () => ({
          group_id: groupIdOf(request),
          expected: expectedVersion(request, config),
          input: checkGroupInput(request.body as UpdateGroup, storage.rules.roles),
          override: overrides(request),
        }),
      })
      return dryRun ? result.group : withETag(reply, result.version, result.group)
    },
  })
}

function deleteGroup(app: FastifyInstance, { config, contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_group',
      method: 'DELETE',
      path: '/groups/{group_id}',
      access: 'groups:write',
      scope: 'organization',
      recent: (request) => groups.isPowerfulGroup(contextOf(request), groupIdOf(request)),
      description: answers.deleteDescription,
      query: overrideQuery,
      returns: 'ConfirmationOfGroupDeletion',
      etag: 'group',
      responses: { 200: 'The group was deleted. In a dry run `deleted` is false.' },
      problems: [...ruleProblems, 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      const group_id = groupIdOf(request)
      const { dryRun } = await makeChange(request, reply, 'groups.delete', {
        input: () => ({ group_id, expected: expectedVersion(request, config), override: overrides(request) }),
      })
      return { group_id, deleted: !dryRun }
    },
  })
}
