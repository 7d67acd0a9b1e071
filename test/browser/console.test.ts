import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { addPhone, codeOf } from '../factors.ts'
import { freePort } from '../free-port.ts'
import { createUser, start } from '../harness.ts'
import { openBrowser } from '../people.ts'
import { findProxy } from '../proxies/find.ts'
import { startProduct } from '../proxies/product.ts'
import { proxyKinds, startProxy } from '../proxies/proxy.ts'
import {
  admin,
  assertAccessible,
  assertFitsWidth,
  follow,
  foreignRequests,
  openConsole,
  startConsole,
} from './console-driver.ts'
import { closePagesFirst, newPage, submitSignIn } from './login-driver.ts'
import { twoFrames, until } from './until.ts'

// A name as in an office: the browser does not take it for its own machine, and grants nothing that needs https.
const browser = await launchBrowser(['--host-resolver-rules=MAP users.lan 127.0.0.1'])

const missing = new Set<string>()
for (const { name } of proxyKinds) if ((await findProxy(name)) === undefined) missing.add(name)

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

const pages = {
  users: 'Users',
  groups: 'Groups',
  attributes: 'Attributes',
  provisioning: 'Provisioning',
  statistics: 'Statistics',
  imports: 'Import and export',
  'deleted-users': 'Deleted users',
  audit: 'Audit',
  roles: 'Roles',
  'second-factors': 'Second factors',
  inactivity: 'Inactivity',
  keys: 'API keys',
  webhooks: 'Webhooks',
  system: 'System',
} as const

/** What Chromium and the bundler report for files that cannot be fetched. */
const missingFiles = /ERR_INTERNET_DISCONNECTED|dynamically imported module|preload CSS/

