/**
 * Documents that browsers and password managers look for at fixed paths of an origin. Each is served twice: below our own path, and
 * at the root, which browsers ask for, so that a proxy can pass it on unchanged.
 */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import type { RelyingParty } from '../factors/service.ts'

type Needs = Pick<HttpLayer, 'config' | 'links'> & {
  relyingParty: RelyingParty
  /** The app without the prefix. Undefined if no prefix is configured. */
  root: FastifyInstance | undefined
}

const hidden = { config: { access: 'public', scope: 'global' } } as const
/** Browsers ask once per ceremony; an operator who changes the list should not wait for long. */
const published = 'public, max-age=300'

export function routes(scope: FastifyInstance, needs: Needs): void {
  for (const app of needs.root === undefined ? [scope] : [scope, needs.root]) serve(app, needs)
}

function serve(app: FastifyInstance, { config, links, relyingParty }: Needs): void {
  const absolute = (path: string) => links.origin() + links.path(path)

  // Related origins (WebAuthn Level 3 §5.11): on the domain of the passkeys, the other origins that may use them.
  app.get('/.well-known/webauthn', hidden, (_request, reply) => {
    refuseWithoutDomain()
    const origins = [...new Set([links.origin(), ...(config.passkeyOrigins ?? [])])]
    reply.header('cache-control', published).type('application/json').send({ origins })
  })

  // A Well-Known URL for Relying Party Passkey Endpoints (W3C): where password managers send users.
  app.get('/.well-known/passkey-endpoints', hidden, (_request, reply) => {
    refuseWithoutDomain()
    const manage = absolute('/account')
    reply.header('cache-control', published).type('application/json').send({ enroll: manage, manage })
  })

  // A Well-Known URL for Changing Passwords (W3C). Not permanent: browsers would keep the old place.
  app.get('/.well-known/change-password', hidden, (_request, reply) =>
    reply.redirect(links.path('/change-password'), 302),
  )

  function refuseWithoutDomain(): void {
    if (relyingParty.ids.length > 0) return
    throw new AppError(
      'not_found',
      'There is nothing at this path: passkeys need a domain, and the public URL has none.',
    )
  }
}
