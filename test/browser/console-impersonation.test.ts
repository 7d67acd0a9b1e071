import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { assertLooksGood, openConsole, startConsole } from './console-driver.ts'

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
    await page.getByRole('heading', { level: 1, name: 'Your account', exact: true }).waitFor()
    await assertLooksGood(page, 'acting as a user')
    assert.equal((await app.call('GET', `/users/${grace.user_id}/sessions`)).body[0].act.username, 'ada')

    await bar.getByRole('button', { name: 'Exit', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Grace', exact: true }).waitFor()
    assert.equal(await bar.count(), 0)
    assert.deepEqual((await app.call('GET', `/users/${grace.user_id}/sessions`)).body, [])
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
    await page.getByRole('heading', { level: 1, name: 'Your account', exact: true }).waitFor()
    await page.getByText('Ada Lovelace').first().waitFor()
    assert.equal(await bar.count(), 0)
  })
})