describe('the frame of the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('shares the chosen language with the sign-in pages, in both directions', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    const speaks = (language: string) => page.locator(`html[lang=${language}] h1`).waitFor()
    await speaks('en')
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await speaks('de')
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await page.waitForURL(`${api}/login`)
    await speaks('de')
    await page.getByRole('link', { name: 'العربية' }).click()
    await speaks('ar')
    await page.locator('[name=username]').fill(admin.username)
    await page.locator('[name=password]').fill(admin.password)
    await page.locator('form button.action').first().click()
    await page.goto(`${api}/console/users`)
    await speaks('ar')
  })

  it('passes axe on every page of a new service, light and dark, and sends no request elsewhere', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    const foreign = foreignRequests(page, new URL(api).origin)
    for (const [path, title] of Object.entries(pages)) {
      await follow(page, path)
      await heading(page, title).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
        await assertAccessible(page, `${path}, ${colorScheme}`)
      }
    }
    assert.deepEqual(foreign, [])
  })

  it('fits 320 px, and its menu leads everywhere by keyboard', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, viewport: { width: 320, height: 640 } })
    for (const title of ['Statistics', 'Roles', 'API keys', 'Webhooks', 'System', 'Audit', 'Users']) {
      await page.getByRole('button', { name: 'Open the menu' }).press('Enter')
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: title, exact: true })
        .press('Enter')
      await heading(page, title).waitFor()
      await page.waitForLoadState('networkidle')
      await assertFitsWidth(page, title)
    }
  })

  it('has the link of the current page in view on a low screen, in a navigation that scrolls by itself', async (t) => {
    const { api } = await startConsole(t)
    const viewport = { width: 1440, height: 600 }
    const page = await openConsole(t, browser, { api, path: 'users', viewport, isNew: true })
    const inView = `(() => {
      const nav = document.querySelector('nav')
      const [outer, inner] = [nav, nav.querySelector('[aria-current=page]')].map((one) => one.getBoundingClientRect())
      return nav.scrollHeight > nav.clientHeight && inner.top >= outer.top && inner.bottom <= outer.bottom
    })()`
    // Only then does the console listen to the history.
    await heading(page, 'Users').waitFor()
    for (const path of ['webhooks', 'users', 'branding']) {
      await page.evaluate(`history.pushState({}, '', new URL('${path}', document.baseURI))`)
      await page.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: {} }))")
      await page.locator(`nav [aria-current=page][href$="/${path}"]`).waitFor({ state: 'attached' })
      await until(page, inView)
    }
    await page.setViewportSize({ width: 1440, height: 400 })
    await twoFrames(page)
    await until(page, inView)
    assert.equal(await page.evaluate('document.scrollingElement.scrollTop'), 0)
  })

  it('reads from right to left in Arabic, and keeps the language', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    await heading(page, 'Users').waitFor()
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('menuitemradio', { name: 'العربية' }).click()
    await page.locator('html[dir=rtl][lang=ar]').waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.locator('html[dir=rtl][lang=ar] h1').waitFor()
    await page.waitForLoadState('networkidle')
    const side = await page.locator('#navigation').boundingBox()
    assert.ok((side?.x ?? 0) > 720, 'the menu is on the right')
    assert.equal(await page.getByText('Statistics', { exact: true }).count(), 0)
    await assertAccessible(page, 'Arabic')
    await assertFitsWidth(page, 'Arabic')
  })

  it('is in German if the browser is', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, locale: 'de-DE' })
    await heading(page, 'Personen').or(heading(page, 'Benutzer')).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  })

  it('saves what was being saved once users have signed in again over the page', async (t) => {
    const { app, api, user_id } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    const field = page.getByRole('textbox', { name: 'First name' })
    await field.fill('Augusta')
    await app.call('DELETE', `/users/${user_id}/sessions`)
    await page.getByRole('button', { name: /^Save change/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await assertAccessible(page, 'Sign in again')
    const password = dialog.getByLabel(/^Password/)
    await password.fill('not her password')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('alert').waitFor()
    await password.fill(admin.password)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    // The save is repeated: nothing has to be pressed again.
    await page.getByRole('heading', { level: 1, name: /Augusta/ }).waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.first_name, 'Augusta')
  })

  it('asks for the second factor as well, when users sign in again over the page', async (t) => {
    const { app, api, user_id } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    const field = page.getByRole('textbox', { name: 'First name' })
    await field.fill('Augusta')
    // The first factor ends the sessions that were begun without one.
    const { secret } = await addPhone(await openBrowser(app, admin.username, admin.password), Date.now())
    await page.getByRole('button', { name: /^Save change/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel(/^Password/).fill(admin.password)
    await page.keyboard.press('Enter')
    const code = dialog.getByRole('textbox', { name: 'One-time code' })
    await code.fill('000000')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').waitFor()
    await assertAccessible(page, 'the second factor')
    // The code of the enrollment is spent.
    await code.fill(codeOf(secret, Date.now() + 30_000))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await field.inputValue(), 'Augusta')
  })

  it('counts down while the service is busy, and then continues by itself', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    await heading(page, 'Users').waitFor()
    let refused = 0
    await page.route(`${api}/roles`, async (route) => {
      if (refused++ > 0) return route.continue()
      const body = {
        title: 'too many requests',
        status: 429,
        detail: 'Wait.',
        instance: '1',
        code: 'rate_limited',
        type: '',
      }
      return route.fulfill({
        status: 429,
        contentType: 'application/problem+json',
        headers: { 'retry-after': '2' },
        json: body,
      })
    })
    await page.goto(`${api}/console/roles`)
    await page.getByText(/asks to wait: [12] second/).waitFor()
    await page
      .getByRole('rowheader', { name: 'admin' })
      .or(page.getByText('admin', { exact: true }))
      .first()
      .waitFor()
    await page.getByText(/asks to wait/).waitFor({ state: 'detached' })
  })

  it('shows that it is offline, and when it is online again', async (t) => {
    const { api } = await startConsole(t)
    // The pages that the console preloads may still be loading.
    const page = await openConsole(t, browser, { api, isNew: true, allowed: missingFiles })
    await heading(page, 'Users').waitFor()
    await page.context().setOffline(true)
    await page.getByText(/You are offline/).waitFor()
    await page.context().setOffline(false)
    await page.getByText(/You are offline/).waitFor({ state: 'detached' })
  })

  it('stays when it cannot fetch a page while offline, and fetches it later', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, {
      api,
      isNew: true,
      allowed: missingFiles,
    })
    await heading(page, 'Users').waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Roles' }).press('Enter')
    await page.getByText('This page could not be shown.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Roles').waitFor()
  })

  it('lists its shortcuts, which can be switched off', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    await heading(page, 'Users').waitFor()
    await page.keyboard.press('/')
    assert.equal(await page.locator(':focus').getAttribute('type'), 'search')
    await page.keyboard.press('Escape')
    await page.locator('h1').focus()
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Show this list').waitFor()
    await assertAccessible(page, 'shortcuts')
    await list.getByRole('switch').press(' ')
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.locator('h1').focus()
    await page.keyboard.press('c')
    await page.keyboard.press('?')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  it('reloads at the same address when a file of the old release is gone', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, isNew: true, allowed: missingFiles })
    await heading(page, 'Users').waitFor()
    // An upgraded server returns 404 for an old name, and a page with the new names.
    let isNew = false
    page.on('request', (request) => {
      isNew ||= request.isNavigationRequest()
    })
    await page.route(/\/assets\/roles-page-[^/]+\.js$/, (route) =>
      isNew ? route.continue() : route.fulfill({ status: 404 }),
    )
    await page.getByRole('link', { name: 'Roles' }).press('Enter')
    await heading(page, 'Roles').waitFor()
    assert.match(page.url(), /\/console\/roles$/)
    assert.equal(isNew, true)
  })

  it('reports a file that stays missing instead of reloading forever', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, isNew: true, allowed: missingFiles })
    await heading(page, 'Users').waitFor()
    await page.route(/\/assets\/roles-page-[^/]+\.js$/, (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Roles' }).press('Enter')
    await page.getByText('This page could not be shown.').waitFor()
  })

  it('works on plain http in a LAN, where browsers have fewer APIs', async (t) => {
    const { api } = await startConsole(t, { env: { ROLLBOOK_HOST: '127.0.0.1' } })
    const page = await newPage(t, browser, { locale: 'en-GB' })
    await tryAll(page, api.replace('127.0.0.1', 'users.lan'))
    assert.equal(await page.evaluate('isSecureContext'), false)
  })

  for (const kind of proxyKinds) {
    const skip = missing.has(kind.name) && `there is no ${kind.name}`
    it(`works behind ${kind.name} that ${kind.prefix} the prefix`, { skip }, async (t) => {
      closePagesFirst(t)
      const product = await startProduct(t)
      const port = await freePort()
      const env = { ROLLBOOK_PUBLIC_URL: `http://127.0.0.1:${port}/auth`, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const app = await start(t, { name: 'SQLite' }, { env })
      await createUser(app, { ...admin, role: 'admin' })
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, kind, { proxy: port, rollbook, product: product.port })
      const page = await newPage(t, browser, { locale: 'en-GB' })
      await tryAll(page, `http://127.0.0.1:${port}/auth`)
    })
  }
})

/** Signs in, visits a page that is two folders deep, reloads it, and creates a user. */
async function tryAll(page: Page, api: string): Promise<void> {
  const foreign = foreignRequests(page, new URL(api).origin)
  await page.goto(`${api}/console`)
  await page.waitForURL(/\/login\?return_to=/)
  assert.equal(await submitSignIn(page, admin), 303)
  await heading(page, 'Users').waitFor()
  await page.getByRole('button', { name: 'Create user' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Username').fill('grace')
  await page.keyboard.press('Enter')
  await dialog.getByText('Database account', { exact: true }).click()
  await dialog.getByText("createuser --pwprompt -- 'grace'").waitFor()
  await dialog.getByRole('link', { name: 'Set a password' }).click()
  await page.getByRole('heading', { level: 1, name: /grace/ }).waitFor()
  assert.match(page.url(), /\/console\/users\/[\w-]{36}\?tab=password$/)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: /grace/ }).waitFor()
  await page.getByRole('link', { name: 'Users', exact: true }).first().click()
  await page
    .getByRole('link', { name: 'grace' })
    .or(page.getByText('grace', { exact: true }))
    .first()
    .waitFor()
  assert.deepEqual(foreign, [])
}
