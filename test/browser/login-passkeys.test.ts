/** Passkeys on the sign-in pages, with Chromium's virtual authenticator. */
import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { addPhone, codeOf } from '../factors.ts'
import { freePort } from '../free-port.ts'
import { createUser, start } from '../harness.ts'
import { openBrowser } from '../people.ts'
import { assertAccessible } from './console-driver.ts'
import { closePagesFirst, heading, isSignedIn, newPage, password, startWithAda, submitSignIn } from './login-driver.ts'
import { addPasskey, addVirtualAuthenticator } from './passkeys.ts'

const browser = await launchBrowser()

/** What some password managers do: results are plain objects, with the buffers as texts or views, and without toJSON. */
const replaceCredentials = `{
  const get = navigator.credentials.get.bind(navigator.credentials)
  const create = navigator.credentials.create.bind(navigator.credentials)
  const base64url = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  Object.defineProperty(navigator, 'credentials', { value: { async get(options) {
    const { id, type, response } = await get(options)
    const { clientDataJSON, authenticatorData, signature, userHandle } = response
    window.name = 'replaced'
    return { id, type, response: {
      clientDataJSON: base64url(clientDataJSON), authenticatorData: new Uint8Array(authenticatorData), signature, userHandle,
    } }
  }, async create(options) {
    const { id, type, response } = await create(options)
    const { clientDataJSON, attestationObject } = response
    window.name = 'created'
    return { id, type, response: { clientDataJSON: base64url(clientDataJSON), attestationObject: new Uint8Array(attestationObject) } }
  } } })
}`

type Opening = BrowserContextOptions & { phone?: boolean; clock?: () => number }

