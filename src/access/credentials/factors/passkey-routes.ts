/** Adding a passkey: options for the browser, then what it made. */

import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { dryRun } from '../../../http/endpoint/response-parts.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import * as challenges from '../challenges/service.ts'
import { personOf } from '../sessions/service.ts'
import * as answers from './answers.ts'
import { getPasskeyChallenge } from './enrollment.ts'
import * as factors from './factors.ts'
import { recentUnlessFirst } from './first-factor.ts'
import { creationOptions } from './passkey-options.ts'
import type { AddPasskey } from './passkey-schema.ts'
import { challengeIdOf, checkRegistration, nameFor, newCeremony } from './passkeys.ts'
import { domainForNew, type RelyingParty } from './relying-party.ts'

type Needs = Pick<HttpLayer, 'storage' | 'makeChange' | 'links'> & { relyingParty: RelyingParty }

export function passkeyRoutes(app: FastifyInstance, needs: Needs): void {
  startRegistration(app, needs)
  add(app, needs)
}

function startRegistration(app: FastifyInstance, { storage, makeChange, relyingParty }: Needs): void {
  app.route({
    ...operation({
      name: 'begin_passkey',
      method: 'POST',
      path: '/me/factors/passkeys/options',
      access: 'user',
      scope: 'global',
      during: ['add_factor'],
      recent: recentUnlessFirst({ storage }),
      description: answers.beginPasskeyDescription,
      returns: 'PasskeyCreation',
      responses: {
        200: {
          description: 'The options. They work in this session, once, for five minutes; not after a dry run.',
          headers: dryRun,
        },
      },
      problems: ['passkeys_unavailable', 'too_many_factors'],
    }),
    async handler(request, reply) {
      domainForNew(relyingParty)
      const { result } = await makeChange(request, reply, 'factors.begin_passkey', {
        input: () => newCeremony(request.now),
      })
      const { webauthn: challenge, ...begun } = result
      const person = personOf(request)
      const rows = await factors.listFactors(storage.db, person.user_id)
      return { ...begun, options: creationOptions(relyingParty, { person, rows, challenge }) }
    },
  })
}

function add(app: FastifyInstance, { storage, makeChange, relyingParty, links }: Needs): void {
  const newId = uuidv7Maker()
  app.route({
    ...operation({
      name: 'add_passkey',
      method: 'POST',
      path: '/me/factors/passkeys',
      access: 'user',
      scope: 'global',
      during: ['add_factor'],
      recent: recentUnlessFirst({ storage }),
      description: answers.addPasskeyDescription,
      body: 'AddPasskey',
      returns: 'Factor',
      responses: {
        200: 'Dry run: the passkey as it would be added.',
        201: { description: 'The passkey, active from now on.' },
      },
      problems: ['passkeys_unavailable', 'too_many_factors'],
    }),
    async handler(request, reply) {
      const { challenge_id, passkey: credential, name } = request.body as AddPasskey
      const rpId = domainForNew(relyingParty)
      const { result, dryRun } = await makeChange(request, reply, 'factors.add_passkey', {
        async input() {
          const chosen = name === undefined ? undefined : factors.checkName(name)
          const finishes = {
            challenge_id: (challenge_id ?? challengeIdOf(credential) ?? '').toLowerCase(),
            browser_hash: challenges.browserHash(personOf(request).session_id),
            purpose: 'add_passkey' as const,
          }
          const { webauthn } = await getPasskeyChallenge({ db: storage.db, now: request.now }, finishes)
          const origins = relyingParty.originsOf(request)
          const { methods, ...registration } = await checkRegistration(credential, {
            challenge: webauthn,
            origins,
            rpId,
          })
          return {
            finishes,
            methods,
            passkey: { ...registration, factor_id: newId(request.now), name: chosen ?? nameFor(registration) },
          }
        },
      })
      if (!dryRun) reply.code(201).header('location', links.to('/me/factors'))
      return result
    },
  })
}
