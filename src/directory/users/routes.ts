import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memberFault, validationFailed } from '../../core/errors.ts'
import { writeQuery } from '../../http/endpoint/change.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { operation } from '../../http/endpoint/operation.ts'
import { ownAccountProblems } from '../../http/endpoint/problem-lists.ts'
import { etag, replayed, text } from '../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion, isNotModified } from '../../http/request/conditional.ts'
import { pathId } from '../../http/request/path-id.ts'
import { linkPaths, newToken, tokenHashOf } from '../../record/mails/service.ts'
import type { Hasher } from '../passwords/service.ts'
import * as answers from './answers.ts'
import { checkUserInput } from './input.ts'
import { type PasswordNames, passwordHashFor } from './password.ts'
import { passwordRoutes } from './password-routes.ts'
import { isPowerful } from './rights.ts'
import { type CreateUser, overrideParameter, type UpdateUser } from './schema.ts'
import * as users from './users.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof userRoutes>[1] & Parameters<typeof passwordRoutes>[1],
): void {
  userRoutes(app, needs)
  passwordRoutes(app, needs)
}

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links' | 'storage'> & { hasher: Hasher }

const takenProblems = ['username_taken', 'email_taken', 'external_id_taken'] as const

const updateQuery = {
  ...writeQuery,
  properties: {
    ...writeQuery.properties,
    ...overrideParameter,
  },
} as const

function userRoutes(app: FastifyInstance, needs: Needs): void {
  createUser(app, needs)
  getUser(app, needs)
  updateUser(app, needs)
}

function createUser(app: FastifyInstance, needs: Needs): void {
  const { storage, contextOf, makeChange, links } = needs
  app.route({
    ...operation({
      name: 'create_user',
      method: 'POST',
      path: '/users',
      access: 'users:write',
      scope: 'organization',
      recent: (request) => {
        const { role = 'user' } = request.body as CreateUser
        return isPowerful(contextOf(request), { role })
      },
      description: answers.createDescription,
      body: 'CreateUser',
      returns: 'CreatedUser',
      sendsText: true,
      etag: 'user',
      responses: {
        200: 'Dry run: the user as it would be created.',
        201: {
          description: 'The user was created.',
          headers: { ...etag('user'), Location: text('The URL of the new user.'), ...replayed },
        },
      },
      problems: [...takenProblems, 'role_not_grantable', 'user_not_invitable', 'password_refused', 'too_many_mails'],
      example: answers.createExample,
    }),
    async handler(request, reply) {
      const { invite, ...body } = request.body as CreateUser
      if (invite === 'true') return createInvited(needs, request, reply, body)
      const { result, dryRun } = await makeChange(request, reply, 'users.create', {
        async input() {
          const input = checkUserInput(body, storage.rules.roles)
          return { ...input, ...(await hashed(needs, request, body)) }
        },
      })
      if (dryRun) return sendDocument(reply, result)
      return sendUser(reply.code(201).header('location', links.to(`/users/${result.user_id}`)), result)
    },
  })
}

async function createInvited(
  { storage, makeChange, links }: Needs,
  request: FastifyRequest,
  reply: FastifyReply,
  body: CreateUser,
): Promise<FastifyReply> {
  if (body.password !== undefined) {
    const detail = 'A user with a password is not invited. Leave out either invite or password.'
    throw validationFailed([memberFault('invite', 'not_together', detail)])
  }
  const token = newToken()
  const { result, dryRun } = await makeChange(request, reply, 'links.create_invited', {
    input: () => ({ input: checkUserInput(body, storage.rules.roles), token_hash: tokenHashOf(token) }),
  })
  const { shown, ...invitation } = result.invitation
  reply.header('cache-control', 'no-store')
  // A stored response has no link, and this token is another one than that of the first response.
  const isFirst = reply.getHeader('idempotency-replayed') === undefined
  const url = `${links.issuer()}${linkPaths.invitation}/${token}`
  const invitationBody = {
    ...invitation,
    sent: invitation.sent && !dryRun,
    ...(shown && isFirst && !dryRun && { url }),
  }
  const document = `${result.document.slice(0, -1)},"invitation":${JSON.stringify(invitationBody)}}`
  if (dryRun) return sendDocument(reply, { ...result, document })
  reply.code(201).header('location', links.to(`/users/${result.user_id}`))
  return sendUser(reply, { ...result, document })
}

