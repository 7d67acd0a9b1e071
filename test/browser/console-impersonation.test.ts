import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { languages } from '../../src/access/pages/page-texts/texts.ts'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { assertAccessible, assertFitsWidth, assertLooksGood, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

describe('acting as a user in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('begins with a reason, is shown on every page, and ends on the page of the user', async (t) => {
    const { app, api } = await startConsole(t)
    const grace = await createUser(app, { username: 'grace', email: 'grace@example.com', first_name: 'Grace' })
    const page = await openConsole(t, browser, { api, path: `users/${grace.user_id}` })
    await page.getByRole('button', { name: 'Actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Act as this user', exact: true }).press('Enter')
    await page.getByRole('textbox', { name: 'Reason' }).fill('Case 4711: the report is empty.')
    await assertLooksGood(page, 'the dialog')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Act as this user', exact: true }).press('Enter')

    const bar = page.getByRole('region', { name: 'Acting as another user' })
    await bar.waitFor()
    assert.match(await bar.innerText(), /^ada, you act as grace until .+\. You can change nothing\./)
    await page.waitForURL(`${api}/account`)
    await assertAccessible(page, 'acting as a user')
    assert.equal((await app.call('GET', `/users/${grace.user_id}/sessions`)).body[0].act.username, 'ada')

    await bar.getByRole('button', { name: 'Exit', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Grace', exact: true }).waitFor()
    assert.equal(await bar.count(), 0)
    assert.deepEqual((await app.call('GET', `/users/${grace.user_id}/sessions`)).body, [])
  })

  it('is shown on the sign-in and docs pages in each language, and ends there by keyboard', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'users' })
    const call = (method: string, path: string, data?: object) =>
      page.context().request.fetch(`${api}/${path}`, { method, data, headers: { origin: new URL(api).origin } })
    const grace = (await (await call('POST', 'users', { username: 'grace' })).json()) as { user_id: string }
    const start = () => call('POST', `users/${grace.user_id}/impersonation`, { reason: 'Case 4711' })
    const names = { de: 'Handeln als anderer Benutzer', ar: 'التصرف باسم مستخدم آخر', en: 'Acting as another user' }
    assert.deepEqual(Object.keys(names), [...languages])
    for (const [language, name] of Object.entries(names)) {
      for (const [path, ready] of Object.entries({ login: 'h1', docs: '.opblock' })) {
        assert.equal((await start()).status(), 201)
        await page.goto(`${api}/${path}?lang=${language}`)
        await page.locator(ready).first().waitFor()
        const bar = page.getByRole('region', { name })
        assert.match(await bar.innerText(), /\bada\b.+\bgrace\b/)
        for (const width of [1440, 320]) {
          await page.setViewportSize({ width, height: 800 })
          for (const colorScheme of ['dark', 'light'] as const) {
            await page.emulateMedia({ colorScheme })
            await assertAccessible(page, `${path} in ${language}, ${colorScheme} at ${width}`)
          }
          await assertFitsWidth(page, `${path} in ${language} at ${width}`)
        }
        await bar.getByRole('button').focus()
        await page.keyboard.press('Enter')
        await page.waitForURL(`${api}/console/users/${grace.user_id}`)
        await page.getByRole('heading', { level: 1, name: 'grace', exact: true }).waitFor()
      }
    }
  })

  it('ends with the session, and the browser has its own one again', async (t) => {
    const { app, api } = await startConsole(t)
    const grace = await createUser(app, { username: 'grace' })
    const page = await openConsole(t, browser, { api, path: `users/${grace.user_id}`, allowed: /401/ })
    await page.getByRole('button', { name: 'Actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Act as this user', exact: true }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Case 4711')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Act as this user', exact: true }).click()
    const bar = page.getByRole('region', { name: 'Acting as another user' })
    await bar.waitFor()
    await app.call('DELETE', `/users/${grace.user_id}/sessions`)
    await page.reload()
    await page.locator('input[value="Lovelace"]').waitFor()
    assert.equal(page.url(), `${api}/account`)
    assert.equal(await bar.count(), 0)
  })
})
