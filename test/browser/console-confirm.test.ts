import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { admin, assertAccessible, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

describe('recent authentication in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('is asked for over the form, which then goes on', async (t) => {
    let ahead = 0
    const { app, api } = await startConsole(t, { clock: () => Date.now() + ahead })
    const page = await openConsole(t, browser, { api, path: 'keys', allowed: /403/ })
    await page.keyboard.press('c')
    const creating = dialog(page, 'Create key')
    await creating.getByRole('textbox', { name: 'Name' }).fill('nightly sync')
    await creating.getByRole('checkbox', { name: /^users:read/ }).check()
    ahead = 11 * 60_000
    await creating.getByRole('button', { name: 'Create key' }).click()
    const confirming = dialog(page, 'Confirm that it is you')
    await confirming.getByRole('textbox', { name: 'Password' }).fill('wrong')
    await assertAccessible(page, 'the confirmation')
    await page.keyboard.press('Enter')
    await confirming.getByText('That did not work.').waitFor()
    const count = async () => (await app.call('GET', '/keys')).body.length
    const before = await count()
    await confirming.getByRole('textbox', { name: 'Password' }).fill(admin.password)
    await page.keyboard.press('Enter')
    await dialog(page, 'The key nightly sync').waitFor()
    assert.equal(await count(), before + 1)
  })

  it('can be refused, and leaves what was typed', async (t) => {
    let ahead = 0
    const { api } = await startConsole(t, { clock: () => Date.now() + ahead })
    const page = await openConsole(t, browser, { api, path: 'keys', allowed: /403/ })
    await page.keyboard.press('c')
    const creating = dialog(page, 'Create key')
    await creating.getByRole('textbox', { name: 'Name' }).fill('nightly sync')
    await creating.getByRole('checkbox', { name: /^users:read/ }).check()
    ahead = 11 * 60_000
    await creating.getByRole('button', { name: 'Create key' }).click()
    const confirming = dialog(page, 'Confirm that it is you')
    await confirming.getByRole('button', { name: 'Cancel' }).click()
    await confirming.waitFor({ state: 'detached' })
    await creating.getByText('The key was not created.').waitFor()
    assert.equal(await creating.getByRole('textbox', { name: 'Name' }).inputValue(), 'nightly sync')
  })
})
