import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { unseal } from '../../../lib/sealing.ts'
import { cookiesAfter, findCompany } from '../../credentials/sessions/service.ts'
import { hintLabel, type Providers } from '../../sign-in/company-sign-in/service.ts'
import { formOf, hidden, type PageTools, personOf, queryOf } from './tools.ts'
import { toProviderPage } from './views/company-pages.ts'
import { signedOutPage, signOutPage } from './views/pages.ts'

export type SignOutNeeds = Pick<
  HttpLayer,
  'config' | 'cookies' | 'links' | 'lookUp' | 'storage' | 'originOf' | 'refuseCrossOrigin'
> & { providers: Providers }

type Company = NonNullable<Awaited<ReturnType<typeof findCompany>>>
type SessionOfUser = Pick<SignedIn, 'user_id' | 'session_id'>

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
    const company = person && (await findCompany(storage.db, person.session_id))
    // Both sessions, if an administrator acted as a user: the next person at this computer must find neither.
    if (person !== undefined) await end(request, ownOf(person))
    reply.header('set-cookie', [cookies.clear(), cookies.own.clear()])
    // Only now: whatever fails there, the user is signed out here.
    const there = company && (await leaveCompany(request, company))
    if (there !== undefined) {
      const frame = await frameOf(request)
      return send(reply, toProviderPage(frame, { href: there.href, detail: frame.t.signOut.companyToo }))
    }
    return reply.redirect(placeIn(formOf(request)) ?? 'logout', 303)
  })

  /** Stops acting as a user, gives the browser the administrator's own session back, and leads to the page of the user. */
  app.post('/exit', { config }, async (request, reply) => {
    refuseCrossOrigin(request)
    const person = await personIn(request)
    if (person?.impersonation === undefined) return reply.redirect('login', 303)
    await end(request, person)
    reply.header('set-cookie', await cookiesAfter(needs, request, person))
    return reply.redirect(`console/users/${person.user_id}`, 303)
  })

  /** The provider's sign-out URL, if the connection is configured to use it. */
  async function leaveCompany(request: FastifyRequest, { connection_id, hint }: Company): Promise<URL | undefined> {
    const token = cookies.read(request) ?? ''
    const returnUri = `${links.issuer()}/logout`
    try {
      const opened = hint === null ? undefined : unseal(token, hint, hintLabel)
      const when = { now: request.now, requestId: request.id }
      return await providers.signOutUrl({ connection_id, hint: opened, returnUri }, when)
    } catch (err) {
      request.log.warn({ err, connection_id }, 'a user cannot be sent to the provider to sign out there')
      return undefined
    }
  }

  async function end(request: FastifyRequest, { user_id, session_id }: SessionOfUser): Promise<void> {
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

/** The session of the person at the computer: the administrator's, who may act as another user. */
function ownOf({ user_id, session_id, impersonation }: SignedIn): SessionOfUser {
  return impersonation === undefined
    ? { user_id, session_id }
    : { user_id: impersonation.act.sub, session_id: impersonation.session_id }
}
