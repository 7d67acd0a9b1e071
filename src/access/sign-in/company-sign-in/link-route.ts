import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { noParameters, operation } from '../../../http/endpoint/operation.ts'
import { text } from '../../../http/endpoint/response-parts.ts'
import { returnTo } from '../../../lib/return-to.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import type { LinkIdentity } from '../../providers/connections/schema.ts'
import { SignInRefused } from './refused.ts'
import { type LinkNeeds, startLink } from './start-link.ts'

const description = `Starts linking an account of an identity provider to the signed-in user. Send the browser of the user to \`authorization_url\` within ten minutes; it must keep the cookie of this response, and the session. It comes back to \`return_to\`, or to the page \`/link\`, and the account is linked.

An account that another user has linked is refused, on a page.`

type Needs = Pick<HttpLayer, 'config'> &
  LinkNeeds & {
    /** The language that the user or the product chose. */
    chosenLanguage(request: FastifyRequest): string | undefined
  }

export function linkIdentityRoute(app: FastifyInstance, needs: Needs): void {
  const { chosenLanguage, config, links } = needs
  app.route({
    ...operation({
      name: 'link_my_identity',
      method: 'POST',
      path: '/me/identities',
      access: 'user',
      scope: 'global',
      recent: true,
      description,
      query: noParameters,
      body: 'LinkIdentity',
      returns: 'LinkStart',
      responses: {
        200: {
          description: 'Where to send the browser.',
          headers: { 'Set-Cookie': text('Binds the link to this browser.') },
        },
      },
      problems: ['connection_not_found', 'provider_unavailable'],
    }),
    async handler(request, reply) {
      const { connection_id, return_to } = request.body as LinkIdentity
      const place = returnTo(return_to, { origin: links.origin(), allowed: config.returnOrigins ?? [] })
      if (return_to !== undefined && place === undefined) {
        const detail = 'return_to must be a path, or a URL of an origin in ROLLBOOK_RETURN_ORIGINS.'
        throw validationFailed([memberFault('return_to', 'return_to_refused', detail)])
      }
      try {
        const { user_id } = personOf(request)
        const linking = { connection_id, returnTo: place, user_id, language: chosenLanguage(request) }
        const { url, cookie } = await startLink(needs, request, linking)
        reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' })
        return { authorization_url: url.href }
      } catch (error) {
        if (!(error instanceof SignInRefused)) throw error
        if (error.reason === 'inactive') throw new AppError('connection_not_found', 'The connection is not active.')
        throw new AppError('provider_unavailable', 'The identity provider does not respond as it should.')
      }
    },
  })
}
