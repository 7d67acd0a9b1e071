import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, organizationOf } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { knownPermissions } from '../../../core/permissions.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { readConditionProblems } from '../../../http/endpoint/problem-lists.ts'
import { emptyUnlessSent } from '../../../http/request/body.ts'
import { isNotModified } from '../../../http/request/conditional.ts'
import type { Credential, LookUp } from '../../../http/request/credential.ts'
import { acceptForms } from '../../../http/request/forms.ts'
import type { Target } from '../../../store/journal-entry.ts'
import type { ClaimedCredential } from './claims.ts'
import { introspect, refuseRevoking } from './introspection.ts'
import { describeIssuer } from './metadata.ts'
import type { RequestToken, RotateSigningKeys, TokenInQuestion } from './schema.ts'
import * as signingKeys from './signing-keys.ts'
import type { Tokens } from './tokens.ts'

/** RFC 8414 §3 and the JWKS: public, and the same for everyone. */
const published = 'public, max-age=300'

const unchanged = { 304: { description: 'Unchanged since this `If-None-Match`.' } }
const keySet = {
  200: {
    description: 'The keys.',
    content: {
      'application/jwk-set+json': {
        schema: {
          type: 'object',
          required: ['keys'],
          properties: { keys: { type: 'array', items: { type: 'object' } } },
        },
      },
    },
  },
  ...unchanged,
}
const described = {
  type: 'object',
  required: ['issuer', 'jwks_uri'],
  properties: { issuer: { type: 'string', format: 'uri' }, jwks_uri: { type: 'string', format: 'uri' } },
}
const issuerDescription = {
  200: {
    description: 'The description.',
    content: { 'application/json': { schema: described } },
  },
  ...unchanged,
}

type Needs = Pick<HttpLayer, 'storage' | 'links' | 'cookies' | 'contextOf' | 'makeChange'> & {
  tokens: Tokens
  lookUp: LookUp<ClaimedCredential>
}

export function routes(app: FastifyInstance, needs: Needs): void {
  issueRoute(app, needs)
  publicRoutes(app, needs)
  signingKeyRoutes(app, needs)
  app.register(async (scope) => {
    acceptForms(scope)
    introspectRoute(scope, needs)
    revokeRoute(scope, needs)
  })
}

function issueRoute(app: FastifyInstance, { tokens, storage }: Needs): void {
  app.route({
    ...operation({
      name: 'issue_token',
      method: 'POST',
      path: '/token',
      access: 'any',
      scope: 'global',
      duringImpersonation: true,
      isRepeatable: true,
      isBodyOptional: true,
      description:
        'Exchanges a session or an API key for an access token: a signed JWT that is valid for a few minutes and that services verify themselves with the keys of `/.well-known/jwks.json`. With `permissions` it can do less than the caller. An access token cannot be exchanged for another one.',
      body: 'RequestToken',
      returns: 'AccessToken',
      responses: { 200: 'The access token.' },
      problems: ['token_not_exchangeable', 'permission_not_grantable'],
      example: {},
    }),
    preValidation: emptyUnlessSent,
    handler(request) {
      const { actor, now } = request
      const { kind, endsAtMs } = request.credential as Credential
      if (kind === 'access_token') {
        // Otherwise a stolen token of five minutes could be renewed forever.
        throw new AppError(
          'token_not_exchangeable',
          'An access token cannot be exchanged for another one. Use the session or the API key instead.',
        )
      }
      const { permissions } = request.body as RequestToken
      if (permissions !== undefined) refuseUnknown(permissions, knownPermissions(storage.rules.roles))
      return tokens.issue(actor, { now, endsAtMs, ...(permissions && { permissions }) })
    },
  })
}

function refuseUnknown(permissions: readonly string[], known: Set<string>): void {
  const faults = permissions.flatMap((permission, i) =>
    known.has(permission)
      ? []
      : [memberFault('permissions', 'permission_unknown', 'This permission does not exist.', i)],
  )
  if (faults.length > 0) throw validationFailed(faults)
}

function publicRoutes(app: FastifyInstance, { tokens, links }: Needs): void {
  app.route({
    ...operation({
      name: 'get_key_set',
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'public',
      scope: 'global',
      description:
        'Returns the public keys that verify access tokens (RFC 7517). The next key is published before it signs. Cache the set for five minutes, and fetch it again when a token has an unknown `kid`.',
      responses: keySet,
      problems: [...readConditionProblems, 'malformed_request', 'rate_limited'],
    }),
    handler(request, reply) {
      sendPublished(request, reply.type('application/jwk-set+json; charset=utf-8'), tokens.jwks(request.now))
    },
  })
  app.route({
    ...operation({
      name: 'get_issuer',
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      access: 'public',
      scope: 'global',
      description: 'Returns the endpoints of this issuer (RFC 8414).',
      responses: issuerDescription,
      problems: [...readConditionProblems, 'malformed_request', 'rate_limited'],
    }),
    handler(request, reply) {
      sendPublished(request, reply.type('application/json; charset=utf-8'), describeIssuer(links))
    },
  })
}

function sendPublished(request: FastifyRequest, reply: FastifyReply, content: object): void {
  const text = JSON.stringify(content)
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  reply.header('cache-control', published).header('etag', etag)
  if (isNotModified(request, etag)) reply.code(304).send()
  else reply.send(text)
}

