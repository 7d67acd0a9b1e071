/** The page on which users look after their own account, and its operations. */
import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../../http/request/forms.ts'
import { assetsFolder, keepLanguages, pageTools, problemsAsPages } from '../login-pages/service.ts'
import { accountOperations, type OperationNeeds } from './operations.ts'
import { type AccountPageNeeds, accountPages } from './pages.ts'

export function routes(app: FastifyInstance, needs: AccountPageNeeds & OperationNeeds): void {
  accountOperations(app, needs)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    acceptForms(scope)
    const tools = pageTools(needs, assetsFolder(needs.config.productName))
    keepLanguages(scope, needs)
    problemsAsPages(scope, tools)
    accountPages(scope, needs, tools)
  })
}
