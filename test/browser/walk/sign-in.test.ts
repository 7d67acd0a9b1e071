/** What people do on the sign-in pages, in one browser: belongs to npm test. Every page in every look is in ../login*.test.ts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fulfilRequests } from '../../../src/access/sign-in/links/requests.ts'
import { launchBrowser } from '../../browser.ts'
import { codeOf, personWithPhone } from '../../factors.ts'
import { freePort } from '../../free-port.ts'
import { createUser } from '../../harness.ts'
import { startMailServer } from '../../mails/mail-server.ts'
import { dispatchMails, mailEnv } from '../../mails/mailing.ts'
import { password as personPassword } from '../../people.ts'
import { eventually } from '../../webhooks/dispatching.ts'
import { assertAccessible, assertFitsWidth } from '../console-driver.ts'
import {
  assertSignsOut,
  assertWrongPasswordShown,
  heading,
  isSignedIn,
  newPage,
  otherPassword,
  password,
  press,
  startWithAda,
  submitSignIn,
} from '../login-driver.ts'
import { addPasskey, addVirtualAuthenticator } from '../passkeys.ts'
import { assertReachable } from '../reachable.ts'
import { shareWalk } from './shared.ts'

const browser = await launchBrowser()

describe('a walk through the sign-in pages in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return

  const walk = shareWalk(browser, async (t) => {
    const mails = await startMailServer(t)
    const port = await freePort()
    // Passkeys belong to a domain, so an address does not do.
    const api = `http://localhost:${port}/auth`
    const env = { ...mailEnv, ROLLBOOK_SMTP_URL: mails.url, ROLLBOOK_PUBLIC_URL: api }
    const { app } = await startWithAda(t, env, port)
    dispatchMails(t, app)
    return { app, api, mails, page: await newPage(t, browser, { locale: 'en-GB' }) }
  })

  /** Signed out. */
  async function openSignIn(returnTo = '/auth/docs/problems') {
    const { page, api, app, mails } = walk()
    await page.context().clearCookies()
    await page.goto(`${api}/login?return_to=${encodeURIComponent(returnTo)}`)
    return { page, api, app, mails }
  }

  it('shows only what can be pressed, on a screen and on a phone, and passes axe in light and in dark', async () => {
    const { page } = await openSignIn()
    const controls = [
      'Show Password',
      'Sign in',
      'Sign in with a passkey',
      'Forgot your password?',
      'Deutsch',
      'العربية',
    ]
    for (const [width, colorScheme] of [
      [1440, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await assertReachable(page, `${width} px`, controls)
      await assertFitsWidth(page, 'the sign-in page')
      await assertAccessible(page, `${width} px`)
    }
  })

  it('shows what is wrong beside the form, keeps the name and drops the password', async () => {
    const { page, api } = await openSignIn()
    await assertWrongPasswordShown(page, api)
  })

  it('signs in and leads to return_to, on a path of its own origin', async () => {
    const { page, api } = await openSignIn('/auth/docs/problems?a=b#sign_in_failed')
    assert.equal(await submitSignIn(page), 303)
    assert.equal(page.url(), `${api}/docs/problems?a=b#sign_in_failed`)
    assert.equal(await isSignedIn(page, api), true)
  })

  it('signs out', async () => {
    const { page, api } = await openSignIn('/auth/login')
    await submitSignIn(page)
    assert.equal(await heading(page), 'You are signed in')
    await assertReachable(page, 'signed in', ['Continue to Orchard', 'Your account', 'Change password', 'Sign out'])
    await assertSignsOut(page, api)
  })

  it('asks for the code of an authenticator app after the password, and refuses another one', async () => {
    const { page, api, app } = await openSignIn()
    const { username, phone } = await personWithPhone(app, Date.now() - 30_000)
    assert.equal(await submitSignIn(page, { username, password: personPassword }), 200)
    assert.equal(await heading(page), 'Confirm that it is you')
    assert.equal(await isSignedIn(page, api), false)
    await page.getByLabel('Code from your authenticator app').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'The code was not accepted.' }).waitFor()
    await assertReachable(page, 'the second step', ['Sign in'])
    await page.locator('#code').fill(codeOf(phone.secret, Date.now()))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${api}/docs/problems`)
    assert.equal(await isSignedIn(page, api), true)
  })

  it('signs in with a passkey, without a name and a password', async (t) => {
    const { page, api, app } = await openSignIn('/auth/login')
    const { username } = await createUser(app, { username: 'hedy', password })
    await submitSignIn(page, { username: String(username) })
    const { touch, remove } = await addVirtualAuthenticator(page)
    t.after(remove)
    await touch(true)
    assert.match(await page.evaluate<string>(addPasskey), /^[\da-f-]{36}$/)
    // Only the button uses it: without a touch the suggestion in the name field waits.
    await touch(false)
    await openSignIn()
    const button = page.getByRole('button', { name: 'Sign in with a passkey', exact: true })
    await button.waitFor()
    await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await touch(true)
    await button.press('Enter')
    await page.waitForURL(`${api}/docs/problems`)
    const { amr } = (await (await page.context().request.get(`${api}/sessions`)).json())[0]
    assert.deepEqual(amr.sort(), ['mfa', 'pop', 'user'])
  })

  it('sends users who forgot their password a link, with which they choose another', async () => {
    const { page, api, app, mails } = await openSignIn()
    await createUser(app, { username: 'mary', email: 'mary@example.com', password })
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
    await page.getByLabel('Username or email address').fill('mary')
    await press(page, 'Send the link')
    assert.equal(await heading(page), 'Check your mailbox')
    await fulfilRequests(app.storage, Date.now())
    const link = await mailedTo(mails, 'mary@example.com')
    await page.goto(link)
    await page.locator('input[name=new_password]').fill(otherPassword)
    assert.equal(await press(page, 'Set password'), 200)
    assert.equal(await heading(page), 'Password changed')
    assert.equal(await isSignedIn(page, api), true)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  })

  it('leads invited users from their link to the first sign-in', async () => {
    const { page, api, app, mails } = await openSignIn()
    const { user_id } = await createUser(app, { username: 'kim', email: 'kim@example.com' })
    assert.equal((await app.call('POST', `/users/${user_id}/invitation`)).status, 200)
    const link = await mailedTo(mails, 'kim@example.com')
    await page.goto(link)
    assert.equal(await heading(page), 'Welcome to Orchard')
    await assertReachable(page, 'the invitation', ['Set password', 'Use a passkey instead'])
    await page.locator('input[name=new_password]').fill(otherPassword)
    await press(page, 'Set password')
    assert.equal(await heading(page), 'Your password is set')
    assert.equal(await isSignedIn(page, api), true)
  })
})

/** Waits for the message to this address. Returns the link in it. */
async function mailedTo(
  { received }: { received: { to: string[]; mail: { text?: string } }[] },
  address: string,
): Promise<string> {
  const found = () => received.find(({ to }) => to[0] === address)
  await eventually(`the message to ${address}`, () => found() !== undefined)
  return /http:\S+\/[\w-]{43}/.exec(found()?.mail.text ?? '')?.[0] ?? assert.fail(`no link to ${address}`)
}