function introspectRoute(app: FastifyInstance, { lookUp, links }: Needs): void {
  app.route({
    ...operation({
      name: 'introspect_token',
      method: 'POST',
      path: '/introspect',
      takesForm: true,
      access: 'tokens:introspect',
      scope: 'global',
      isRepeatable: true,

      description:
        'Returns whether a credential is accepted now, and for what (RFC 7662): an access token, an API key, or the value of a session cookie. For a credential that is not accepted, the response is only `{"active": false}`. You can also send a form (`application/x-www-form-urlencoded`).',
      body: 'TokenInQuestion',
      returns: 'Introspection',
      responses: { 200: 'Whether the credential is accepted, and for what.' },
      problems: ['malformed_request'],
      example: { token: 'rb_…' },
    }),
    async handler({ body, now }) {
      // The caller acts for the holder: a session that is used only in the main API is not idle.
      const found = await lookUp((body as TokenInQuestion).token, now, { isUse: true })
      return introspect(found, links.issuer())
    },
  })
}

function revokeRoute(app: FastifyInstance, { lookUp, makeChange, contextOf, cookies }: Needs): void {
  app.route({
    ...operation({
      name: 'revoke_token',
      method: 'POST',
      path: '/revoke',
      takesForm: true,
      access: 'any',
      scope: 'global',
      description:
        'Revokes a credential (RFC 7009): an access token, an API key, or a session by the value of its cookie. Callers may revoke their own; to revoke others, you need the permission `sessions:write` (users) or `keys:write` (keys). The response is the same for a credential that is not valid anyway. Revoking an access token does not end its session; end the session to revoke all its tokens. You can also send a form (`application/x-www-form-urlencoded`).',
      body: 'TokenInQuestion',
      returns: 'Empty',
      responses: { 200: { description: 'The credential is no longer valid.' } },
      problems: [
        'malformed_request',
        'user_outranks_caller',
        'permission_not_grantable',
        'key_managed_by_configuration',
      ],
      example: { token: 'rb_…' },
    }),
    async handler(request, reply) {
      const found = await lookUp((request.body as TokenInQuestion).token, request.now)
      if (found === undefined) return {}
      refuseRevoking(request.actor, found, contextOf(request).rules)
      const done = await end(request, reply, found).catch(passOverEnded)
      const { actor, credential } = request
      const isOwnSession = found.kind === 'session' && found.actor.signedIn?.session_id === actor.signedIn?.session_id
      if (isOwnSession && credential?.kind === 'session' && !done?.dryRun) reply.header('set-cookie', cookies.clear())
      return {}
    },
  })

  async function end(request: FastifyRequest, reply: FastifyReply, { kind, actor, claims }: ClaimedCredential) {
    if (kind === 'session') {
      const { user_id = '', session_id = '' } = actor.signedIn ?? {}
      return makeChange(request, reply, 'sessions.end', { input: () => ({ user_id, session_id }) })
    }
    if (kind === 'api_key') return endKey(request, reply, actor)
    if (claims !== undefined) {
      const { organization_id = null } = organizationOf(actor) ?? {}
      const kind = actor.kind === 'user' ? 'user' : 'key'
      const holder: Target = { kind, id: actor.id, name: actor.name, organization_id }
      return makeChange(request, reply, 'tokens.revoke', { input: () => ({ jti: claims.jti, holder }) })
    }
    const detail = 'The token comes from another issuer and can be revoked only there.'
    throw validationFailed([memberFault('token', 'not_ours', detail)])
  }

  function endKey(request: FastifyRequest, reply: FastifyReply, { id, kind, personalKey }: Actor) {
    const key_id = personalKey?.key_id ?? id
    const isOwn = kind === request.actor.kind && id === request.actor.id && personalKey !== undefined
    return isOwn
      ? makeChange(request, reply, 'me.revoke_key', { input: () => ({ user_id: id, key_id }) })
      : makeChange(request, reply, 'keys.revoke', { input: () => ({ key_id }) })
  }
}

/** Another request was faster. */
function passOverEnded(error: unknown): undefined {
  const isGone = error instanceof AppError && (error.code === 'session_not_found' || error.code === 'key_not_found')
  if (!isGone) throw error
}

function signingKeyRoutes(app: FastifyInstance, { tokens, contextOf, makeChange }: Needs): void {
  const access = 'signing_keys:write'
  app.route({
    ...operation({
      name: 'list_signing_keys',
      method: 'GET',
      path: '/signing-keys',
      access,
      scope: 'global',

      description: 'Lists the keys that sign access tokens, newest first.',
      returns: 'SigningKey[]',
      responses: { 200: 'All published keys.' },
    }),
    handler: (request) => signingKeys.list(contextOf(request)),
  })

  app.route({
    ...operation({
      name: 'rotate_signing_key',
      method: 'POST',
      path: '/signing-keys/rotate',
      isBodyOptional: true,
      access,
      scope: 'global',
      recent: true,

      description:
        'Publishes the next signing key, which starts signing 15 minutes later; existing tokens stay valid. Use `revoke_previous` if a private key may have leaked: the new key signs at once, and every token signed before is refused.',
      body: 'RotateSigningKeys',
      returns: 'SigningKey',
      responses: { 200: { description: 'The new key.' } },
      example: { revoke_previous: false },
    }),
    preValidation: emptyUnlessSent,
    async handler(request, reply) {
      const { revoke_previous = false } = request.body as RotateSigningKeys
      const { result } = await makeChange(request, reply, 'signing_keys.rotate', {
        input: async () => ({ key: await tokens.makeKey(), revoke_previous }),
      })
      await tokens.reload()
      return result
    },
  })
}
