import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import * as users from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import * as setup from '../setup/service.ts'
import { type BrowserSignInNeeds, signInBrowser } from '../sign-in/browser.ts'
import { nothingEntered, signInFault } from './faults.ts'
import { signedInPage, signInPage, withReturnTo } from './pages.ts'
import { formOf, hidden, type PageTools, personOf, queryOf } from './tools.ts'

export type SignInNeeds = BrowserSignInNeeds & Pick<HttpLayer, 'config' | 'links' | 'refuseCrossOrigin' | 'contextOf'>

export function signInPages(app: FastifyInstance, needs: SignInNeeds, tools: PageTools): void {
  const { config, links, refuseCrossOrigin, contextOf } = needs
  const { frameOf, send, placeIn, personIn } = tools
  // Under a prefix, the rest of the origin belongs to the product.
  const productUrl = links.path('') === '' ? config.returnOrigins?.[0] : '/'

  for (const path of ['/login', '/login/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = frameOf(request)
      const returnTo = placeIn(queryOf(request))
      const person = await personIn(request)
      if (person === undefined) {
        const lacksAdministrator = await isFirstStep(request, returnTo)
        return send(reply, signInPage(frame, { returnTo, lacksAdministrator }))
      }
      if (person.must_change_password) {
        return reply.redirect(withReturnTo(`${frame.up}change-password`, returnTo), 303)
      }
      if (returnTo !== undefined) return reply.redirect(returnTo, 303)
      const note = 'password_changed' in queryOf(request) ? 'Your password was changed.' : undefined
      return send(reply, signedInPage(frame, { person: personOf(person), productUrl, note }))
    })
  }

  /** Users of the product do not need it, so it is shown only before there are users, and for the console. */
  async function isFirstStep(request: FastifyRequest, returnTo: string | undefined): Promise<boolean> {
    const ctx = contextOf(request)
    const isForConsole = returnTo !== undefined && /\/console(\/|$)/.test(returnTo.split(/[?#]/, 1)[0] ?? '')
    if (!isForConsole && (returnTo !== undefined || (await users.areThereAny(ctx)))) return false
    return setup.isOpen(ctx)
  }

  app.post('/login', hidden, async (request, reply) => {
    // Another site could sign users in under its own name, and read what they then enter.
    refuseCrossOrigin(request)
    const fields = formOf(request)
    const { username = '', password = '' } = fields
    const returnTo = placeIn(fields)
    const frame = frameOf(request)
    if (username === '' || password === '') {
      return send(reply, signInPage(frame, { username, returnTo, fault: nothingEntered }), 422)
    }
    try {
      const { mustChangePassword } = await signInBrowser(needs, request, reply, { username, password })
      const next = mustChangePassword ? withReturnTo('change-password', returnTo) : (returnTo ?? 'login')
      return reply.redirect(next, 303)
    } catch (error) {
      const fault = signInFault(error)
      if (fault === undefined || !(error instanceof AppError)) throw error
      return send(reply.headers(error.headers), signInPage(frame, { username, returnTo, fault }), error.status)
    }
  })
}