function getUser(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'get_user',
      method: 'GET',
      path: '/users/{user_id}',
      access: 'users:read',
      scope: 'organization',
      description: answers.getDescription,
      returns: 'User',
      sendsText: true,
      etag: 'user',
      responses: { 200: 'The user.', 304: 'The user has not changed since this `If-None-Match`.' },
      problems: ['user_not_found'],
    }),
    async handler(request, reply) {
      const found = await users.get(contextOf(request), pathId(request, 'user_id'))
      const etag = etagOf(found.version)
      reply.header('etag', etag)
      return isNotModified(request, etag) ? reply.code(304).send() : sendDocument(reply, found)
    },
  })
}

function updateUser(app: FastifyInstance, needs: Needs): void {
  const { config, storage, contextOf, makeChange } = needs
  app.route({
    ...operation({
      name: 'update_user',
      method: 'PATCH',
      path: '/users/{user_id}',
      access: 'users:write',
      scope: 'organization',
      recent: async (request) => {
        const body = request.body as UpdateUser
        if (changesCredentials(body)) return true
        const mayEnable = body.active === true || body.expires_at !== undefined
        return mayEnable && users.isPowerfulIfEnabled(contextOf(request), pathId(request, 'user_id'))
      },
      description: answers.updateDescription,
      query: updateQuery,
      body: 'UpdateUser',
      returns: 'UpdatedUser',
      sendsText: true,
      etag: 'user',
      responses: { 200: 'The changed user. In a dry run: the user as it would be, without an ETag.' },
      problems: [
        ...takenProblems,
        'user_not_found',
        'last_admin',
        'last_organization_admin',
        'last_password_admin',
        'role_not_grantable',
        'user_outranks_caller',
        ...ownAccountProblems,
        'password_refused',
        'managed_elsewhere',
      ],
      example: { first_name: 'Augusta', active: true },
    }),
    async handler(request, reply) {
      const body = request.body as UpdateUser
      const user_id = pathId(request, 'user_id')
      const { result, dryRun } = await makeChange(request, reply, 'users.update', {
        async input() {
          const expected = expectedVersion(request, config)
          const input = checkUserInput(body, storage.rules.roles)
          const { override = false } = request.query as { override?: boolean }
          if (body.password === undefined) return { user_id, input, expected, override }
          const known = await users.getForChange(contextOf(request), user_id, { expected, part: 'password' })
          return { user_id, input: { ...input, ...(await hashed(needs, request, body, known)) }, expected, override }
        },
      })
      const { move } = result
      const document = move ? `${result.document.slice(0, -1)},"move":${JSON.stringify(move)}}` : result.document
      return dryRun ? sendDocument(reply, { ...result, document }) : sendUser(reply, { ...result, document })
    },
  })
}

function hashed(
  { hasher, config }: Needs,
  request: FastifyRequest,
  body: CreateUser | UpdateUser,
  known: PasswordNames = {},
): ReturnType<typeof passwordHashFor> {
  const dryRun = (request.query as { dry_run?: boolean }).dry_run ?? false
  return passwordHashFor(hasher, { body, known, productName: config.productName, dryRun })
}

function sendUser(reply: FastifyReply, user: users.UserDocument): FastifyReply {
  return sendDocument(reply.header('etag', etagOf(user.version)), user)
}

/** Alone for a dry run: the ETag would be that of another caller's later change, which this client has never seen. */
function sendDocument(reply: FastifyReply, { document }: users.UserDocument): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(document)
}

/** Members that would let an attacker in or escalate: the role, and everything used to sign in or to reach the user. */
function changesCredentials({ role, email, password }: UpdateUser): boolean {
  return role !== undefined || email !== undefined || password !== undefined
}
