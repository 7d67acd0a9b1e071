/** The caller's own factors: one-time codes, names, removal, recovery codes. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { writeQuery } from '../../../http/endpoint/change.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { bodyProblems } from '../../../http/endpoint/problem-lists.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { encryptionSecrets, sealingSecret } from '../../../store/secrets/encryption.ts'
import { personOf } from '../sessions/service.ts'
import * as answers from './answers.ts'
import { getPending } from './enrollment.ts'
import * as factors from './factors.ts'
import { recentUnlessFirst } from './first-factor.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import { openSecret, storedSecret } from './secrets.ts'
import { makeTotpSecret, qrCode, stepOfCode, totpUri } from './totp.ts'

type Needs = Pick<HttpLayer, 'config' | 'contextOf' | 'makeChange' | 'links' | 'storage'>

export function factorRoutes(app: FastifyInstance, needs: Needs): void {
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
      during: ['add_factor', 'change_password'],
      description: answers.listOwnDescription,
      answers: answers.listed,
      schema: { response: { 200: { $ref: 'Factors#' } } },
    }),
    handler: (request) => factors.listOf(contextOf(request), personOf(request).user_id),
  })
}

function addTotp(app: FastifyInstance, { config, makeChange, links, storage }: Needs): void {
  const newId = uuidv7Maker()
  app.route({
    ...operation({
      name: 'add_totp',
      method: 'POST',
      path: '/me/factors/totp',
      access: 'user',
      during: ['add_factor'],
      recent: recentUnlessFirst({ storage }),
      isBodyOptional: true,
      description: answers.addTotpDescription,
      answers: answers.totpBegun,
      problems: [...bodyProblems, 'too_many_factors'],
      example: { name: 'My phone' },
      schema: { querystring: writeQuery, body: { $ref: 'AddTotp#' }, response: { '2xx': { $ref: 'NewTotp#' } } },
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
      const otpauth_uri = await totpUri(result.shown, { issuer: config.productName, username })
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
      during: ['add_factor'],
      recent: recentUnlessFirst({ storage }),
      description: answers.confirmTotpDescription,
      answers: answers.factorActive,
      problems: [...bodyProblems, 'factor_not_found', 'too_many_factors'],
      example: { code: '123456' },
      schema: { querystring: writeQuery, body: { $ref: 'ConfirmTotp#' }, response: { 200: { $ref: 'Factor#' } } },
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
      recent: true,
      description: 'Gives one of your factors another name.',
      answers: answers.renamed,
      problems: [...bodyProblems, 'factor_not_found'],
      example: { name: 'Old phone' },
      schema: { querystring: writeQuery, body: { $ref: 'RenameFactor#' }, response: { 200: { $ref: 'Factor#' } } },
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
      recent: true,
      description:
        'Removes one of your factors and ends your other sessions. The last one stays if the policy requires a second factor of you, and a passkey if you could not sign in again without it. With the last one, your recovery codes end too.',
      answers: answers.removed,
      problems: ['factor_not_found', 'last_factor', 'last_sign_in_way', 'validation_failed'],
      schema: { querystring: writeQuery, response: { 200: { $ref: 'ConfirmationOfFactorRemoval#' } } },
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
      recent: true,
      description: answers.codesDescription,
      answers: answers.codesReplaced,
      problems: ['no_factor', 'validation_failed'],
      schema: { querystring: writeQuery, response: { '2xx': { $ref: 'RecoveryCodes#' } } },
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
