/** Second factors in the console: one's own, those of a user, and the policy. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { makeSetupLink } from '../../src/access/sign-in/setup/link.ts'
import { system } from '../../src/core/actor.ts'
import { launchBrowser } from '../browser.ts'
import { beginSignIn, codeOf, finishSignIn, personWithPhone } from '../factors.ts'
import { createUser, start } from '../harness.ts'
import { cookiesOf, isSignedIn, openBrowser } from '../people.ts'
import { admin, assertAccessible, assertFitsWidth, openConsole, startConsole, tabTo } from './console-driver.ts'
import { newPage } from './login-driver.ts'
import { until } from './until.ts'

const browser = await launchBrowser()
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Begins with the profile page, and leaves the dialog with the recovery codes open. Returns the secret. */
async function addCodesByKeyboard(page: Page, clock: () => number, name = 'My phone'): Promise<string> {
  await page.getByText('None. You sign in with a password only.').waitFor()
  await press(page, 'Add one-time codes')
  const adding = dialog(page, 'Add one-time codes')
  await adding.getByRole('textbox', { name: 'Name' }).waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await adding.getByRole('img', { name: /^QR code/ }).waitFor()
  const secret = ((await adding.locator('pre').textContent()) ?? '').replaceAll(' ', '')
  await page.keyboard.type(codeOf(secret, clock()))
  await page.keyboard.press('Enter')
  await dialog(page, 'Recovery codes').waitFor()
  return secret
}

