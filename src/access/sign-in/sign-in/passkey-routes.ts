/** Options for a sign-in with a passkey alone: whose it is, the passkey says. */
import type { FastifyInstance } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { networkOf } from '../../../lib/address.ts'
import { browserHash, challengeSeconds } from '../../credentials/challenges/service.ts'
import { newCeremony, optionsForAnyone } from '../../credentials/factors/service.ts'
import { refuseOtherSites } from './browser.ts'
import { newToken, requestAt, type SignInParts } from './proof.ts'

type Needs = SignInParts & Pick<HttpLayer, 'cookies' | 'lifecycle' | 'originOf' | 'refuseCrossOrigin'>

const description = `Starts a sign-in without a username: returns options for \`navigator.credentials.get\` and a cookie that binds them to this
browser. Send what it returns to \`POST /sessions\` as \`passkey\`. The passkey must verify its user (PIN, fingerprint, face).

The options work for five minutes, for one sign-in and at most five attempts.`

export function passkeyOptionsRoute(app: FastifyInstance, needs: Needs): void {
  const { storage, cookies, relyingParty, lifecycle, originOf } = needs
  app.route({
    ...operation({
      name: 'begin_passkey_sign_in',
      method: 'POST',
      path: '/sessions/passkey-options',
      access: 'public',
      scope: 'global',
      isRepeatable: true,
      description,
      returns: 'PasskeyRequest',
      responses: {
        200: {
          description: 'The options.',
          addedHeaders: { 'Set-Cookie': text('Binds the options to this browser.') },
        },
      },
      problems: [...publicChangeProblems, 'passkeys_unavailable', 'validation_failed'],
    }),
    async handler(request, reply) {
      refuseOtherSites(needs, request)
      refuseWhileDraining(lifecycle)
      const { challenge_id, webauthn } = newCeremony(request.now)
      const options = optionsForAnyone(relyingParty, webauthn)
      // The pages in two tabs of a browser share its cookie: the second one must not end the first one's options.
      const before = cookies.challenge.read(request)
      const cookie = before !== undefined && /^[\w-]{43}$/.test(before) ? before : newToken()
      const network = networkOf(originOf(request).address)
      const begun = { challenge_id, webauthn, purpose: 'sign_in' as const, browser_hash: browserHash(cookie), network }
      const when = { now: request.now, requestId: request.id }
      const { result } = await storage.change('challenges.begin', begun, requestAt(when))
      reply.header('set-cookie', cookies.challenge.set(cookie, challengeSeconds))
      return { ...result, options }
    },
  })
}
