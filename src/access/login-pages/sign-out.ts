import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import type { SignedIn } from '../../store/context.ts'
import { signedOutPage, signOutPage } from './pages.ts'
import { formOf, hidden, type PageTools, personOf, queryOf } from './tools.ts'

export type SignOutNeeds = Pick<HttpLayer, 'cookies' | 'storage' | 'originOf' | 'refuseCrossOrigin'>

export function signOutPages(app: FastifyInstance, needs: SignOutNeeds, tools: PageTools): void {
  const { cookies, storage, originOf, refuseCrossOrigin } = needs
  const { frameOf, send, placeIn, personIn } = tools

  for (const path of ['/logout', '/logout/']) {
    // Ask first: an image or a link on another page must not sign users out.
    app.get(path, hidden, async (request, reply) => {
      const frame = frameOf(request)
      const returnTo = placeIn(queryOf(request))
      const person = await personIn(request)
      if (person === undefined) return send(reply, signedOutPage(frame, { returnTo }))
      return send(reply, signOutPage(frame, { person: personOf(person), returnTo }))
    })
  }

  app.post('/logout', hidden, async (request, reply) => {
    refuseCrossOrigin(request)
    const person = await personIn(request)
    if (person !== undefined) await end(request, person)
    return reply.header('set-cookie', cookies.clear()).redirect(placeIn(formOf(request)) ?? 'logout', 303)
  })

  async function end(request: FastifyRequest, { user_id, session_id }: SignedIn): Promise<void> {
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
