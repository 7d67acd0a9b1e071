/** The pages on which a user adds the first second factor, when the policy requires one. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { encryptionSecrets, sealingSecret } from '../../../store/secrets/encryption.ts'
import * as factors from '../../credentials/factors/service.ts'
import {
  getPending,
  makeTotpSecret,
  openSecret,
  qrCode,
  type RelyingParty,
  refuseStaleUnlessFirst,
  refuseUnproven,
  stepOfCode,
  storedSecret,
  totpUri,
} from '../../credentials/factors/service.ts'
import { codesPage } from './recovery-codes.ts'
import { afterFactor, form, formOf, hidden, type PageTools, queryOf } from './tools.ts'
import { offerFactorPage, setUpFactorPage } from './views/factor-pages.ts'
import { type Message, withReturnTo } from './views/pages.ts'

export type AddFactorNeeds = Pick<
  HttpLayer,
  'config' | 'contextOf' | 'makeChange' | 'refuseCrossOrigin' | 'storage'
> & {
  relyingParty: RelyingParty
}

export function addFactorPages(app: FastifyInstance, needs: AddFactorNeeds, tools: PageTools): void {
  const { config, contextOf, makeChange, refuseCrossOrigin, relyingParty, storage } = needs
  const { frameOf, send, placeIn, personIn } = tools
  const newId = uuidv7Maker()

  for (const path of ['/add-factor', '/add-factor/']) {
    app.get(path, hidden, async (request, reply) => {
      const frame = await frameOf(request)
      const person = await personIn(request)
      const returnTo = placeIn(queryOf(request))
      if (person === undefined) return reply.redirect(withReturnTo(`${frame.up}login`, returnTo), 303)
      // Only a factor that they have lets them add another.
      if (person.must_add_factor && (await factors.hasFactor(storage.db, person.user_id))) {
        return reply.redirect(withReturnTo(`${frame.up}confirm`, returnTo), 303)
      }
      const requiredFrom = await factors.requiredFrom(contextOf(request), person.user_id)
      const isRequired = person.must_add_factor || requiredFrom !== null
      const mayUsePasskey = relyingParty.ids.length > 0
      const offer = { username: person.username, returnTo, isRequired, requiredFrom, mayUsePasskey }
      return send(reply, offerFactorPage(frame, offer))
    })
  }

  /** What the page shows of an enrollment: the same picture again after a wrong code. */
  async function show(request: FastifyRequest, factor: { factor_id: string; secret: string }, hasFault = false) {
    const frame = await frameOf(request)
    const { username = '' } = request.actor.signedIn ?? {}
    const otpauth_uri = await totpUri(factor.secret, { issuer: frame.productName, username })
    const returnTo = placeIn(formOf(request))
    const setup = { ...factor, otpauth_uri, qr_code: await qrCode(otpauth_uri), returnTo }
    const fault: Message = { ...frame.t.addFactor.codeWrong, at: 'code' }
    return setUpFactorPage(frame, { ...setup, ...(hasFault && { fault }) })
  }

  app.post('/add-factor', form, async (request, reply) => {
    refuseCrossOrigin(request)
    const person = await personIn(request)
    const { factor_id, code } = formOf(request)
    const returnTo = placeIn(formOf(request))
    if (person === undefined) return reply.redirect(withReturnTo('login', returnTo), 303)
    try {
      await refuseStaleUnlessFirst(storage.db, request)
      await refuseUnproven(storage.db, person)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return reply.redirect(withReturnTo('confirm', returnTo), 303)
    }
    if (factor_id === undefined || code === undefined) {
      const secret = await makeTotpSecret()
      const id = newId(request.now)
      const stored = storedSecret(secret, id, await sealingSecret(storage.db, config))
      const input = { factor_id: id, name: 'Authenticator app', ...stored, shown: secret }
      const { result } = await makeChange(request, reply, 'factors.add_totp', { input: () => input })
      return send(reply, await show(request, { factor_id: result.factor_id, secret: result.shown }))
    }
    const found = await getPending(contextOf(request), factor_id)
    const secret = openSecret(found, encryptionSecrets(config))
    const step = await stepOfCode(secret, code, request.now)
    if (step === undefined) return send(reply, await show(request, { factor_id, secret }, true), 422)
    await makeChange(request, reply, 'factors.confirm_totp', { input: () => ({ factor_id, step }) })
    const next = afterFactor(person, '', returnTo)
    // Codes of an earlier factor stand in for this one too, so they stay.
    const { recovery_codes: left } = await factors.listOf(contextOf(request), person.user_id)
    if (left > 0) return reply.redirect(next, 303)
    return send(reply, await codesPage(needs, request, reply, { frame: await frameOf(request), next }))
  })
}
