/** What the sign-in page receives: a name, a password of ours or of a directory, or the second step. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Duty } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { domainIn } from '../../../directory/users/service.ts'
import { encodeQuery } from '../../../http/request/query.ts'
import * as factors from '../../credentials/factors/service.ts'
import { type Button, listButtons } from '../../providers/connections/service.ts'
import { directoryFor, visitOf } from '../../sign-in/company-sign-in/service.ts'
import { type InBrowser, signInBrowser } from '../../sign-in/sign-in/service.ts'
import { enterFromSignInPage, showRefusal, takeCompanyPassword } from './company.ts'
import { noCode, nothingEntered, secondStepFault, signInFault } from './faults.ts'
import { afterRecoveryCode } from './recovery-codes.ts'
import { formParts, type SignInNeeds, type SignInPage } from './sign-in-form.ts'
import { codeIn, formOf } from './tools.ts'
import { toProviderPage } from './views/company-pages.ts'
import { secondStepPage } from './views/factor-pages.ts'
import { type Frame, type Page, signInPage, withReturnTo } from './views/pages.ts'

/** Takes a step of the sign-in. Returns the next page, or sends the browser to the product. */
export async function submitSignIn(
  { needs, tools }: SignInPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { config, links, refuseCrossOrigin, storage } = needs
  const { frameOf, placeIn, send } = tools
  // Another site could sign users in under its own name, and read what they then enter.
  refuseCrossOrigin(request)
  const fields = formOf(request)
  const { username = '', password = '', challenge_id } = fields
  const returnTo = placeIn(fields)
  const frame = await frameOf(request)
  if (challenge_id !== undefined) return submitSecondStep({ needs, tools }, { request, reply }, challenge_id)
  if (fields.connection_id !== undefined) return takeCompanyPassword(needs, tools, { request, reply })
  if (username !== '' && fields.password === undefined)
    return submitName({ needs, tools }, { request, reply }, username)
  if (username === '' || password === '') {
    return send(
      reply,
      signInPage(frame, {
        ...(await formParts(needs, request, { frame, returnTo })),
        username,
        fault: nothingEntered(frame.t),
      }),
      422,
    )
  }
  try {
    const { directory, isOfUser } = await directoryFor(storage.db, { username, password })
    if (directory !== undefined && !isOfUser) {
      return await enterFromSignInPage(needs, tools, { request, reply }, { directory, username, password, returnTo })
    }
    const outcome = await signInBrowser(needs, request, reply, { username, password }).catch(async (error: unknown) => {
      const isWrong = error instanceof AppError && error.code === 'sign_in_failed'
      if (isWrong && directory !== undefined) await askForNobody(needs, request, { directory, returnTo })
      throw error
    })
    const trustDays = config.trustBrowserDays
    return await afterFirstStep({ needs, tools }, { request, reply }, outcome, { returnTo, trustDays })
  } catch (error) {
    const fault = signInFault(frame.t, error)
    if (fault === undefined || !(error instanceof AppError)) {
      return showRefusal(tools, { request, reply }, error, links.path('/link'))
    }
    return send(
      reply.headers(error.headers),
      signInPage(frame, { ...(await formParts(needs, request, { frame, returnTo })), username, fault }),
      error.status,
    )
  }
}

/** Shows the second step, or sends the signed-in user on. */
export async function afterFirstStep(
  { needs: { contextOf }, tools }: SignInPage,
  { request, reply }: Exchange,
  outcome: InBrowser,
  { returnTo, trustDays }: { returnTo: string | undefined; trustDays: number },
): Promise<FastifyReply> {
  if ('next' in outcome) {
    const { options, ...next } = outcome.next
    const passkey = options && JSON.stringify(options)
    const step = { ...next, passkey, returnTo, trustDays }
    const { user_id } = outcome
    return tools.send(reply, secondStepPage(await tools.frameOf(request, { user_id }), step), 200)
  }
  const { duty, session } = outcome.signedIn
  if (duty !== undefined) return reply.redirect(withReturnTo(pageOf(duty), returnTo), 303)
  const { user_id } = session
  const isDueLater = (await factors.requiredFrom(contextOf(request), user_id)) !== null
  return reply.redirect(isDueLater ? withReturnTo('add-factor', returnTo) : (returnTo ?? 'login'), 303)
}