describe('passkeys on the sign-in pages in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  /** Ada has a passkey, in the authenticator of this page, which is signed out. */
  async function open(t: TestContext, { phone = false, ...options }: Opening = {}) {
    const { app, api: address, user_id } = await startWithAda(t)
    // Passkeys belong to a domain, so the address does not do.
    const api = address.replace('127.0.0.1', 'localhost')
    const page = await newPage(t, browser as NonNullable<typeof browser>, options)
    const { cdp, authenticatorId, touch } = await addVirtualAuthenticator(page)
    const secret = phone ? (await addPhone(await openBrowser(app, 'ada', password), Date.now() - 30_000)).secret : ''
    await page.goto(`${api}/login`)
    assert.equal(await submitSignIn(page), phone ? 200 : 303)
    if (phone) {
      await page.getByLabel('Code from your authenticator app').fill(codeOf(secret, Date.now()))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    }
    await touch(true)
    const factor_id = await page.evaluate<string>(addPasskey)
    assert.match(factor_id, /^[\da-f-]{36}$/)
    await touch(false)
    await page.context().clearCookies()
    return { app, api, page, touch, user_id, factor_id, cdp, authenticatorId }
  }

  const button = (page: Page, name = 'Sign in with a passkey') => page.getByRole('button', { name, exact: true })

  async function assertLooksGood(page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= 320, `it scrolls sideways, ${width} px`)
      await assertAccessible(page, await page.title())
    }
  }

  /** So that only the button uses the passkey, which is there before it is pressed. */
  async function withoutSuggestions(page: Page, touch: (enabled: boolean) => Promise<unknown>): Promise<void> {
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await touch(true)
  }

  const amrOf = async (page: Page, api: string) =>
    (await (await page.context().request.get(`${api}/sessions`)).json())[0].amr

  it('are the second step, for a user without another factor, by keyboard alone', async (t) => {
    const { api, page, touch } = await open(t, { viewport: { width: 320, height: 568 } })
    await page.goto(`${api}/login?return_to=/auth/docs/problems`)
    assert.equal(await submitSignIn(page), 200)
    assert.equal(await heading(page), 'Confirm that it is you')
    assert.equal(await page.locator('#code').count(), 0)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Use a passkey')
    await assertLooksGood(page)
    await touch(true)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${api}/docs/problems`)
    assert.equal(await isSignedIn(page, api), true)
    assert.deepEqual((await amrOf(page, api)).sort(), ['mfa', 'pop', 'pwd', 'user'])
  })

  it('stand beside the code of an app, also after a wrong one', async (t) => {
    const { api, page, touch } = await open(t, { phone: true })
    await page.goto(`${api}/login`)
    await submitSignIn(page)
    await page.locator('#code:focus').waitFor()
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await page.getByText('The code was not accepted.').waitFor()
    await touch(true)
    await button(page, 'Use a passkey').click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  })

  it('sign in alone with the button, by keyboard, to return_to', async (t) => {
    const { api, page, touch } = await open(t, { viewport: { width: 320, height: 568 } })
    await withoutSuggestions(page, touch)
    await page.addInitScript(
      'PublicKeyCredential.signalAllAcceptedCredentials = async (said) => { window.name = JSON.stringify(said) }',
    )
    await page.goto(`${api}/login/?return_to=/auth/docs/problems`)
    await button(page).waitFor()
    await assertLooksGood(page)
    await page.locator('#password').focus()
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Sign in with a passkey')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${api}/docs/problems`)
    assert.deepEqual((await amrOf(page, api)).sort(), ['mfa', 'pop', 'user'])
    const signalled = JSON.parse(await page.evaluate<string>('window.name'))
    assert.deepEqual([signalled.rpId, signalled.allAcceptedCredentialIds.length], ['localhost', 1])
  })

  it('are offered in the name field', async (t) => {
    const { api, page, touch } = await open(t)
    await touch(true)
    await page.goto(`${api}/login`)
    // The virtual authenticator chooses the suggestion itself.
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    assert.equal(await isSignedIn(page, api), true)
  })

  it('can come from a password manager that replaces navigator.credentials', async (t) => {
    const { api, page, touch } = await open(t)
    await withoutSuggestions(page, touch)
    await page.addInitScript(replaceCredentials)
    await page.goto(`${api}/login`)
    assert.equal(await page.locator('#username').getAttribute('autocomplete'), 'username webauthn')
    await button(page).click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    assert.equal(await page.evaluate('window.name'), 'replaced')
  })

  it('that were removed are refused with words, and the password manager is told', async (t) => {
    const { app, api, page, touch, user_id, cdp, authenticatorId } = await open(t, {
      viewport: { width: 320, height: 568 },
    })
    assert.equal((await app.call('DELETE', `/users/${user_id}/factors`)).status, 200)
    const storedCredentials = () => credentialsOf(cdp, authenticatorId)
    assert.equal(await storedCredentials(), 1)
    await withoutSuggestions(page, touch)
    await page.goto(`${api}/login`)
    await button(page).click()
    await page.getByRole('alert').filter({ hasText: 'The passkey was not accepted.' }).waitFor()
    await touch(false)
    await assertLooksGood(page)
    assert.equal(await isSignedIn(page, api), false)
    const canTell = await page.evaluate(`'signalUnknownCredential' in PublicKeyCredential`)
    for (let i = 0; canTell && (await storedCredentials()) > 0 && i < 50; i++) await page.waitForTimeout(100)
    assert.equal(await storedCredentials(), canTell ? 0 : 1)
  })

  it('confirm who the user is', async (t) => {
    const { api, page, touch } = await open(t, { viewport: { width: 320, height: 568 } })
    await withoutSuggestions(page, touch)
    await page.goto(`${api}/login`)
    await button(page).click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    const before = (await (await page.context().request.get(`${api}/sessions`)).json())[0].auth_time
    await page.goto(`${api}/confirm?return_to=/auth/docs/problems`)
    await assertLooksGood(page)
    await button(page, 'Use a passkey').click()
    await page.waitForURL(`${api}/docs/problems`)
    const after = (await (await page.context().request.get(`${api}/sessions`)).json())[0].auth_time
    assert.ok(after > before, `${after} is not after ${before}`)
  })

  it('are the first factor where one is required, before a temporary password, and confirmed if the sign-in was long ago', async (t) => {
    const { app, api: address } = await startWithAda(t, { ROLLBOOK_SECOND_FACTOR: 'required' })
    await app.runSql('UPDATE users SET must_change_password = 1')
    const api = address.replace('127.0.0.1', 'localhost')
    const page = await newPage(t, browser, { viewport: { width: 320, height: 568 }, allowed: /403/ })
    const { touch } = await addVirtualAuthenticator(page)
    await touch(true)
    await page.goto(`${api}/login?return_to=/auth/docs/problems`)
    await submitSignIn(page)
    assert.equal(await heading(page), 'Add a second factor')
    await button(page, 'Use a passkey').waitFor()
    await assertLooksGood(page)
    await app.runSql("UPDATE sessions SET auth_time = '2026-01-01T00:00:00.000Z'")
    // What the node remembers of the session is five seconds old at most.
    await delay(5500)
    await button(page, 'Use a passkey').click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
    await button(page, 'Use a passkey').focus()
    await page.keyboard.press('Enter')
    await takeCodes(page)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await page.getByRole('textbox', { name: 'Current password' }).fill(password)
    await page.getByRole('textbox', { name: 'New password' }).fill('difference engine no. 2')
    await button(page, 'Change password').click()
    await page.waitForURL(`${api}/docs/problems`)
    assert.deepEqual((await amrOf(page, api)).sort(), ['mfa', 'pop', 'pwd', 'user'])
  })

  for (const purpose of ['invitation', 'password-reset'] as const) {
    it(`can be made behind a link (${purpose}), also by a password manager, and lead to recovery codes`, async (t) => {
      const port = await freePort()
      const api = `http://localhost:${port}/auth`
      closePagesFirst(t)
      const app = await start(t, { name: 'SQLite' }, { env: { ROLLBOOK_PUBLIC_URL: api } })
      await app.listen(port)
      const { user_id } = await createUser(app, { username: 'grace', ...(purpose !== 'invitation' && { password }) })
      const created = await app.call('POST', `/users/${user_id}/${purpose}`, { body: { return_url: true } })
      const page = await newPage(t, browser, { viewport: { width: 320, height: 568 } })
      const { touch } = await addVirtualAuthenticator(page)
      await withoutSuggestions(page, touch)
      await page.addInitScript(replaceCredentials)
      await page.goto(created.body.url)
      await button(page, 'Use a passkey instead').waitFor()
      await assertLooksGood(page)
      // What is cancelled leaves the page as it was.
      await page.evaluate(`{
        const { create } = navigator.credentials
        navigator.credentials.create = async () => {
          navigator.credentials.create = create
          throw new DOMException('', 'NotAllowedError')
        }
      }`)
      await button(page, 'Use a passkey instead').click()
      await page.getByRole('alert').filter({ hasText: 'No passkey was added.' }).waitFor()
      await button(page, 'Use a passkey instead').focus()
      await page.keyboard.press('Enter')
      await button(page).waitFor()
      assert.equal(await page.evaluate('window.name'), 'created')
      await button(page).click()
      await takeCodes(page)
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
      const { factors, recovery_codes } = (await app.call('GET', `/users/${user_id}/factors`)).body
      assert.deepEqual([factors.length, recovery_codes], [1, 10])
    })
  }

  /** By keyboard, on the pages that follow a new passkey. */
  async function takeCodes(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'Get recovery codes' }).waitFor()
    await assertLooksGood(page)
    await button(page, 'Show recovery codes').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
    await assertLooksGood(page)
    assert.equal(await page.locator('.codes li').count(), 10)
    await page.getByRole('link', { name: 'I have kept them' }).press('Enter')
  }

  it('that are cancelled leave the page as it was, with a word about it', async (t) => {
    const { api, page, cdp, authenticatorId } = await open(t)
    await page.goto(`${api}/login`)
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    await page.evaluate(
      `navigator.credentials.get = async () => { throw new DOMException('cancelled', 'NotAllowedError') }`,
    )
    await button(page).click()
    await page.getByRole('alert').filter({ hasText: 'No passkey was used.' }).waitFor()
    assert.equal(await submitSignIn(page), 200)
    assert.equal(await heading(page), 'Confirm that it is you')
  })

  it('are not offered at an IP address, and need JavaScript, which the page says', async (t) => {
    const { api } = await startWithAda(t)
    const atAddress = await newPage(t, browser)
    await atAddress.goto(`${api}/login`)
    await atAddress.waitForLoadState('networkidle')
    assert.equal(await button(atAddress).isVisible(), false)
    const page = await newPage(t, browser, { javaScriptEnabled: false })
    await page.goto(`${api.replace('127.0.0.1', 'localhost')}/login`)
    assert.equal(await button(page).isVisible(), false)
    const said = await page.locator('noscript p').innerText()
    assert.equal(said, 'Passkeys need JavaScript, which is switched off in this browser.')
    assert.equal(await submitSignIn(page), 303)
  })
})

async function credentialsOf(cdp: CDPSession, authenticatorId: string): Promise<number> {
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
}
