/** Requests that a provider sends by itself: back-channel logout and Global Token Revocation. Its token is the credential. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { acceptForms } from '../../../http/request/forms.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { addressOf, ProtocolFailure } from '../../providers/connections/service.ts'
import { backchannelLogout, globalTokenRevocation } from './logout-answers.ts'
import type { Providers, Revocation } from './providers.ts'
import { SignInRefused } from './refused.ts'

type Needs = Pick<HttpLayer, 'lifecycle' | 'links'> & { providers: Providers }

export function companyLogoutRoutes(app: FastifyInstance, { providers, lifecycle, links }: Needs): void {
  app.register(async (scope) => {
    acceptForms(scope)

    scope.route({
      ...operation(backchannelLogout),
      async handler(request, reply) {
        refuseWhileDraining(lifecycle)
        // OpenID Connect Back-Channel Logout 1.0 §2.8: 200, or 400 with the words of OAuth; never cached.
        reply.header('cache-control', 'no-store')
        const { logout_token } = (request.body ?? {}) as { logout_token?: unknown }
        if (typeof logout_token !== 'string') return refuse(reply, 400, 'The form has no logout_token.')
        try {
          await providers.takeLogout(idOf(request), logout_token, { now: request.now, requestId: request.id })
          return reply.code(200).send()
        } catch (error) {
          return refuse(reply, 400, wordsOf(error))
        }
      },
    })

    scope.route({
      ...operation(globalTokenRevocation),
      async handler(request, reply) {
        refuseWhileDraining(lifecycle)
        reply.header('cache-control', 'no-store')
        const connection_id = idOf(request)
        const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '') ?? []
        if (token === undefined) return unauthorized(reply, 'Send the signed token as Authorization: Bearer.')
        const account = accountIn(request.body)
        if (account === undefined) {
          return refuse(reply, 400, 'sub_id must have the format iss_sub, email or opaque, with its members.')
        }
        const endpoint = `${addressOf(links, connection_id)}/global-token-revocation`
        try {
          const when = { now: request.now, requestId: request.id }
          const isKnown = await providers.takeRevocation({ connection_id, token, endpoint, account }, when)
          return isKnown ? reply.code(204).send() : refuse(reply, 404, 'No user has this account.')
        } catch (error) {
          return unauthorized(reply, wordsOf(error))
        }
      },
    })
  })
}

function accountIn(body: unknown): Revocation['account'] | undefined {
  const { sub_id } = (typeof body === 'object' && body !== null ? body : {}) as { sub_id?: Record<string, unknown> }
  if (typeof sub_id !== 'object' || sub_id === null) return undefined
  const { format, sub, email, id, iss } = sub_id
  const isText = (value: unknown): value is string => typeof value === 'string' && /^\P{Cc}{1,320}$/u.test(value)
  if (format === 'iss_sub' && isText(sub) && isText(iss)) return { subject: sub, issuer: iss }
  if (format === 'email' && isText(email)) return { email }
  return format === 'opaque' && isText(id) ? { subject: id } : undefined
}

function unauthorized(reply: FastifyReply, description: string): FastifyReply {
  reply.header('www-authenticate', 'Bearer realm="rollbook", error="invalid_token"')
  return reply.code(401).send({ error: 'invalid_token', error_description: description })
}

function refuse(reply: FastifyReply, status: number, description: string): FastifyReply {
  return reply.code(status).send({ error: 'invalid_request', error_description: description })
}

/** A failure of our own does not make the token invalid. */
function wordsOf(error: unknown): string {
  if (error instanceof ProtocolFailure && error.reason === 'token_invalid') return error.message
  if (error instanceof SignInRefused) return 'The connection is not active, or has no such logout.'
  if (error instanceof ProtocolFailure) throw new AppError('provider_unavailable', error.message, { cause: error })
  throw error
}

/** @throws AppError `connection_not_found` */
function idOf(request: FastifyRequest): string {
  const id = pathId(request, 'connection_id')
  if (!isUuid(id)) throw new AppError('connection_not_found', 'There is no connection with this id.')
  return id
}
