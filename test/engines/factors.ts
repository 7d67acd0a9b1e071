/** Second factors, passkeys, trusted browsers, and what a policy would require. */
import { Authenticator } from '../authenticator.ts'
import { addPhone, beginSignIn, codeOf, finishSignIn } from '../factors.ts'
import { browserAfter, cookiesOf, createPerson, password } from '../people.ts'
import type { Script } from './script.ts'

const origin = 'http://orchard.example'

export async function factors(script: Script): Promise<void> {
  const { app, admin, visitor, signIn, clock } = script
  const ida = await createPerson(app, { username: 'ida', email: 'ida@example.com' })
  const browser = await signIn('ida')
  const { caller } = browser
  const phone = await addPhone(browser, clock())
  await caller('GET /me/factors')
  await caller('POST /me/factors/totp/019a0000-0000-7000-8000-000000000000/confirm', { code: '1' }, { refused: 422 })
  await caller(`PATCH /me/factors/${phone.factor_id}`, { name: 'old phone' })
  const { recovery_codes } = await caller('POST /me/recovery-codes')
  await admin(`GET /users/${ida.user_id}/factors`)
  await admin('POST /second-factor-policy/test', { policy: 'required' })
  await admin('POST /second-factor-policy/test', { policy: { 'group:Nobody': 'required' } })
  await admin('GET /second-factor-policy/users')

  await clock.pass(30_000)
  const wrong = await beginSignIn(app, 'ida')
  await finishSignIn(app, wrong, { code: '000000' })
  const finished = await finishSignIn(app, wrong, { code: codeOf(phone.secret, clock()), trust_browser: true })
  const trusting = browserAfter(app, finished)
  await script.in(trusting)('GET /me/trusted-browsers')
  await app.call('POST', '/sessions', {
    key: null,
    headers: { cookie: cookiesOf(finished) },
    body: { username: 'ida', password },
  })
  const [trusted] = await admin(`GET /users/${ida.user_id}/trusted-browsers`)
  await admin(`DELETE /users/${ida.user_id}/trusted-browsers/${trusted.browser_id}`)
  await clock.pass(30_000)
  const again = await finishSignIn(app, await beginSignIn(app, 'ida'), {
    code: codeOf(phone.secret, clock()),
    trust_browser: true,
  })
  const own = script.in(browserAfter(app, again))
  const [mine] = await own('GET /me/trusted-browsers')
  await own(`DELETE /me/trusted-browsers/${mine.browser_id}`)
  await finishSignIn(app, await beginSignIn(app, 'ida'), { recovery_code: recovery_codes[0] })

  const device = new Authenticator({ origin })
  const begun = await caller('POST /me/factors/passkeys/options')
  const passkey = device.create(begun.options)
  await caller('POST /me/factors/passkeys', { challenge_id: begun.challenge_id, passkey, name: 'laptop' })
  await caller('POST /me/factors/passkeys', { challenge_id: begun.challenge_id, passkey }, { refused: 422 })
  const optionsResponse = await app.call('POST', '/sessions/passkey-options', { key: null })
  const request = { challenge_id: optionsResponse.body.challenge_id, passkey: device.get(optionsResponse.body.options) }
  await visitor('POST /sessions', request, { headers: { cookie: cookiesOf(optionsResponse) } })
  const confirming = await caller('POST /sessions/current/reauthentication/passkey-options')
  device.counter++
  await caller('POST /sessions/current/reauthentication', { passkey: device.get(confirming.options) })

  await caller(`DELETE /me/factors/${phone.factor_id}`)
  const [left] = (await admin(`GET /users/${ida.user_id}/factors`)).factors
  await admin(`DELETE /users/${ida.user_id}/factors/${left.factor_id}`)
  await addPhone(await signIn('ida'), clock())
  await admin(`DELETE /users/${ida.user_id}/factors`)
}
