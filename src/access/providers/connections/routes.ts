import type { FastifyInstance } from 'fastify'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { permits, scopeOf } from '../../../core/scope.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { noParameters, operation } from '../../../http/endpoint/operation.ts'
import { overrideQuery, overrides } from '../../../http/endpoint/override.ts'
import { etag, text } from '../../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion, refuseOtherVersion, withETag } from '../../../http/request/conditional.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { sealingSecret } from '../../../store/secrets/encryption.ts'
import * as answers from './answers.ts'
import * as connections from './connections.ts'
import { identityRoutes } from './identity-routes.ts'
import { addressOf } from './issuer-address.ts'
import type { Claims } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import type { Prepare, Probe } from './preparation.ts'
import {
  type CreateSignInConnection,
  failuresQuerySchema,
  type SignInTrial,
  type TestSignInConnection,
  type UpdateSignInConnection,
} from './schema.ts'
import { apart, usableSecrets } from './secrets.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof connectionRoutes>[1] & Parameters<typeof identityRoutes>[1],
): void {
  connectionRoutes(app, needs)
  identityRoutes(app, needs)
}

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links' | 'storage'> & {
  /** Completes what an operator sends: reads metadata, asks a server what it can do. */
  providers: { prepare: Prepare; probe: Probe }
}

const path = '/connections/{connection_id}'
/** The metadata of a SAML provider, as a JSON text. */
const bodyLimit = 400_000

function connectionRoutes(app: FastifyInstance, needs: Needs): void {
  readRoutes(app, needs)
  createRoute(app, needs)
  updateRoute(app, needs)
  deleteRoute(app, needs)
  testRoute(app, needs)
  failuresRoute(app, needs)
}

function readRoutes(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'list_sign_in_connections',
      method: 'GET',
      path: '/connections',
      access: 'connections:read',
      scope: 'organization',

      description: 'Lists the companies and other identity providers through which users sign in.',
      returns: 'SignInConnection[]',
      responses: { 200: 'Every connection, in the order of the buttons.' },
    }),
    async handler(request) {
      const found = await connections.list(contextOf(request))
      return found.map((one) => withAddress(links, one))
    },
  })

  app.route({
    ...operation({
      name: 'get_sign_in_connection',
      method: 'GET',
      path,
      access: 'connections:read',
      scope: 'organization',

      description: 'Returns one connection, without its secret.',
      returns: 'SignInConnection',
      etag: 'connection',
      responses: { 200: 'The connection.' },
      problems: ['connection_not_found'],
    }),
    async handler(request, reply) {
      const found = await connections.get(contextOf(request), pathId(request, 'connection_id'))
      // Never 304: how many users linked it changes without a new version.
      refuseOtherVersion(request, etagOf(found.version))
      return withETag(reply, found.version, withAddress(links, found.connection))
    },
  })
}

function createRoute(app: FastifyInstance, { config, contextOf, makeChange, links, providers }: Needs): void {
  const newId = uuidv7Maker()
  app.route({
    bodyLimit,
    ...operation({
      name: 'create_sign_in_connection',
      method: 'POST',
      path: '/connections',
      access: 'connections:write',
      scope: 'organization',
      recent: true,
      description: answers.createDescription,
      body: 'CreateSignInConnection',
      returns: 'SignInConnection',
      etag: 'connection',
      responses: {
        200: { description: 'Dry run: the connection as it would be.' },
        201: { description: 'The connection.', headers: { Location: text('Its path.'), ...etag('connection') } },
      },
      problems: ['connection_name_taken', 'too_many_connections', 'role_not_grantable', 'last_password_admin'],
      example: {
        kind: 'oidc',
        preset: 'okta',
        name: 'Example Inc.',
        issuer: 'https://example.okta.com',
        client_id: '0oa1example',
        client_secret: 'from the provider',
        trusted_domains: ['example.com'],
      },
    }),
    async handler(request, reply) {
      const { result, dryRun } = await makeChange(request, reply, 'sign_in_connections.create', {
        input: async () => {
          connections.refuseUnlessMayEdit(contextOf(request))
          const body = request.body as CreateSignInConnection
          const prepared = (await providers.prepare(body.kind, body, undefined)) as CreateSignInConnection
          const connection_id = newId(request.now)
          return {
            connection_id,
            ...apart(prepared, connection_id, await sealingSecret(contextOf(request).db, config)),
          }
        },
      })
      const connection = withAddress(links, result.connection)
      if (dryRun) return connection
      reply.code(201).header('location', links.to(`/connections/${connection.connection_id}`))
      return withETag(reply, result.version, connection)
    },
  })
}

