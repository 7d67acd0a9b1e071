/** The pages for signing in, signing out and changing the password. They work without scripts, except passkeys. */
import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../../http/request/forms.ts'
import { type AddFactorNeeds, addFactorPages } from './add-factor.ts'
import { loginAssets } from './assets.ts'
import { type ChangePasswordNeeds, changePasswordPages } from './change-password.ts'
import { type CliLoginNeeds, cliLoginPages } from './cli-login.ts'
import { companyPages } from './company.ts'
import { type ConfirmNeeds, confirmPages } from './confirm.ts'
import { emailCodePages } from './email-code.ts'
import { linkAccountPages } from './link-account.ts'
import { type LinkPasskeyNeeds, linkPasskeyRoutes } from './link-passkey.ts'
import { type LinkPageNeeds, linkPages } from './links.ts'
import { problemsAsPages } from './problems.ts'
import { recoveryCodesPages } from './recovery-codes.ts'
import { requestAccessPages } from './request-access.ts'
import { type SignInNeeds, signInPages } from './sign-in.ts'
import { type SignOutNeeds, signOutPages } from './sign-out.ts'
import { keepLanguages, type PageNeeds, pageTools } from './tools.ts'

type Needs = AddFactorNeeds &
  CliLoginNeeds &
  ConfirmNeeds &
  PageNeeds &
  SignInNeeds &
  SignOutNeeds &
  ChangePasswordNeeds &
  LinkPageNeeds &
  LinkPasskeyNeeds

export function routes(app: FastifyInstance, needs: Needs): void {
  // Their script sends JSON.
  linkPasskeyRoutes(app, needs)
  app.register(async (scope) => {
    // A JSON body belongs to POST /sessions and POST /me/password.
    scope.removeAllContentTypeParsers()
    acceptForms(scope)
    const tools = pageTools(needs, loginAssets(scope, needs.config.productName))
    keepLanguages(scope, needs)
    problemsAsPages(scope, tools)
    signInPages(scope, needs, tools)
    emailCodePages(scope, needs, tools)
    companyPages(scope, needs, tools)
    linkAccountPages(scope, needs, tools)
    signOutPages(scope, needs, tools)
    changePasswordPages(scope, needs, tools)
    confirmPages(scope, needs, tools)
    addFactorPages(scope, needs, tools)
    recoveryCodesPages(scope, needs, tools)
    linkPages(scope, needs, tools)
    requestAccessPages(scope, needs, tools)
    cliLoginPages(scope, needs, tools)
  })
}
