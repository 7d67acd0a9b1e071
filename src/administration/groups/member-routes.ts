import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ListUsers } from '../../directory/users/schema.ts'
import { refuseWithout } from '../../http/endpoint/access.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { emptyUnlessSent } from '../../http/request/body.ts'
import { pathId } from '../../http/request/path-id.ts'
import { type ListNeeds, listProblems, sendList } from '../users-list/service.ts'
import * as answers from './answers.ts'
import * as groups from './groups.ts'
import { checkEndInput, checkMembersInput, groupIdOf } from './input.ts'
import { type ChangeMembers, listMembersSchema, type SetMember } from './schema.ts'

type Needs = ListNeeds & Pick<HttpLayer, 'contextOf' | 'makeChange'>

export function memberRoutes(app: FastifyInstance, needs: Needs): void {
  listMembers(app, needs)
  changeMembers(app, needs)
  setMember(app, needs)
  listGroupsOfUser(app, needs)
}

function listMembers(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'list_group_members',
      method: 'GET',
      path: '/groups/{group_id}/members',
      access: 'groups:read',
      scope: 'organization',
      description: answers.membersDescription,
      query: listMembersSchema,
      responses: answers.members,
      problems: [...listProblems, 'group_not_found'],
    }),
    async handler(request, reply) {
      refuseWithout(request.actor, { access: 'users:read' })
      const group = groupIdOf(request)
      await groups.get(needs.contextOf(request), group)
      const query: ListUsers = { ...(request.query as ListUsers), group }
      return sendList(needs, request, reply, { query, path: `/groups/${group}/members` })
    },
  })
}

function changeMembers(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'change_group_members',
      method: 'POST',
      path: '/groups/{group_id}/members',
      access: 'groups:write',
      scope: 'organization',
      recent: (request) => groups.isPowerfulGroup(contextOf(request), groupIdOf(request)),
      description: answers.changeMembersDescription,
      body: 'ChangeGroupMembers',
      returns: 'ChangedGroupMembers',
      responses: { 200: 'What happened to each id. In a dry run: what would happen.' },
      problems: ['group_not_found', 'role_not_grantable'],
      example: { add: ['019a9f3e-0000-7000-8000-000000000001'], remove: [] },
    }),
    async handler(request, reply) {
      const { result } = await makeChange(request, reply, 'groups.change_members', {
        input: () => ({ group_id: groupIdOf(request), ...checkMembersInput(request.body as ChangeMembers) }),
      })
      return result
    },
  })
}

function setMember(app: FastifyInstance, { contextOf, makeChange }: Needs): void {
  const common = {
    path: '/groups/{group_id}/members/{user_id}',
    access: 'groups:write',
    scope: 'organization',
    recent: (request: FastifyRequest) => groups.isPowerfulGroup(contextOf(request), groupIdOf(request)),
    returns: 'GroupMembership',
    responses: { 200: 'The membership after the change. In a dry run `changed` is false.' },
    problems: [
      'group_not_found',
      'user_not_found',
      'role_not_grantable',
      'user_outranks_caller',
      'last_admin',
      'last_organization_admin',
      'last_password_admin',
    ],
  } as const
  const operations = [
    {
      member: true,
      ...operation({
        ...common,
        name: 'add_group_member',
        method: 'PUT',
        description: answers.addDescription,
        body: 'SetGroupMember',
        isBodyOptional: true,
        example: { expires_at: '2099-12-31T23:59:59Z' },
      }),
    },
    {
      member: false,
      ...operation({
        ...common,
        name: 'remove_group_member',
        method: 'DELETE',
        description: answers.removeDescription,
      }),
    },
  ]
  for (const { member, ...options } of operations) {
    app.route({
      ...options,
      ...(member && { preValidation: emptyUnlessSent }),
      async handler(request, reply) {
        const { result, dryRun } = await makeChange(request, reply, 'groups.set_member', {
          input: () => ({
            group_id: groupIdOf(request),
            user_id: pathId(request, 'user_id'),
            member,
            ...(member && checkEndInput(request.body as SetMember)),
          }),
        })
        return { ...result, changed: result.changed && !dryRun }
      },
    })
  }
}

function listGroupsOfUser(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_groups_of_user',
      method: 'GET',
      path: '/users/{user_id}/groups',
      access: 'groups:read',
      scope: 'organization',
      description: answers.ofUserDescription,
      returns: 'GroupOfUser[]',
      responses: { 200: 'The groups of the user.' },
      problems: ['user_not_found'],
    }),
    handler: (request) => groups.listOfUser(contextOf(request), pathId(request, 'user_id')),
  })
}