/** The response must not reveal that the name belongs to a user here: see `enterFromForm`. */
async function askForNobody(
  needs: SignInNeeds,
  request: FastifyRequest,
  { directory: { connection_id }, returnTo }: { directory: Button; returnTo: string | undefined },
): Promise<void> {
  const { visit } = await visitOf(needs, request)
  await needs.companySignIn.askForNobody(
    { connection_id, visit, returnTo },
    { now: request.now, requestId: request.id },
  )
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** Decides by the domain alone, so that the page is the same whether or not there is such a user. Undefined: no company takes it. */
export async function toCompany(
  { needs, frame }: { needs: SignInNeeds; frame: Frame },
  username: string,
  returnTo: string | undefined,
): Promise<Page | undefined> {
  const domain = domainIn(username)
  const buttons = await listButtons(needs.storage.db, { domain })
  const company = buttons.find(({ domains }) => domain && domains.includes(domain))
  if (company === undefined) return undefined
  const { connection_id: connection } = company
  const href = `${frame.up}login?${encodeQuery({ connection, login_hint: username.trim(), return_to: returnTo })}`
  return toProviderPage(frame, { href, detail: frame.t.signIn.companyNext(company.name) })
}

async function submitName(
  { needs, tools }: SignInPage,
  { request, reply }: Exchange,
  username: string,
): Promise<FastifyReply> {
  const { frameOf, placeIn, send } = tools
  const frame = await frameOf(request)
  const returnTo = placeIn(formOf(request))
  const company = await toCompany({ needs, frame }, username, returnTo)
  if (company !== undefined) return send(reply, company)
  return send(reply, signInPage(frame, { ...(await formParts(needs, request, { frame, returnTo })), username }))
}

async function submitSecondStep(
  { needs, tools }: SignInPage,
  { request, reply }: Exchange,
  challenge_id: string,
): Promise<FastifyReply> {
  const { config, links } = needs
  const { frameOf, placeIn, send } = tools
  const fields = formOf(request)
  const { methods = '', passkey } = fields
  const returnTo = placeIn(fields)
  const frame = await frameOf(request)
  const trusts = fields.trust_browser === 'true'
  const known = methods.split(' ').filter((method) => /^[a-z_]{1,20}$/.test(method))
  const trustDays = fields.can_trust === 'true' ? config.trustBrowserDays : 0
  const step = { challenge_id, methods: known, passkey, returnTo, trustDays, trusts }
  const code = codeIn(fields)
  if (code === undefined) return send(reply, secondStepPage(frame, { ...step, fault: noCode(frame.t, known) }), 422)
  const proof = { challenge_id, ...code, trust_browser: trusts }
  try {
    const outcome = await signInBrowser(needs, request, reply, proof)
    const duty = 'signedIn' in outcome ? outcome.signedIn.duty : undefined
    const next = 'recovery_code' in proof ? afterRecoveryCode(links.path('/recovery-codes'), returnTo) : returnTo
    return reply.redirect(duty ? withReturnTo(pageOf(duty), next) : (next ?? 'login'), 303)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    reply.headers(error.headers)
    if (error.code === 'challenge_expired') {
      return send(
        reply,
        signInPage(frame, {
          ...(await formParts(needs, request, { frame, returnTo })),
          fault: frame.t.confirm.expired,
        }),
        error.status,
      )
    }
    const fault = secondStepFault(frame.t, error, proof)
    if (fault === undefined) throw error
    return send(reply, secondStepPage(frame, { ...step, fault }), error.status)
  }
}

/** The sign-in page chooses between adding a factor and confirming with one. */
function pageOf(duty: Duty): string {
  return duty === 'change_password' ? 'change-password' : 'login'
}
