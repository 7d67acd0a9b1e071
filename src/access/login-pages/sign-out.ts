import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { unseal } from '../../lib/sealing.ts'
import type { SignedIn } from '../../store/context.ts'
import type { Providers } from '../company-sign-in/providers.ts'
import { hintLabel } from '../company-sign-in/service.ts'
import { findCompany } from '../sessions/service.ts'
import { toProviderPage } from './company-pages.ts'
import { signedOutPage, signOutPage } from './pages.ts'
import { formOf, hidden, type PageTools, personOf, queryOf } from './tools.ts'

export type SignOutNeeds = Pick<HttpLayer, 'cookies' | 'links' | 'storage' | 'originOf' | 'refuseCrossOrigin'> & {
  providers: Providers
}

export function signOutPages(app: FastifyInstance, needs: SignOutNeeds, tools: PageTools): void {
  const { providers, cookies, links, storage, originOf, refuseCrossOrigin } = needs
  const { frameOf, send, placeIn, personIn } = tools

  for (const path of ['/logout', '/logout/']) {
    // Ask first: an image or a link on another page must not sign users out.
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const returnTo = placeIn(queryOf(request))
      const person = await personIn(request)
      if (person === undefined) return send(reply, signedOutPage(frame, { returnTo }))
      return send(reply, signOutPage(frame, { person: personOf(person), returnTo }))
    })
  }

  const config = { ...hidden.config, duringImpersonation: true }
  app.post('/logout', { config }, async (request, reply) => {
    refuseCrossOrigin(request)
    const person = await personIn(request)
    const there = person === undefined ? undefined : await leaveCompany(request, person)
    if (person !== undefined) await end(request, person)
    // Of both sessions, if an administrator acted as a user: the next person at this computer must find neither.
    reply.header('set-cookie', [cookies.clear(), cookies.own.clear()])
    if (there !== undefined) {
      const frame = await frameOf(request)
      return send(reply, toProviderPage(frame, { href: there.href, detail: frame.t.signOut.companyToo }))
    }
    return reply.redirect(placeIn(formOf(request)) ?? 'logout', 303)
  })

  /** The provider's sign-out URL, if the connection is configured to use it. */
  async function leaveCompany(request: FastifyRequest, { session_id }: SignedIn): Promise<URL | undefined> {
    const company = await findCompany(storage.db, session_id)
    if (company === undefined) return undefined
    const { connection_id, hint } = company
    const token = cookies.read(request) ?? ''
    const returnUri = `${links.issuer()}/logout`
    const opened = hint === null ? undefined : unseal(token, hint, hintLabel)
    return providers.leave({ connection_id, hint: opened, returnUri })
  }

  async function end(request: FastifyRequest, person: SignedIn): Promise<void> {
    const { act, session_id = person.session_id } = person.impersonation ?? {}
    const user_id = act?.sub ?? person.user_id
    const { actor, now, id: requestId } = request
    try {
      await storage.change(
        'sessions.end',
        { user_id, session_id },
        { actor, now, requestId, origin: originOf(request) },
      )
    } catch (error) {
      // The user signed out in another tab at the same time.
      if (!(error instanceof AppError && error.code === 'session_not_found')) throw error
    }
  }
}
