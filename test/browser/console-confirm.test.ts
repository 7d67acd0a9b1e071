import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { connectionTo, findSlapd, person, startSlapd } from '../slapd.ts'
import { admin, assertAccessible, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()
const noSlapd = (await findSlapd()) === undefined ? 'no slapd' : false
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

  it('is the password of the directory for a user who has no other', { skip: noSlapd }, async (t) => {
    const slapd = await startSlapd()
    assert.ok(slapd)
    t.after(() => slapd.stop())
    let ahead = 0
    const env = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1' }
    const { app, api } = await startConsole(t, { env, clock: () => Date.now() + ahead })
    const created = await app.call('POST', '/connections', {
      body: {
        ...connectionTo(slapd),
        role_claim: 'groups',
        roles: { engineers: 'admin' },
      },
    })
    assert.equal(created.status, 201, created.text)
    const { connection_id } = created.body
    const { password, mail } = person('ada')
    const as = { username: 'ada', password, connection_id }
    const page = await openConsole(t, browser, { api, path: 'keys', allowed: /403/, as })
    await page.keyboard.press('c')
    const creating = dialog(page, 'Create key')
    await creating.getByRole('textbox', { name: 'Name' }).fill('nightly sync')
    await creating.getByRole('checkbox', { name: /^users:read/ }).check()
    ahead = 11 * 60_000
    await creating.getByRole('button', { name: 'Create key' }).click()
    const confirming = dialog(page, 'Confirm that it is you')
    const field = confirming.getByRole('textbox', { name: 'Password at Directory' })
    await field.fill('wrong')
    assert.equal(await confirming.getByRole('textbox', { name: /^Username/ }).inputValue(), mail)
    await assertAccessible(page, 'the confirmation with a directory')
    await page.keyboard.press('Enter')
    await confirming.getByText('The username or the password of the company is wrong.').waitFor()
    await field.fill(password)
    await page.keyboard.press('Enter')
    await dialog(page, 'The key nightly sync').waitFor()

    // A password that the connection may refuse does not hide the directory.
    const document = `replace(document, '"has_password":false', '"has_password":true')`
    await app.runSql(`UPDATE users SET password_hash = 'of a password', document = ${document} WHERE email = '${mail}'`)
    await page.reload()
    await page.keyboard.press('c')
    await creating.getByRole('textbox', { name: 'Name' }).fill('weekly sync')
    await creating.getByRole('checkbox', { name: /^users:read/ }).check()
    ahead = 22 * 60_000
    await creating.getByRole('button', { name: 'Create key' }).click()
    await field.fill(password)
    await confirming.getByRole('textbox', { name: 'Password', exact: true }).waitFor()
    await assertAccessible(page, 'the confirmation with a directory or a password')
    await field.press('Enter')
    await dialog(page, 'The key weekly sync').waitFor()
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

  it('is asked for before a file is checked and again before it is imported, and both continue', async (t) => {
    let ahead = 0
    const { app, api } = await startConsole(t, { clock: () => Date.now() + ahead })
    const page = await openConsole(t, browser, { api, path: 'imports?new=true', allowed: /403/ })
    const buffer = Buffer.from('username\ngrace\n')
    await page
      .getByLabel('Choose a file, or drop one here')
      .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer })
    const confirming = dialog(page, 'Confirm that it is you')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    for (const [name, next] of [
      ['Check file', button('Import 1 user')],
      ['Import 1 user', page.getByRole('heading', { name: '1 row imported.' })],
    ] as const) {
      ahead += 11 * 60_000
      await button(name).click()
      await confirming.getByRole('textbox', { name: 'Password' }).fill(admin.password)
      assert.equal((await app.call('GET', '/users?username=grace')).body.length, 0)
      await page.keyboard.press('Enter')
      await next.waitFor()
    }
    assert.equal((await app.call('GET', '/users?username=grace')).body.length, 1)
  })
})