function updateRoute(app: FastifyInstance, { config, contextOf, makeChange, links, providers }: Needs): void {
  app.route({
    bodyLimit,
    ...operation({
      name: 'update_sign_in_connection',
      method: 'PATCH',
      path,
      access: 'connections:write',
      scope: 'organization',
      recent: true,
      description: answers.updateDescription,
      query: overrideQuery,
      body: 'UpdateSignInConnection',
      returns: 'SignInConnection',
      etag: 'connection',
      responses: { 200: { description: 'The connection.', headers: { ...etag('connection') } } },
      problems: [
        'connection_not_found',
        'connection_name_taken',
        'role_not_grantable',
        'last_password_admin',
        'managed_elsewhere',
      ],
      example: { trusted_domains: ['example.com', 'example.org'] },
    }),
    async handler(request, reply) {
      const connection_id = pathId(request, 'connection_id')
      const { result, dryRun } = await makeChange(request, reply, 'sign_in_connections.update', {
        input: async () => {
          const expected = expectedVersion(request, config)
          const ctx = contextOf(request)
          const { db, actor } = ctx
          connections.refuseUnlessMayEdit(ctx)
          const found = await connections.getRow(db, scopeOf(actor), connection_id)
          const before = { secrets: usableSecrets(found.secrets) }
          const prepared = await providers.prepare(found.kind, request.body as UpdateSignInConnection, before)
          const encryptionSecret = await sealingSecret(db, config)
          return {
            connection_id,
            expected,
            override: overrides(request),
            ...apart(prepared as UpdateSignInConnection, connection_id, encryptionSecret),
          }
        },
      })
      const connection = withAddress(links, result.connection)
      return dryRun ? connection : withETag(reply, result.version, connection)
    },
  })
}

function deleteRoute(app: FastifyInstance, { config, makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'delete_sign_in_connection',
      method: 'DELETE',
      path,
      access: 'connections:write',
      scope: 'organization',
      recent: true,
      description: answers.deleteDescription,
      query: overrideQuery,
      returns: 'ConfirmationOfSignInConnectionDeletion',
      etag: 'connection',
      responses: { 200: { description: 'The connection was deleted.' } },
      problems: ['connection_not_found', 'role_not_grantable', 'last_password_admin', 'managed_elsewhere'],
    }),
    async handler(request, reply) {
      const connection_id = pathId(request, 'connection_id')
      const { result, dryRun } = await makeChange(request, reply, 'sign_in_connections.delete', {
        input: () => ({
          connection_id,
          expected: expectedVersion(request, config),
          override: overrides(request),
        }),
      })
      return { connection_id, deleted: !dryRun, ...result }
    },
  })
}

function testRoute(app: FastifyInstance, { contextOf, providers, storage }: Needs): void {
  app.route({
    ...operation({
      name: 'test_sign_in_connection',
      method: 'POST',
      path: `${path}/test`,
      access: 'connections:read',
      scope: 'organization',
      description: answers.testDescription,
      query: noParameters,
      body: 'TestSignInConnection',
      returns: 'SignInTrial',
      responses: { 200: { description: 'What would happen, claim by claim.' } },
      problems: ['connection_not_found', 'permission_denied'],
      example: { claims: { sub: '00u1', email: 'ada@example.com', email_verified: true, given_name: 'Ada' } },
    }),
    async handler(request) {
      const { db, actor } = contextOf(request)
      if (!permits(actor, 'users:read')) {
        throw new AppError(
          'permission_denied',
          'The response shows users, so this request also needs the permission users:read.',
        )
      }
      const { claims, username } = request.body as TestSignInConnection
      const connection = await connections.getRow(db, scopeOf(actor), pathId(request, 'connection_id'))
      const { connection_id } = connection
      const tryOut = async (claims: Claims): Promise<SignInTrial> => {
        const change = { actor, now: request.now, requestId: request.id, dryRun: true }
        return (await storage.change('company_sign_ins.try', { connection_id, claims }, change)).result
      }
      if (claims !== undefined) return tryOut(claims)
      if (!permits(actor, 'connections:write')) {
        throw new AppError(
          'permission_denied',
          'This queries the directory, so it needs the permission connections:write as well.',
        )
      }
      const probed = await providers.probe(connection, username)
      if (probed === undefined) throw validationFailed([memberFault('claims', 'missing_member', 'Send claims to try.')])
      const { detail, reason } = probed
      if (reason !== undefined) return { outcome: 'refused', reason, detail, claims: [] } satisfies SignInTrial
      if (probed.claims === undefined)
        return { outcome: 'reachable', detail, found: detail, claims: [] } satisfies SignInTrial
      const trial = await tryOut(probed.claims)
      return { ...trial, found: detail, detail: `${detail} ${trial.detail}` }
    },
  })
}

function failuresRoute(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_sign_in_failures',
      method: 'GET',
      path: `${path}/failures`,
      access: 'connections:read',
      scope: 'organization',
      description: answers.failuresDescription,
      query: failuresQuerySchema,
      returns: 'SignInFailure[]',
      responses: { 200: 'The failures, the latest first.' },
      problems: ['connection_not_found'],
    }),
    async handler(request) {
      const { limit = 100 } = request.query as { limit?: number }
      const found = await connections.listFailures(contextOf(request), pathId(request, 'connection_id'), limit)
      // Claims are personal data.
      return permits(request.actor, 'users:read') ? found : found.map((one) => ({ ...one, claims: [] }))
    },
  })
}

function withAddress(links: HttpLayer['links'], connection: connections.Shown) {
  return { ...connection, ...kindOf(connection.kind).addresses(addressOf(links, connection.connection_id)) }
}
