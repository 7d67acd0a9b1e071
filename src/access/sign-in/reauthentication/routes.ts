import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { dryRun } from '../../../http/endpoint/response-parts.ts'
import * as factors from '../../credentials/factors/service.ts'
import { newCeremony, optionsFor } from '../../credentials/factors/service.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import type { SignInParts } from '../sign-in/service.ts'
import * as reauthentication from './reauthentication.ts'
import type { Reauthenticate } from './schema.ts'

export function routes(
  app: FastifyInstance,
  needs: Parameters<typeof reauthenticationRoute>[1] & Parameters<typeof confirmationOptionsRoute>[1],
): void {
  reauthenticationRoute(app, needs)
  confirmationOptionsRoute(app, needs)
}

type Needs = SignInParts &
  Pick<HttpLayer, 'config' | 'makeChange'> & {
    confirmAtCompany(
      request: FastifyRequest,
      ...input: Parameters<reauthentication.AskDirectory>
    ): ReturnType<reauthentication.AskDirectory>
  }

const description = `Confirms that it is you, for operations that need an authentication within the last 10 minutes: creating keys, granting roles,
changing factors, email address or password, exporting password hashes, and rotating signing keys. They answer 403
\`reauthentication_required\` otherwise.

Users who have a second factor confirm with it; the password is enough for the others. Users of a directory (LDAP) send
\`connection_id\` and \`username\` with its password. Wrong attempts are counted and
throttled like failed sign-ins. A "trusted" browser is never enough.`

/** Options for a confirmation with a passkey. */
function confirmationOptionsRoute(
  app: FastifyInstance,
  { storage, makeChange, relyingParty }: Omit<Needs, 'confirmAtCompany'>,
): void {
  app.route({
    ...operation({
      name: 'begin_passkey_confirmation',
      method: 'POST',
      path: '/sessions/current/reauthentication/passkey-options',
      access: 'user',
      scope: 'global',
      during: ['add_factor', 'change_password'],
      description:
        'Returns options for `navigator.credentials.get` with your passkeys. Send what it returns to `POST /sessions/current/reauthentication` as `passkey` within five minutes.',
      returns: 'PasskeyRequest',
      responses: {
        200: {
          description: 'The options. They work in this session, once, for five minutes; not after a dry run.',
          headers: dryRun,
        },
      },
      problems: ['no_factor'],
    }),
    async handler(request, reply) {
      const rows = await factors.listFactors(storage.db, personOf(request).user_id)
      const ceremony = newCeremony(request.now)
      const { result } = await makeChange(request, reply, 'sessions.begin_passkey', {
        input() {
          if (optionsFor(relyingParty, rows, ceremony.webauthn) !== undefined) return ceremony
          throw new AppError('no_factor', 'You have no passkey. Confirm with another factor.')
        },
      })
      const { webauthn, ...begun } = result
      return { ...begun, options: optionsFor(relyingParty, rows, webauthn) }
    },
  })
}

function reauthenticationRoute(app: FastifyInstance, needs: Needs): void {
  app.route({
    ...operation({
      name: 'reauthenticate',
      method: 'POST',
      path: '/sessions/current/reauthentication',
      access: 'user',
      scope: 'global',
      during: ['add_factor', 'change_password'],
      description,
      body: 'Reauthenticate',
      returns: 'Reauthenticated',
      responses: {
        200: { description: 'How and when the user of this session was authenticated, from now on.', headers: dryRun },
      },
      problems: [
        'confirmation_failed',
        'current_password_wrong',
        'password_refused',
        'too_many_attempts',
        'connection_not_found',
        'connection_refused',
        'connection_conflict',
        'identity_taken',
        'provider_unavailable',
      ],
      example: { password: 'analytical engine no. 1' },
    }),
    async handler(request, reply) {
      const when = { now: request.now, requestId: request.id }
      const { result } = await needs.makeChange(request, reply, 'sessions.renew', {
        input: () => {
          const input = request.body as Reauthenticate
          const origins = needs.relyingParty.originsOf(request)
          const askDirectory: reauthentication.AskDirectory = (company, userId) =>
            needs.confirmAtCompany(request, company, userId)
          return reauthentication.check(
            { ...needs, askDirectory },
            { person: personOf(request), proof: input, origins },
            when,
          )
        },
      })
      return result
    },
  })
}
