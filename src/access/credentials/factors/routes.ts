/** The caller's own factors: one-time codes, names, removal, recovery codes. */

import type { FastifyInstance } from 'fastify'
import { organizationOf } from '../../../core/actor.ts'
import type { BrandSource } from '../../../core/brand.ts'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { dryRun } from '../../../http/endpoint/response-parts.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { encryptionSecrets, sealingSecret } from '../../../store/secrets/encryption.ts'
import { personOf } from '../sessions/service.ts'
import * as answers from './answers.ts'
import { getPending } from './enrollment.ts'
import * as factors from './factors.ts'
import { recentUnlessFirst } from './first-factor.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import { openSecret, storedSecret } from './secrets.ts'
import { makeTotpSecret, qrCode, stepOfCode, totpUri } from './totp.ts'
import { userFactorRoutes } from './user-routes.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof factorRoutes>[1] &
    Parameters<typeof passkeyRoutes>[1] &
    Parameters<typeof userFactorRoutes>[1],
): void {
  factorRoutes(app, needs)
  passkeyRoutes(app, needs)
  userFactorRoutes(app, needs)
}

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links' | 'storage'> & { branding: BrandSource }

function factorRoutes(app: FastifyInstance, needs: Needs): void {
  listOwn(app, needs)
  addTotp(app, needs)
  confirmTotp(app, needs)
  renameOwn(app, needs)
  removeOwn(app, needs)
  replaceCodes(app, needs)
}

function listOwn(app: FastifyInstance, { contextOf }: Needs): void {
  app.route({
    ...operation({
      name: 'list_my_factors',
      method: 'GET',
      path: '/me/factors',
      access: 'user',
      scope: 'global',
      during: ['add_factor', 'change_password'],
      description: answers.listOwnDescription,
      returns: 'Factors',
      responses: { 200: 'The factors, oldest first, how many recovery codes are left, and what the policy says.' },
    }),
    handler: (request) => factors.listOf(contextOf(request), personOf(request).user_id),
  })
}

function addTotp(app: FastifyInstance, { branding, config, makeChange, links, storage }: Needs): void {
  const newId = uuidv7Maker()
  app.route({
    ...operation({
      name: 'add_totp',
      method: 'POST',
      path: '/me/factors/totp',
      access: 'user',
      scope: 'global',
      during: ['add_factor'],
      recent: recentUnlessFirst({ storage }),
      isBodyOptional: true,
      description: answers.addTotpDescription,
      body: 'AddTotp',
      returns: 'NewTotp',
      responses: {
        200: 'Dry run: as it would be, with a secret that is discarded.',
        201: { description: 'The secret, which is shown only now.' },
      },
      problems: ['too_many_factors'],
      example: { name: 'My phone' },
    }),
    /** An omitted body is validated as an empty object. */
    async preValidation(request) {
      request.body ??= {}
    },
    async handler(request, reply) {
      const { name = 'Authenticator app' } = request.body as { name?: string }
      const { username } = personOf(request)
      const secret = await makeTotpSecret()
      const factor_id = newId(request.now)
      const encryptionSecret = await sealingSecret(storage.db, config)
      const { result, dryRun } = await makeChange(request, reply, 'factors.add_totp', {
        input: () => ({
          factor_id,
          name: factors.checkName(name),
          ...storedSecret(secret, factor_id, encryptionSecret),
          shown: secret,
        }),
      })
      const { name: issuer } = await branding.current(organizationOf(request.actor)?.organization_id)
      const otpauth_uri = await totpUri(result.shown, { issuer, username })
      if (!dryRun) reply.code(201).header('location', links.to('/me/factors'))
      return { factor_id: result.factor_id, secret: result.shown, otpauth_uri, qr_code: await qrCode(otpauth_uri) }
    },
  })
}

function confirmTotp(app: FastifyInstance, { config, contextOf, makeChange, storage }: Needs): void {
  app.route({
    ...operation({
      name: 'confirm_totp',
      method: 'POST',
      path: '/me/factors/totp/{factor_id}/confirm',
      access: 'user',
      scope: 'global',
      during: ['add_factor'],
      recent: recentUnlessFirst({ storage }),
      description: answers.confirmTotpDescription,
      body: 'ConfirmTotp',
      returns: 'Factor',
      responses: { 200: { description: 'The factor, active from now on.', headers: dryRun } },
      problems: ['factor_not_found', 'too_many_factors'],
      example: { code: '123456' },
    }),
    async handler(request, reply) {
      const factor_id = pathId(request, 'factor_id')
      const { code } = request.body as { code: string }
      const { result } = await makeChange(request, reply, 'factors.confirm_totp', {
        async input() {
          // The caller was shown the secret, so there is nothing to guess and nothing to count.
          const found = await getPending(contextOf(request), factor_id)
          const step = await stepOfCode(openSecret(found, encryptionSecrets(config)), code, request.now)
          if (step === undefined) throw wrongCode()
          return { factor_id, step }
        },
      })
      return result
    },
  })
}

function wrongCode(): AppError {
  const detail = 'The code is wrong. Enter the one that the app shows now, and check the clock of the phone.'
  return new AppError('validation_failed', detail, { errors: [{ pointer: '#/code', code: 'wrong_code', detail }] })
}

function renameOwn(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'rename_my_factor',
      method: 'PATCH',
      path: '/me/factors/{factor_id}',
      access: 'user',
      scope: 'global',
      recent: true,
      description: 'Gives one of your factors another name.',
      body: 'RenameFactor',
      returns: 'Factor',
      responses: { 200: 'The factor with its new name.' },
      problems: ['factor_not_found'],
      example: { name: 'Old phone' },
    }),
    async handler(request, reply) {
      const factor_id = pathId(request, 'factor_id')
      const { name } = request.body as { name: string }
      const { result } = await makeChange(request, reply, 'factors.rename', {
        input: () => ({ factor_id, name: factors.checkName(name) }),
      })
      return result
    },
  })
}

function removeOwn(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'remove_my_factor',
      method: 'DELETE',
      path: '/me/factors/{factor_id}',
      access: 'user',
      scope: 'global',
      recent: true,
      description:
        'Removes one of your factors and ends your other sessions. The last one stays if the policy requires a second factor of you, and a passkey if you could not sign in again without it. With the last one, your recovery codes end too.',
      returns: 'ConfirmationOfFactorRemoval',
      responses: { 200: 'The number of factors removed. In a dry run: the number that would be.' },
      problems: ['factor_not_found', 'last_factor', 'last_sign_in_way'],
    }),
    async handler(request, reply) {
      const factor_id = pathId(request, 'factor_id')
      const { result } = await makeChange(request, reply, 'factors.remove_own', { input: () => ({ factor_id }) })
      return result
    },
  })
}

function replaceCodes(app: FastifyInstance, { makeChange }: Needs): void {
  app.route({
    ...operation({
      name: 'replace_recovery_codes',
      method: 'POST',
      path: '/me/recovery-codes',
      access: 'user',
      scope: 'global',
      recent: true,
      description: answers.codesDescription,
      returns: 'RecoveryCodes',
      responses: {
        200: 'Dry run: no codes.',
        201: { description: 'The new codes, which are shown only now. The earlier ones are void.' },
      },
      problems: ['no_factor'],
    }),
    async handler(request, reply) {
      const codes = makeRecoveryCodes()
      const { result, dryRun } = await makeChange(request, reply, 'factors.replace_recovery_codes', {
        input: () => ({ codes }),
      })
      if (dryRun) return { recovery_codes: [] }
      reply.code(201)
      return { recovery_codes: result.codes }
    },
  })
}
