/** The pages behind setup links: what the IT administrator of a customer does without an account. They work without scripts. */
import type { FastifyInstance } from 'fastify'
import { proofLimiter } from '../../../directory/organizations/service.ts'
import { acceptForms } from '../../../http/request/forms.ts'
import type { PageNeeds } from '../login-pages/service.ts'
import { assetsFolder, hidden, keepLanguages, pageTools, problemsAsPages } from '../login-pages/service.ts'
import { companyPages } from './company.ts'
import { domainPages } from './domains.ts'
import { type SetupNeeds, setupPages } from './open.ts'
import { overviewPage } from './overview.ts'
import { provisioningPages } from './provisioning.ts'

type Needs = SetupNeeds & PageNeeds

export function routes(app: FastifyInstance, needs: Needs): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    acceptForms(scope)
    const tools = pageTools(needs, assetsFolder(needs.config.productName))
    keepLanguages(scope, needs)
    problemsAsPages(scope, tools)
    const pages = setupPages(needs, tools, proofLimiter())
    scope.get(
      '/setup/:token',
      hidden,
      pages.opened(undefined, async (exchange) => exchange.send(await overviewPage(needs, exchange))),
    )
    domainPages(scope, pages)
    companyPages(scope, pages)
    provisioningPages(scope, pages)
  })
}
