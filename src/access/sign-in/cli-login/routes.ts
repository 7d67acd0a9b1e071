import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, type InputFault, memberFault, validationFailed } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'
import { acceptForms } from '../../../http/request/forms.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { hasUnseen, unseenRefused } from '../../../lib/unseen.ts'
import { refuseOtherSites } from '../sign-in/service.ts'
import * as answers from './answers.ts'
import { type Begun, loginSeconds, oauthError, type Presented, pollSeconds, refusalOf } from './cli-login.ts'
import { isLoopbackUri, newSecret, newUserCode, pageHashOf, secretHashOf } from './codes.ts'
import {
  type CliKey,
  type CliLogin,
  type CreateCliLogin,
  createCliLoginSchema,
  type ExchangeCliLogin,
} from './schema.ts'

type Needs = Pick<HttpLayer, 'config' | 'storage' | 'links' | 'lifecycle' | 'originOf' | 'refuseCrossOrigin'>

export function routes(app: FastifyInstance, needs: Needs): void {
  startRoute(app, needs)
  app.register(async (scope) => {
    acceptForms(scope)
    exchangeRoute(scope, needs)
  })
}

function startRoute(app: FastifyInstance, needs: Needs): void {
  const { config, storage, links } = needs
  app.route({
    ...operation({
      name: 'create_cli_login',
      method: 'POST',
      path: '/cli-logins',
      access: 'public',
      scope: 'global',
      isRepeatable: true,
      description: answers.startDescription,
      body: 'CreateCliLogin',
      returns: 'CliLogin',
      responses: { 200: 'The sign-in waits for the user.' },
      problems: [...publicChangeProblems, 'not_enabled', 'rate_limited'],
      example: { name: 'laptop' },
    }),
    async handler(request): Promise<CliLogin> {
      const body = request.body as CreateCliLogin
      const isDevice = body.redirect_uri === undefined
      if (config.cliLogin === 'off') throw notEnabled('Command lines cannot sign in through the browser here.')
      if (isDevice && config.cliLogin === 'loopback') {
        throw notEnabled('Device codes are not enabled here. Sign in from a machine with a browser.')
      }
      refuseOtherSites(needs, request)
      refuseUnfit(body)
      // The page of a device is opened by its user code, which is never part of an address.
      const opensPage = isDevice ? newUserCode() : newSecret()
      const device_code = newSecret()
      await storage.change('cli_logins.start', begunBy(body, opensPage, device_code), asStranger(needs, request))
      const page = `${links.issuer()}/cli-login`
      const expires_in = loginSeconds
      if (!isDevice) return { login_uri: `${page}/${opensPage}`, expires_in }
      return { device_code, user_code: opensPage, verification_uri: page, expires_in, interval: pollSeconds }
    },
  })
}

function begunBy(body: CreateCliLogin, opensPage: string, device_code: string): Begun {
  const { name, permissions, redirect_uri = null, state = null, code_challenge = null } = body
  const flow = redirect_uri === null ? 'device' : 'loopback'
  return {
    flow,
    page_hash: pageHashOf(flow, opensPage),
    secret_hash: flow === 'device' ? secretHashOf(device_code) : null,
    redirect_uri,
    state,
    code_challenge,
    name,
    permissions: permissions === undefined || permissions.includes('*') ? null : JSON.stringify(permissions),
    key_seconds: body.key_expires_in ?? createCliLoginSchema.properties.key_expires_in.default,
  }
}

/** @throws AppError `validation_failed` */
function refuseUnfit(body: CreateCliLogin): void {
  const { name, redirect_uri } = body
  const faults: InputFault[] = []
  if (hasUnseen(name)) faults.push(memberFault('name', 'control_character', unseenRefused))
  if (redirect_uri !== undefined && !isLoopbackUri(redirect_uri)) {
    const detail = 'redirect_uri must be http://127.0.0.1:<port>/… or http://[::1]:<port>/…, without ? and #.'
    faults.push(memberFault('redirect_uri', 'not_loopback', detail))
  }
  const own = ['code_challenge', 'code_challenge_method', 'state'] as const
  for (const member of own) {
    if ((body[member] === undefined) === (redirect_uri === undefined)) continue
    const detail = 'redirect_uri, code_challenge, code_challenge_method and state belong together.'
    faults.push(memberFault(member, 'all_of', detail))
  }
  if (faults.length > 0) throw validationFailed(faults)
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

function exchangeRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'exchange_cli_login',
      method: 'POST',
      path: '/cli-logins/token',
      access: 'public',
      scope: 'global',
      isRepeatable: true,
      takesForm: true,
      description: answers.exchangeDescription,
      body: 'ExchangeCliLogin',
      returns: 'CliKey',
      responses: { 200: 'The key, which is shown only now.' },
      problems: [
        ...publicChangeProblems,
        'authorization_pending',
        'slow_down',
        'access_denied',
        'expired_token',
        'invalid_grant',
        'unsupported_grant_type',
        'not_enabled',
        'too_many_keys',
        'rate_limited',
      ],
      example: { grant_type: deviceGrant, device_code: 'the device_code of your sign-in' },
    }),
    async handler(request): Promise<CliKey> {
      if (needs.config.cliLogin === 'off') throw notEnabled('Command lines cannot sign in through the browser here.')
      refuseOtherSites(needs, request)
      const presented = presentedBy(request.body as ExchangeCliLogin)
      const { result } = await needs.storage.change('cli_logins.exchange', presented, asStranger(needs, request))
      if ('refused' in result) throw refusalOf(result.refused)
      const { key: access_token, permissions, expires_at, key_id, name, user_id, username } = result.key
      const expires_in = Math.floor((Date.parse(expires_at) - request.now) / 1000)
      const scope = permissions.join(' ')
      return {
        access_token,
        token_type: 'Bearer',
        expires_in,
        scope,
        key_id,
        name,
        permissions,
        expires_at,
        user_id,
        username,
      }
    },
  })
}

/** @throws AppError `unsupported_grant_type`, `validation_failed` */
function presentedBy(body: ExchangeCliLogin): Presented {
  const { grant_type, code, redirect_uri, code_verifier, device_code } = body
  if (grant_type === deviceGrant) {
    if (device_code === undefined) throw missing('device_code')
    return { flow: 'device', secret_hash: secretHashOf(device_code) }
  }
  if (grant_type !== 'authorization_code') {
    throw oauthError('unsupported_grant_type', `grant_type must be authorization_code or ${deviceGrant}.`)
  }
  if (code === undefined) throw missing('code')
  if (code_verifier === undefined) throw missing('code_verifier')
  if (redirect_uri === undefined) throw missing('redirect_uri')
  return { flow: 'loopback', secret_hash: secretHashOf(code), code_verifier, redirect_uri }
}

function missing(member: string): AppError {
  return validationFailed([memberFault(member, 'required', `This grant_type needs ${member}.`)])
}

/** There is no credential yet. @throws AppError `draining` */
function asStranger({ lifecycle, originOf }: Needs, request: FastifyRequest) {
  refuseWhileDraining(lifecycle)
  const { now, id: requestId } = request
  return { actor: request.actor, now, requestId, origin: originOf(request) }
}

function notEnabled(detail: string): AppError {
  return new AppError('not_enabled', `${detail} ROLLBOOK_CLI_LOGIN=on switches this on.`)
}
