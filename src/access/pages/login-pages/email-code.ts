/** Signs in with a code by email: asks for a name, sends the code, takes it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { requestEmailCode } from '../../sign-in/email-code/service.ts'
import { signInBrowser } from '../../sign-in/sign-in/service.ts'
import { busyRefusal, emailCodeFault } from './faults.ts'
import type { SignInNeeds, SignInPage } from './sign-in-form.ts'
import { afterFirstStep, toCompany } from './sign-in-submit.ts'
import { form, formOf, hidden, type PageTools, queryOf } from './tools.ts'
import { askForCodePage, enterCodePage } from './views/email-code-pages.ts'

export function emailCodePages(app: FastifyInstance, needs: SignInNeeds, tools: PageTools): void {
  // A deployment without these codes has no such page.
  if (needs.config.emailCode === 'off') return
  const page = { needs, tools }
  const { frameOf, send, placeIn } = tools
  for (const path of ['/email-code', '/email-code/']) {
    app.get(path, hidden, async (request, reply) =>
      send(reply, askForCodePage(await frameOf(request), { returnTo: placeIn(queryOf(request)) })),
    )
  }
  app.post('/email-code', form, (request, reply) => {
    // Another site could sign users in under its own name, and read what they then enter.
    needs.refuseCrossOrigin(request)
    const { challenge_id } = formOf(request)
    return challenge_id === undefined ? sendCode(page, request, reply) : takeCode(page, request, reply, challenge_id)
  })
}

async function sendCode(
  { needs, tools }: SignInPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { send } = tools
  const { frame, username, returnTo } = await common(tools, request)
  if (username.trim() === '' || username.length > 254) {
    const fault = { title: frame.t.page.missing, detail: frame.t.links.forgotMissing, at: 'username' }
    return send(reply, askForCodePage(frame, { returnTo, fault }), 422)
  }
  const company = await toCompany({ needs, frame }, username, returnTo)
  if (company !== undefined) return send(reply, company)
  try {
    const { challenge_id } = await requestEmailCode(needs, request, reply, username)
    return send(reply, enterCodePage(frame, { challenge_id, username, returnTo }))
  } catch (error) {
    const { refusal, fault } = busyRefusal(frame.t, error)
    return send(reply.headers(refusal.headers), askForCodePage(frame, { username, returnTo, fault }), refusal.status)
  }
}

async function takeCode(
  page: SignInPage,
  request: FastifyRequest,
  reply: FastifyReply,
  challenge_id: string,
): Promise<FastifyReply> {
  const { needs, tools } = page
  const { send } = tools
  const { frame, username, returnTo } = await common(tools, request)
  const { code = '' } = formOf(request)
  if (code.trim() === '') {
    const fault = { title: frame.t.page.missing, detail: frame.t.confirm.codeMissing, at: 'code' }
    return send(reply, enterCodePage(frame, { challenge_id, username, returnTo, fault }), 422)
  }
  try {
    const outcome = await signInBrowser(needs, request, reply, { challenge_id, email_code: code })
    return await afterFirstStep(page, { request, reply }, outcome, { returnTo, trustDays: 0 })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    reply.headers(error.headers)
    if (error.code === 'challenge_expired') {
      const fault = frame.t.emailCode.expired
      return send(reply, askForCodePage(frame, { username, returnTo, fault }), error.status)
    }
    const fault = emailCodeFault(frame.t, error)
    if (fault === undefined) throw error
    return send(reply, enterCodePage(frame, { challenge_id, username, returnTo, fault }), error.status)
  }
}

async function common({ frameOf, placeIn }: PageTools, request: FastifyRequest) {
  const fields = formOf(request)
  return { frame: await frameOf(request), username: fields.username ?? '', returnTo: placeIn(fields) }
}
