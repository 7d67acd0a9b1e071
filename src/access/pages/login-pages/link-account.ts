/** The page on which a signed-in user links accounts of companies. */

import type { FastifyInstance } from 'fastify'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseStaleSession } from '../../../http/endpoint/recent-authentication.ts'
import { listLinkable, listOf } from '../../providers/connections/service.ts'
import { SignInRefused, startLink } from '../../sign-in/company-sign-in/service.ts'
import { chosenLanguage } from '../page-texts/service.ts'
import type { CompanyNeeds } from './company.ts'
import { form, formOf, hidden, isHalf, type PageTools, queryOf } from './tools.ts'
import { linkAccountPage, passwordPage, refusedPage, toProviderPage } from './views/company-pages.ts'
import { withReturnTo } from './views/pages.ts'

type Needs = CompanyNeeds & Pick<HttpLayer, 'config' | 'refuseCrossOrigin'>

export function linkAccountPages(app: FastifyInstance, needs: Needs, tools: PageTools): void {
  const { links, refuseCrossOrigin, storage } = needs
  const { frameOf, personIn, send } = tools

  for (const path of ['/link', '/link/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const person = await personIn(request)
      if (person === undefined || isHalf(person)) {
        return reply.redirect(withReturnTo(`${frame.up}login`, links.path('/link')), 303)
      }
      const identities = await listOf({ db: storage.db, actor: system }, person.user_id)
      const buttons = await listLinkable(storage.db, person)
      const isLinked = 'linked' in queryOf(request)
      return send(reply, linkAccountPage(frame, { username: person.username, identities, buttons, isLinked }))
    })
  }

  app.post('/link', form, async (request, reply) => {
    refuseCrossOrigin(request)
    const frame = await frameOf(request)
    const person = await personIn(request)
    if (person === undefined || isHalf(person)) {
      return reply.redirect(withReturnTo('login', links.path('/link')), 303)
    }
    try {
      refuseStaleSession(request)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return reply.redirect(withReturnTo('confirm', links.path('/link')), 303)
    }
    const { connection_id = '' } = formOf(request)
    const button = (await listLinkable(storage.db, person)).find((one) => one.connection_id === connection_id)
    if (button?.way === 'password') {
      const prompt = { connection: button, username: '', purpose: 'link', returnTo: undefined }
      return send(reply, passwordPage(frame, prompt))
    }
    try {
      const language = chosenLanguage(request, needs)
      const linking = { connection_id, returnTo: undefined, user_id: person.user_id, language }
      const { url, cookie } = await startLink(needs, request, linking)
      reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' })
      return send(reply, toProviderPage(frame, { href: url.href, detail: frame.t.company.chooseThere }))
    } catch (error) {
      const isUnknown = error instanceof AppError && error.code === 'connection_not_found'
      if (!isUnknown && !(error instanceof SignInRefused)) throw error
      const reason = isUnknown ? 'inactive' : (error as SignInRefused).reason
      const refused = refusedPage(frame, { reason, requestId: request.id })
      return send(reply, refused.page, refused.status)
    }
  })
}
