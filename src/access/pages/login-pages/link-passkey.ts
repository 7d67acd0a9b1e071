/** The requests of a link page's script: options for a passkey, and adding it in place of a password. */

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { find } from '../../../directory/links/service.ts'
import { findById } from '../../../directory/users/service.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { linkPaths, tokenHashOf } from '../../../record/mails/service.ts'
import type { AddPasskey } from '../../credentials/factors/schema.ts'
import {
  challengeIdOf,
  checkRegistration,
  creationOptions,
  domainForNew,
  getPasskeyChallenge,
  nameFor,
  newCeremony,
  type RelyingParty,
} from '../../credentials/factors/service.ts'
import { browserHashOf } from '../../sign-in/links/service.ts'
import { hidden } from './tools.ts'

export type LinkPasskeyNeeds = Pick<HttpLayer, 'storage' | 'originOf'> & { relyingParty: RelyingParty }

const query = { type: 'object', additionalProperties: false } as const

export function linkPasskeyRoutes(app: FastifyInstance, needs: LinkPasskeyNeeds): void {
  const newId = uuidv7Maker()
  const { storage, originOf, relyingParty } = needs
  const asSystem = (request: FastifyRequest) => ({
    actor: system,
    now: request.now,
    requestId: request.id,
    origin: originOf(request),
  })
  for (const purpose of ['invitation', 'password_reset'] as const) {
    const path = `${linkPaths[purpose]}/:token`

    app.post(`${path}/passkey-options`, { ...hidden, schema: { querystring: query } }, async (request) => {
      const token_hash = hashOf(request)
      domainForNew(relyingParty)
      const { challenge_id, webauthn: challenge } = newCeremony(request.now)
      const input = { token_hash, purpose, challenge_id, webauthn: challenge }
      const { result } = await storage.change('links.begin_passkey', input, asSystem(request))
      const link = await find(storage.db, token_hash)
      const user = await findById(storage.db, scopeOf(system), link?.user_id ?? '')
      if (user === undefined) throw new AppError('link_ended', 'This link no longer works.')
      return { ...result, options: creationOptions(relyingParty, { person: user, rows: [], challenge }) }
    })

    const schema = { querystring: query, body: { $ref: 'AddPasskey#' } }
    app.post(`${path}/passkey`, { ...hidden, schema }, async (request) => {
      const { challenge_id, passkey: credential } = request.body as AddPasskey
      const token_hash = hashOf(request)
      const rpId = domainForNew(relyingParty)
      const finishes = {
        challenge_id: (challenge_id ?? challengeIdOf(credential) ?? '').toLowerCase(),
        browser_hash: browserHashOf(token_hash),
        purpose: 'add_passkey' as const,
      }
      const { webauthn } = await getPasskeyChallenge({ db: storage.db, now: request.now }, finishes)
      const origins = relyingParty.originsOf(request)
      const { methods: _, ...registration } = await checkRegistration(credential, {
        challenge: webauthn,
        origins,
        rpId,
      })
      const passkey = { ...registration, factor_id: newId(request.now), name: nameFor(registration) }
      const { result } = await storage.change(
        'links.add_passkey',
        { token_hash, purpose, finishes, passkey },
        asSystem(request),
      )
      return { username: result.username }
    })
  }
}

function hashOf({ params }: FastifyRequest): string {
  return tokenHashOf((params as { token: string }).token)
}
