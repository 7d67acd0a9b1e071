import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { personWithPhone } from '../factors.ts'
import { createUser } from '../harness.ts'
import { admin, assertAccessible, openConsole, startConsole } from './console-driver.ts'
import { serveBehindProxy } from './login-driver.ts'

const browser = await launchBrowser()
const day = 86_400_000

const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const titles = { statistics: 'Statistics', audit: 'Audit', system: 'System' } as const
const requests = { statistics: '**/statistics?*', audit: '**/audit?*', system: '**/deployment' } as const

describe('statistics, audit and system in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
  concurrency: 2,
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('draw what the API counts, day by day, and as a table', async (t) => {
    const clock = { now: Date.now() - 10 * day }
    const { app, api } = await startConsole(t, { clock: () => clock.now })
    for (const username of ['ida', 'emmy']) await createUser(app, { username })
    clock.now += 5 * day
    for (const username of ['grace', 'alan', 'edsger']) await createUser(app, { username })
    clock.now += 2 * day
    const { body: barbara } = await app.call('POST', '/users', { body: { username: 'barbara' } })
    await app.call('PATCH', `/users/${barbara.user_id}`, { body: { active: false } })
    for (const password of [admin.password, 'not the password', admin.password]) {
      await app.call('POST', '/sessions', { key: null, body: { username: admin.username, password } })
    }
    clock.now = Date.now()
    await personWithPhone(app, clock.now, { username: 'hedy' })
    const page = await openConsole(t, browser, { api, path: 'statistics' })
    await titled(page, 'Statistics')
    await page.getByRole('link', { name: '7 days' }).click()
    await page.waitForURL(/\?days=7$/)
    await page.reload()
    const signIns = page.getByRole('region', { name: 'Sign-ins', exact: true })
    await signIns.getByText('Show as table').press('Enter')
    const { body } = await app.call('GET', '/statistics?days=7')
    const expected = (body.days as { sign_ins: number; failed_sign_ins: number }[])
      .map(({ sign_ins, failed_sign_ins }) => [String(sign_ins), String(failed_sign_ins)])
      .reverse()
    const rows = signIns.locator('tbody tr')
    assert.equal(await rows.count(), 7)
    const displayed = await Promise.all(
      (await rows.all()).map(async (row) => await row.locator('td').allTextContents()),
    )
    assert.deepEqual(displayed, expected)
    assert.equal(expected.flat().filter((count) => count !== '0').length, 3, 'a past day with both, and today')

    assert.equal(body.totals.users, 8)
    const withFactor = page.getByRole('listitem').filter({ hasText: 'Second factor', hasNot: page.getByRole('link') })
    assert.equal(await withFactor.innerText(), 'Second factor\n1 (12%)')

    const signUps = page.getByRole('region', { name: 'Sign-ups', exact: true })
    await signUps.getByText('+33%: 1 more than in the 7 days before, without today', { exact: true }).waitFor()
    assert.equal(await signIns.getByText('days before').count(), 0, 'there were no sign-ins to compare with')

    const chart = signIns.getByRole('slider')
    await chart.focus()
    await page.keyboard.press('End')
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('ArrowLeft')
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /Signed in: 2, Refused: 1$/)

    await page.getByRole('link', { name: 'Disabled 1' }).click()
    await page.waitForURL(/\/users\?active=false$/)
    await page.getByText('barbara').first().waitFor()
  })

  it('find records by filters that the address keeps, and show what was changed', async (t) => {
    const { app, api } = await startConsole(t)
    const { user_id } = await createUser(app, { username: 'grace' })
    await app.call('PATCH', `/users/${user_id}`, { body: { role: 'admin', email: 'grace@example.com' } })
    const page = await openConsole(t, browser, { api, path: 'audit' })
    await titled(page, 'Audit')
    await page.getByText('API key admin (configuration)').first().waitFor()
    await page.getByLabel('Action', { exact: true }).selectOption('user.updated')
    await page.waitForURL(/\?action=user\.updated$/)
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.reload()
    const row = page.getByRole('button', { name: /User changed grace/ })
    await row.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'User changed' })
    await drawer.getByRole('row', { name: 'role user admin' }).waitFor()
    await drawer.getByRole('row', { name: 'email nothing grace@example.com' }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'User changed' }).waitFor()

    // The values are in the row, too.
    await row
      .filter({ hasText: 'email: nothing → grace@example.com' })
      .filter({ hasText: 'role: user → admin' })
      .click()
    await drawer.getByRole('button', { name: 'All on this target' }).click()
    await page.waitForURL((url) => url.searchParams.get('target') === user_id)
    await page.getByText('2 records', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as a file' }).click()
    const records = readFileSync(await (await saved).path(), 'utf8')
    const response = await app.call('GET', `/audit?target=${user_id}`, { headers: { accept: 'application/x-ndjson' } })
    assert.equal(records, response.text)
    await page.getByText(/, complete: /).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()

    await page.getByRole('button', { name: 'Remove all', exact: true }).click()
    await page.getByLabel('Outcome', { exact: true }).selectOption('denied')
    await page.getByText('No records match.').waitFor()
    await page.getByRole('button', { name: 'Remove all filters' }).click()
    await row.waitFor()
  })

  it('show a run of the same event as one row, and find by person, change and period', async (t) => {
    const { app, api } = await startConsole(t)
    const { user_id } = await createUser(app, { username: 'grace', password: 'analytical engine no. 2' })
    await app.call('PATCH', `/users/${user_id}`, { body: { role: 'admin' } })
    await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Grace' } })
    for (let i = 0; i < 3; i += 1) {
      const body = { username: 'grace', password: 'not the password' }
      await app.call('POST', '/sessions', { key: null, body })
    }
    const page = await openConsole(t, browser, { api, path: 'audit' })
    const run = page.getByRole('button', { name: /3 sign-ins refused grace wrong password/ })
    await run.press('Enter')
    assert.equal(await run.getAttribute('aria-expanded'), 'true')
    assert.equal(await page.getByRole('button', { name: /Sign-in failed grace wrong password/ }).count(), 3)
    await assertAccessible(page, 'an open run')

    await page.getByLabel('Changed', { exact: true }).selectOption('role')
    await page.waitForURL(/\?changed=role$/)
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.getByRole('button', { name: /User changed grace Role: user became admin/ }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter: Changed: Role' }).click()

    const person = page.getByRole('combobox', { name: 'Done to' })
    await person.fill('gra')
    await page.getByRole('option', { name: 'Grace' }).waitFor()
    await assertAccessible(page, 'people to choose from')
    await person.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('target') === user_id)
    await page.getByRole('button', { name: 'Remove the filter: Done to: Grace (grace)' }).waitFor()
    await page.getByText('6 records', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Today' }).press('Enter')
    await page.waitForURL(/occurred_after=/)
    await page.getByText('6 records', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Today', pressed: true }).press('Enter')
    await page.waitForURL((url) => !url.searchParams.has('occurred_after'))
  })

  it('name the setting for a proxy that strips a prefix, and report no problem once it is set', async (t) => {
    let target = ''
    const proxy = { outside: '/api/auth', inside: '', target: () => target }
    const origin = await serveBehindProxy(t, proxy)
    const unset = await startConsole(t)
    target = new URL(unset.api).origin
    const outside = `${origin}/api/auth`
    const page = await openConsole(t, browser, { api: outside, isNew: true, path: 'system' })
    await titled(page, 'System')
    const seen = page.getByRole('region', { name: 'How the service sees this request' })
    await seen.getByText('A proxy strips the prefix, which is fine.').waitFor()
    const links = seen.getByRole('listitem').filter({ hasText: 'Links' })
    await links.getByText(`ROLLBOOK_PUBLIC_URL=${outside}`).waitFor()
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.9' })
    await page.reload()
    await page
      .getByRole('region', { name: 'Warnings' })
      .getByText(/ROLLBOOK_TRUSTED_PROXIES/)
      .waitFor()
    await seen.getByText('ROLLBOOK_TRUSTED_PROXIES=127.0.0.1').waitFor()
    await assertAccessible(page, 'warnings')

    const env = {
      ROLLBOOK_PUBLIC_URL: outside,
      ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
      ROLLBOOK_KEY_ENCRYPTION_SECRET: 'a1b2c3d4'.repeat(8),
    }
    const set = await startConsole(t, { env })
    target = new URL(set.api).origin
    const content = await openConsole(t, browser, { api: outside, path: 'system' })
    await content.getByText('All in order').waitFor()
    assert.equal(await content.getByRole('region', { name: 'Warnings' }).count(), 0)
  })

  it('replace the signing key by keyboard, once', async (t) => {
    const { app, api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'system' })
    await page.getByRole('button', { name: 'Rotate signing key' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Rotate signing key' })
    await dialog.getByRole('radio', { name: 'Regular rotation' }).press('ArrowDown')
    await dialog.getByRole('button', { name: 'Rotate now and refuse all tokens' }).waitFor()
    await assertAccessible(page, 'dialog')
    await page.keyboard.press('ArrowUp')
    await dialog.getByRole('button', { name: 'Rotate signing key' }).press('Enter')
    await page.getByText('The new key is published, and signs in 15 minutes.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await app.call('GET', '/signing-keys')
    assert.deepEqual(
      (body as { state: string }[]).map(({ state }) => state),
      ['next', 'signing'],
    )
    await page.getByRole('table', { name: 'Signing keys' }).getByText('Signs in').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no fault that axe finds while they wait, when they are refused, and with all open, ${colorScheme}`, async (t) => {
      const { api } = await startConsole(t)
      const page = await openConsole(t, browser, { api, colorScheme, path: 'users' })
      for (const path of ['statistics', 'audit', 'system'] as const) {
        const requestedRoute = Promise.withResolvers<Route>()
        await page.route(requests[path], (route) => requestedRoute.resolve(route), { times: 1 })
        await page.goto(`${api}/console/${path}`)
        await titled(page, titles[path])
        const route = await requestedRoute.promise
        await page.getByRole('status', { name: 'Loading' }).first().waitFor()
        await assertAccessible(page, `${path}, waiting`)
        const refusal = {
          type: 'about:blank',
          title: 'That is not allowed',
          status: 403,
          detail: 'The permission is missing.',
          instance: 'r-1',
          code: 'permission_denied',
        }
        await route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(refusal) })
        await page.getByRole('alert').waitFor()
        await assertAccessible(page, `${path}, refused`)
        assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
        await page.reload()
        await titled(page, titles[path])
        await page.waitForLoadState('networkidle')
        if (path === 'statistics') {
          for (const summary of await page.getByText('Show as table').all()) await summary.click()
        } else if (path === 'audit') {
          await page.getByRole('combobox', { name: 'Done by' }).fill('ad')
          await page
            .getByRole('button', { name: /User created/ })
            .first()
            .click()
          await page.getByRole('dialog').waitFor()
        }
        await assertAccessible(page, `${path}, open`)
      }
      await page.goto(`${api}/console/audit`)
      await page.getByRole('button', { name: 'Verify integrity' }).click()
      await page.getByText('End of the chain').waitFor()
      await assertAccessible(page, 'proof')
    })
  }
})
