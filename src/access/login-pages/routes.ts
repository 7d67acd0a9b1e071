/** The pages on which people sign in, sign out and change their password. They work without a script. */
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app/app.ts'
import { acceptForms } from '../../http/request/forms.ts'
import { loginAssets } from './assets.ts'
import { changePasswordPages } from './change-password.ts'
import { problemsAsPages } from './problems.ts'
import { signInPages } from './sign-in.ts'
import { signOutPages } from './sign-out.ts'
import { pageTools } from './tools.ts'

export function loginPages(app: FastifyInstance, core: App): void {
  app.register(async (scope) => {
    // A body in JSON belongs to POST /sessions and POST /me/password.
    scope.removeAllContentTypeParsers()
    acceptForms(scope)
    const tools = pageTools(core, loginAssets(scope, core.config.productName))
    problemsAsPages(scope, tools)
    signInPages(scope, core, tools)
    signOutPages(scope, core, tools)
    changePasswordPages(scope, core, tools)
  })
}
