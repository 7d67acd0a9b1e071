/** Second factors in the console: those of users, the policy, and the reminder of one's own. */
import assert from 'node:assert/strict'
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

describe('second factors in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('lists trusted browsers on the page of a user and on the account page, and stops trusting them', async (t) => {
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
    // The old address of the viewer's own account.
    await page.goto(`${api}/console/profile`)
    await page.getByText('These browsers do not ask for your second factor when you sign in.').waitFor()
    await page.getByRole('button', { name: 'Ask for it again' }).press('Enter')
    await page.getByText('The browser is no longer trusted.').waitFor()
    assert.deepEqual((await app.call('GET', `/users/${grace.user_id}/trusted-browsers`)).body, [])
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
    // The other policy: a preview before it is saved, then who is next.
    await page.goto(`${api}/console/inactivity`)
    await page.getByText('There is no rule: no user is disabled for inactivity.').waitFor()
    await press(page, 'Add a limit')
    await page.getByRole('spinbutton', { name: 'Days without use' }).fill('20')
    await page.getByRole('spinbutton', { name: 'Notice, days before' }).fill('5')
    await press(page, 'Preview the rule')
    await page.getByText('2 users are disabled until then').waitFor()
    await page.getByText('ada stays').waitFor()
    assert.equal((await app.call('GET', '/policies')).body.inactivity, null)
    await assertAccessible(page, 'the preview of a rule')
    await press(page, 'Save the rule')
    await page.getByText('The rule is saved.').waitFor()
    const next = page.getByRole('table', { name: 'Who is next' })
    await next.getByRole('link', { name: 'linus' }).waitFor()
    assert.deepEqual((await app.call('GET', '/policies')).body.inactivity, { '*': { days: 20, notice_days: 5 } })
    await assertAccessible(page, 'the rule in force')
    await page.setViewportSize({ width: 320, height: 720 })
    await assertFitsWidth(page, 'the rule in force')
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
    await bar.getByRole('link', { name: 'Add a second factor' }).press('Enter')
    await page.waitForURL(/\/add-factor\?return_to=.*console/)
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
})