describe('second factors in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('adds one-time codes and recovery codes by keyboard alone, which the next sign-in asks for', async (t) => {
    let now = Date.now()
    const clock = () => now
    const { app, api } = await startConsole(t, { clock })
    const page = await openConsole(t, browser, { api, path: 'profile', allowed: /422/ })
    await page.getByText('None. You sign in with a password only.').waitFor()
    await press(page, 'Add one-time codes')
    const adding = dialog(page, 'Add one-time codes')
    await adding.getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Pixel')
    await assertAccessible(page, 'the name')
    await page.keyboard.press('Enter')
    const picture = adding.getByRole('img', { name: /^QR code/ })
    await picture.waitFor()
    assert.ok(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0))
    await assertAccessible(page, 'the QR code')
    const secret = ((await adding.locator('pre').textContent()) ?? '').replaceAll(' ', '')

    // A code that is no longer valid leaves the dialog as it is.
    await page.keyboard.type(codeOf(secret, now - 300_000))
    await page.keyboard.press('Enter')
    await adding.getByText(/^The code is wrong\./).waitFor()
    await page.locator('input:focus').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(codeOf(secret, now))
    await page.keyboard.press('Enter')
    await dialog(page, 'Recovery codes')
      .getByText(/^One-time codes are active/)
      .waitFor()
    await page.keyboard.press('Enter')
    const items = dialog(page, 'Recovery codes').getByRole('listitem')
    await items.first().waitFor()
    await assertAccessible(page, 'the recovery codes')
    const codes = await items.allTextContents()
    assert.equal(new Set(codes).size, 10)
    // One Escape too many must not lose them.
    await page.keyboard.press('Escape')
    assert.deepEqual(await items.allTextContents(), codes)
    await press(page, 'I have saved them')
    await page.getByText('10 are left. Each works once, if you have lost your phone.').waitFor()
    await page.getByText('Pixel', { exact: true }).waitFor()
    await assertAccessible(page, 'the profile')

    now += 60_000
    const origin = new URL(api).origin
    const again = async (data: object) => page.request.post(`${api}/sessions`, { data, headers: { origin } })
    const { username, password } = admin
    const first = await again({ username, password })
    assert.deepEqual([first.status(), (await first.json()).code], [401, 'second_factor_required'])
    const { challenge_id } = await first.json()
    const done = await again({ challenge_id, recovery_code: codes[0] })
    assert.equal(done.status(), 201, await done.text())
    await page.reload()
    await page.getByText('9 are left. Each works once, if you have lost your phone.').waitFor()
    const { body } = await app.call('GET', '/audit?limit=50')
    const actions = (body.records ?? body).map(({ action }: { action: string }) => action)
    assert.ok(actions.includes('factor.added') && actions.includes('recovery_codes.replaced'), actions.join())
  })

  it('copies, downloads and prints the recovery codes, and prints nothing else', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, {
      api,
      path: 'profile',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.evaluate(
      "addEventListener('beforeprint', () => document.documentElement.setAttribute('data-printed', ''))",
    )
    await addCodesByKeyboard(page, Date.now)
    await page.keyboard.press('Enter')
    const codesDialog = dialog(page, 'Recovery codes')
    await codesDialog.getByRole('listitem').first().waitFor()
    const codes = await codesDialog.getByRole('listitem').allTextContents()
    await press(page, 'Copy: the recovery codes')
    await codesDialog.getByText('Copied to the clipboard').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), codes.join('\n'))
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')])
    assert.equal(download.suggestedFilename(), 'recovery-codes-ada.txt')
    const file = await readFile(await download.path(), 'utf8')
    assert.deepEqual(file.trim().split('\n').slice(-10), codes)
    assert.match(file, /^Recovery codes of ada for /)
    await press(page, 'Print')
    await page.locator('html[data-printed]').waitFor()
    await page.emulateMedia({ media: 'print' })
    const printed = (await page.evaluate(`(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const texts = []
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node.data.trim() === '' || node.parentElement.closest('script, style') !== null) continue
        if (node.parentElement.checkVisibility({ visibilityProperty: true })) texts.push(node.data.trim())
      }
      return texts
    })()`)) as string[]
    assert.deepEqual(printed, [`Recovery codes of ada for ${new URL(api).host}`, ...codes])
  })

  it('renames and removes, and asks for a code where the last authentication is too long ago', async (t) => {
    let now = Date.now()
    const { app, api, user_id } = await startConsole(t, { clock: () => now })
    const page = await openConsole(t, browser, { api, path: 'profile', allowed: /403/ })
    const secret = await addCodesByKeyboard(page, () => now)
    await press(page, 'Later')
    await page.getByText('None. Without your phone you could not sign in.').waitFor()
    now += 11 * 60_000
    await press(page, 'Rename My phone')
    const renaming = dialog(page, 'Rename My phone')
    await renaming.waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Old phone')
    await page.keyboard.press('Enter')
    const confirming = dialog(page, 'Confirm that it is you')
    await confirming.getByRole('textbox', { name: 'One-time code' }).waitFor()
    await assertAccessible(page, 'the confirmation')
    await page.keyboard.type(codeOf(secret, now))
    await page.keyboard.press('Enter')
    await page.getByText('Old phone', { exact: true }).waitFor()
    await press(page, 'Remove Old phone')
    const removing = dialog(page, 'Remove Old phone?')
    await removing.getByText(/^It is your only second factor/).waitFor()
    await assertAccessible(page, 'the removal')
    await tabTo(page, 'Remove')
    await page.keyboard.press('Enter')
    await page.getByText('None. You sign in with a password only.').waitFor()
    assert.deepEqual((await app.call('GET', `/users/${user_id}/factors`)).body.factors, [])
  })

  it('adds, confirms with and removes a passkey by keyboard alone, and tells the password manager', async (t) => {
    let now = Date.now()
    const { app, api: address, user_id } = await startConsole(t, { clock: () => now })
    // Passkeys belong to a domain.
    const api = address.replace('127.0.0.1', 'localhost')
    const page = await openConsole(t, browser, {
      api,
      isNew: true,
      path: 'profile',
      allowed: /403/,
      viewport: { width: 320, height: 700 },
    })
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
    await page.evaluate(`{
      window.told = []
      for (const name of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails'])
        PublicKeyCredential[name] = async (said) => { window.told.push({ signal: name, ...said }) }
    }`)
    const textOf = async (name: string) =>
      ((await page.evaluate('window.told')) as Record<string, unknown>[]).filter((one) => one.signal === name)

    await page.getByText('None. You sign in with a password only.').waitFor()
    await press(page, 'Add a passkey')
    const adding = dialog(page, 'Add a passkey')
    await adding.getByRole('textbox', { name: 'Name' }).waitFor()
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await assertAccessible(page, `the dialog for a passkey, ${colorScheme}`)
    }
    await assertFitsWidth(page, 'the dialog for a passkey')
    await page.evaluate(
      `{ const create = navigator.credentials.create.bind(navigator.credentials)
         navigator.credentials.create = async () => { navigator.credentials.create = create; throw new DOMException('', 'NotAllowedError') } }`,
    )
    await page.keyboard.type('Laptop')
    await page.keyboard.press('Enter')
    await adding.getByRole('alert').filter({ hasText: 'It was cancelled' }).waitFor()
    await press(page, 'Continue')
    await dialog(page, 'Recovery codes')
      .getByText(/^The passkey is added/)
      .waitFor()
    await press(page, 'Later')
    await page.getByText('Laptop', { exact: true }).waitFor()
    await until(page, `window.told.some(({ signal }) => signal === 'signalAllAcceptedCredentials')`)
    const [accepted] = await textOf('signalAllAcceptedCredentials')
    assert.deepEqual([accepted?.rpId, [accepted?.allAcceptedCredentialIds].flat().length], ['localhost', 1])

    now += 11 * 60_000
    await press(page, 'Rename Laptop')
    await dialog(page, 'Rename Laptop').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Old laptop')
    await page.keyboard.press('Enter')
    const confirming = dialog(page, 'Confirm that it is you')
    await confirming.getByRole('button', { name: 'Use a passkey' }).waitFor()
    assert.equal(await confirming.getByRole('textbox').count(), 0)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await assertAccessible(page, `the confirmation, ${colorScheme}`)
    }
    await press(page, 'Use a passkey')
    await page.getByText('Old laptop', { exact: true }).waitFor()

    const name = page.getByRole('textbox', { name: 'First name' })
    await name.fill('Augusta')
    await page.keyboard.press('Enter')
    await page.getByText('Saved.').first().waitFor()
    await until(page, `window.told.some(({ displayName }) => displayName === 'Augusta Lovelace')`)

    await press(page, 'Remove Old laptop')
    const removing = dialog(page, 'Remove Old laptop?')
    await removing.getByText(/^It is no longer accepted/).waitFor()
    await tabTo(page, 'Remove')
    await page.keyboard.press('Enter')
    await page.getByText('None. You sign in with a password only.').waitFor()
    await until(page, `window.told.some((one) => one.allAcceptedCredentialIds?.length === 0)`)
    assert.deepEqual((await app.call('GET', `/users/${user_id}/factors`)).body.factors, [])
  })

  it('lists trusted browsers on the profile and the page of a user, and stops trusting them', async (t) => {
    let now = Date.now()
    const clock = () => now
    const { app, api } = await startConsole(t, { clock, env: { ROLLBOOK_TRUST_BROWSER_DAYS: '30' } })
    const grace = await personWithPhone(app, now, { username: 'grace', role: 'admin' })
    const trust = async () => {
      now += 30_000
      const proof = { code: codeOf(grace.phone.secret, now), trust_browser: true }
      const done = await finishSignIn(app, await beginSignIn(app, 'grace'), proof)
      assert.equal(done.status, 201, done.text)
      return cookiesOf(done)
    }
    const [cookie] = [await trust(), await trust()]
    const page = await openConsole(t, browser, { api, path: `users/${grace.user_id}?tab=security` })
    const stop = page.getByRole('button', { name: /^Stop trusting/ })
    await stop.nth(1).waitFor()
    await assertAccessible(page, 'the trusted browsers of a user')
    await stop.first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('The browser is no longer trusted.').first().waitFor()
    await until(page, `document.querySelectorAll('[aria-label^="Stop trusting"]').length === 1`)
    const left = (await app.call('GET', `/users/${grace.user_id}/trusted-browsers`)).body
    assert.equal(left.length, 1)

    const { name, value } =
      cookie
        .split('; ')
        .map((one) => ({ name: one.split('=')[0] as string, value: one.slice(one.indexOf('=') + 1) }))
        .find((one) => one.name === 'rollbook') ?? assert.fail()
    await page.context().addCookies([{ name, value, url: new URL(api).origin }])
    await page.goto(`${api}/console/profile`)
    await page.getByText('You are not asked for your second factor in these browsers.').waitFor()
    await assertAccessible(page, 'the own trusted browsers')
    await press(page, String(await stop.first().getAttribute('aria-label')))
    await stop.waitFor({ state: 'detached' })
    assert.deepEqual((await app.call('GET', `/users/${grace.user_id}/trusted-browsers`)).body, [])
  })

  it('keeps the last factor of a user of whom the policy requires one', async (t) => {
    const env = { ROLLBOOK_SECOND_FACTOR: 'required', ROLLBOOK_SECOND_FACTOR_FROM: '2099-01-15' }
    const { api } = await startConsole(t, { env })
    const page = await openConsole(t, browser, { api, path: 'profile' })
    await page.getByText(/^None, and from .*2099 on your organization requires one\.$/).waitFor()
    await page.getByRole('button', { name: 'Add one-time codes' }).last().click()
    const adding = dialog(page, 'Add one-time codes')
    await adding.getByRole('button', { name: 'Continue' }).click()
    await adding.locator('img').waitFor()
    const secret = ((await adding.locator('pre').textContent()) ?? '').replaceAll(' ', '')
    await adding.getByRole('textbox').fill(codeOf(secret, Date.now()))
    await adding.getByRole('button', { name: 'Activate' }).click()
    await dialog(page, 'Recovery codes').getByRole('button', { name: 'Later' }).click()
    await page.getByRole('button', { name: 'Remove My phone' }).click()
    const removing = dialog(page, 'Remove My phone?')
    await removing.getByText(/^Your organization requires a second factor/).waitFor()
    assert.equal(await removing.getByRole('button', { name: 'Remove', exact: true }).count(), 0)
  })

  it('removes one factor, and all of a user who lost the phone, by keyboard alone', async (t) => {
    const env = { ROLLBOOK_SECOND_FACTOR: '{"user": "required"}' }
    const clock = { now: Date.now() }
    const { app, api } = await startConsole(t, { env, clock: () => clock.now })
    const [lost, one] = [await personWithPhone(app, clock.now), await personWithPhone(app, clock.now)]
    const page = await openConsole(t, browser, { api, path: `users/${lost.user_id}?tab=security` })
    await page.getByText('Required by the policy, and there is one').waitFor()
    await assertAccessible(page, 'the tab')
    await press(page, 'Remove all factors')
    const losing = dialog(page, `Remove all factors of ${lost.username}?`)
    await losing.getByText(/^The policy requires a second factor: the user adds a new one/).waitFor()
    await assertAccessible(page, 'the dialog')
    // Cancel has the focus: Enter alone must not remove anything.
    await page.keyboard.press('Enter')
    await losing.waitFor({ state: 'detached' })
    assert.equal((await app.call('GET', `/users/${lost.user_id}/factors`)).body.factors.length, 1)
    await press(page, 'Remove all factors')
    await losing.waitFor()
    await tabTo(page, 'Cancel')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Required and missing: the user adds one at the next sign-in').waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Lost phone' }).count(), 0)
    assert.equal(await isSignedIn(lost.browser), false)
    // What the dialog said: the next session can only add a factor.
    const next = await openBrowser(app, lost.username)
    assert.equal((await next.call('GET', '/sessions')).body.code, 'factor_required')
    assert.equal((await next.call('POST', '/me/factors/totp')).status, 201)

    await page.goto(`${api}/console/users/${one.user_id}?tab=security`)
    await press(page, 'Remove phone')
    const removing = dialog(page, `Remove phone of ${one.username}?`)
    await removing.getByText('It is the only one: the recovery codes end too.').waitFor()
    await tabTo(page, 'Remove')
    await page.keyboard.press('Enter')
    await page.getByText('Required and missing: the user adds one at the next sign-in').waitFor()
    assert.equal(await isSignedIn(one.browser), false)
  })

  it('shows the factors without buttons to viewers who lack the permission or the rank', async (t) => {
    const roles = { reader: ['users:read'], helper: ['users:read', 'users:write', 'groups:read'] }
    const { app, api, user_id } = await startConsole(t, { env: { ROLLBOOK_ROLES: JSON.stringify(roles) } })
    const person = await personWithPhone(app, Date.now())
    const above = await personWithPhone(app, Date.now(), { role: 'admin' })
    const password = 'seven grey herons over the weir'
    for (const role of ['reader', 'helper']) await createUser(app, { username: role, password, role })
    const look = async (as: string, of: string) => {
      const page = await openConsole(t, browser, {
        api,
        path: `users/${of}?tab=security`,
        as: { username: as, password: as === admin.username ? admin.password : password },
      })
      await page.getByText(as === admin.username ? /^Change your own in/ : 'phone', { exact: true }).waitFor()
      await page.waitForLoadState('networkidle')
      const names = ['Remove phone', 'Remove all factors']
      return Promise.all(names.map((name) => page.getByRole('button', { name, exact: true }).count()))
    }
    assert.deepEqual(await look('helper', person.user_id), [1, 1])
    assert.deepEqual(await look('helper', above.user_id), [0, 0])
    assert.deepEqual(await look('reader', person.user_id), [0, 0])
    assert.deepEqual(await look(admin.username, user_id), [0, 0])
  })

  it('tests a policy, says which setting puts it in force, and lists who does not comply', async (t) => {
    const env = { ROLLBOOK_SECOND_FACTOR: '{"admin": "required"}', ROLLBOOK_SECOND_FACTOR_FROM: '2099-01-15' }
    const { app, api } = await startConsole(t, { env })
    await createUser(app, { username: 'grace', password: 'nanoseconds on a string' })
    await createUser(app, { username: 'linus' })
    const page = await openConsole(t, browser, { api, path: 'second-factors' })
    await page.getByText('3 users have no factor. 1 user is asked.').waitFor()
    await page.locator('p', { hasText: /2099 on\. Until then/ }).waitFor()
    const report = page.getByRole('table', { name: 'Users without a required factor' })
    assert.match((await report.getByRole('row').nth(1).textContent()) ?? '', /^ada/)
    assert.equal(await report.getByRole('row').count(), 2)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await assertAccessible(page, `the policy, ${colorScheme}`)
    }
    // The role of grace and linus, and a group that there is not.
    assert.equal(await page.getByRole('checkbox', { name: 'admin', exact: true }).isChecked(), true)
    await page.getByRole('button', { name: 'Later' }).press('Enter')
    await tabTo(page, 'user')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Stuff')
    await press(page, 'Test policy')
    await page.getByText('3 users are asked. 1 user has no password and cannot sign in').waitFor()
    await page.getByText('No role or group has these names: group:Stuff').waitFor()
    await page
      .getByText(`ROLLBOOK_SECOND_FACTOR='{"admin":"required","user":"required","group:Stuff":"required"}'`)
      .waitFor()
    await assertAccessible(page, 'the tested policy')
    await press(page, 'ada')
    await page.getByText(/^Required from .*2099 on, and missing$/).waitFor()
    await page.setViewportSize({ width: 320, height: 720 })
    await page.goto(`${api}/console/second-factors`)
    await report.waitFor()
    for (const language of ['de', 'ar']) {
      await page.evaluate(`document.cookie = 'rollbook-language=${language}; Path=/'`)
      await page.reload()
      await page.locator(`html[lang=${language}] main table`).waitFor()
      await assertFitsWidth(page, language)
      await assertAccessible(page, language)
    }
  })

  it('reminds users of whom the policy will require a factor, until they put it off or add one', async (t) => {
    const env = { ROLLBOOK_SECOND_FACTOR: 'required', ROLLBOOK_SECOND_FACTOR_FROM: '2099-01-15' }
    const { api } = await startConsole(t, { env })
    const page = await openConsole(t, browser, { api, isNew: true })
    const bar = page.getByRole('region', { name: 'Second factor', exact: true })
    await bar.getByText(/^From .*2099 on you need a second factor to sign in\.$/).waitFor()
    await assertAccessible(page, 'the reminder')
    await press(page, 'Later')
    await bar.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await bar.count(), 0)
    // A day later it is back.
    await page.clock.setFixedTime(Date.now() + 25 * 3_600_000)
    await page.reload()
    await bar.waitFor()
    await press(page, 'Add one-time codes')
    const adding = dialog(page, 'Add one-time codes')
    await adding.getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.press('Enter')
    await adding.getByRole('img', { name: /^QR code/ }).waitFor()
    const secret = ((await adding.locator('pre').textContent()) ?? '').replaceAll(' ', '')
    await page.keyboard.type(codeOf(secret, Date.now()))
    await page.keyboard.press('Enter')
    await dialog(page, 'Recovery codes')
      .getByText(/^One-time codes are active/)
      .waitFor()
    await press(page, 'Later')
    await dialog(page, 'Recovery codes').waitFor({ state: 'detached' })
    assert.equal(await bar.count(), 0)
  })

  it('invites the first administrator once, after setup', async (t) => {
    const app = await start(t, { name: 'SQLite' })
    const api = await app.listen()
    const link = await makeSetupLink(app.storage, api, { actor: system, now: Date.now(), requestId: 'test' })
    const page = await newPage(t, browser, { locale: 'en-GB' })
    await page.goto(link ?? '')
    await page.getByRole('textbox', { name: 'Username' }).fill(admin.username)
    await page.locator('input[name=password]').fill(admin.password)
    await page.keyboard.press('Enter')
    const bar = page.getByRole('region', { name: 'Second factor', exact: true })
    await bar.getByText(/^Protect your account\./).waitFor()
    await assertAccessible(page, 'the invitation')
    await page.setViewportSize({ width: 320, height: 720 })
    await assertFitsWidth(page, 'the invitation')
    await press(page, 'Not now')
    await bar.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await bar.count(), 0)
  })

  it('sends a session that needs a factor to the sign-in page, which adds it', async (t) => {
    let now = Date.UTC(2099, 0, 14, 23)
    const env = { ROLLBOOK_SECOND_FACTOR: 'required', ROLLBOOK_SECOND_FACTOR_FROM: '2099-01-15' }
    const { api } = await startConsole(t, { env, clock: () => now })
    const page = await openConsole(t, browser, { api, allowed: /403/ })
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    now = Date.UTC(2099, 0, 15, 1)
    // What the node remembers of the session is five seconds old at most.
    await delay(5500)
    await page.reload()
    await page.waitForURL(/\/add-factor\?/)
    await page.getByRole('heading', { level: 1 }).waitFor()
  })

  for (const [language, add, next] of [
    ['de', 'Einmalcodes hinzufügen', 'Fortfahren'],
    ['ar', 'إضافة رموز لمرة واحدة', 'متابعة'],
  ] as const) {
    it(`fits 320 px in ${language}, light and dark`, async (t) => {
      const { api } = await startConsole(t)
      const page = await openConsole(t, browser, { api, path: 'profile', viewport: { width: 320, height: 720 } })
      await page.evaluate(`document.cookie = 'rollbook-language=${language}; Path=/'`)
      await page.reload()
      const fits = async (what: string) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await assertFitsWidth(page, `${what}, ${colorScheme}`)
          await assertAccessible(page, `${what}, ${colorScheme}`)
        }
        const wide = (await page.evaluate(`[...document.querySelectorAll('[role=dialog]')].flatMap((one) =>
          [...one.querySelectorAll('button, p, img, input, li, pre')].filter((part) => {
            const [inner, outer] = [part.getBoundingClientRect(), one.getBoundingClientRect()]
            return inner.width > 0 && getComputedStyle(part).clipPath === 'none' &&
              (inner.left < outer.left - 1 || inner.right > outer.right + 1)
          }).map((part) => part.outerHTML.slice(0, 120)))`)) as string[]
        assert.deepEqual(wide, [], what)
      }
      await page.getByRole('button', { name: add }).click()
      await page.getByRole('dialog').getByRole('textbox').waitFor()
      await fits('the name')
      await page.getByRole('button', { name: next }).click()
      await page.getByRole('dialog').locator('img').waitFor()
      await fits('the QR code')
      const secret = ((await page.getByRole('dialog').locator('pre').textContent()) ?? '').replaceAll(' ', '')
      await page.getByRole('dialog').getByRole('textbox').fill(codeOf(secret, Date.now()))
      await page.keyboard.press('Enter')
      await page.getByRole('status').last().waitFor()
      await page.locator('[data-autofocus]:focus').waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('listitem').first().waitFor()
      await fits('the recovery codes')
      await page.getByRole('dialog').getByRole('button').last().click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await fits('the profile')
    })
  }
})
