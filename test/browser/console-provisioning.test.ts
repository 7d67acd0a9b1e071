import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { connectTo } from '../scim/provider.ts'
import {
  assertAccessible,
  assertFitsWidth,
  assertLooksGood,
  openConsole,
  startConsole,
  tabTo,
} from './console-driver.ts'

const browser = await launchBrowser()

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

describe('provisioning in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('connects, changes and disconnects an identity provider by keyboard alone', async (t) => {
    const { app, api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'provisioning' })
    await page.getByText('No identity provider is connected yet.').waitFor()
    await page.keyboard.press('c')
    const creating = dialog(page, 'Connect identity provider')
    await creating.getByRole('combobox', { name: 'Identity provider' }).waitFor()
    await page.keyboard.type('Okta')
    assert.equal(await creating.getByRole('textbox', { name: 'Name' }).inputValue(), 'Okta')
    await tabTo(page, 'Connect')
    await page.keyboard.press('Enter')
    const created = dialog(page, 'Okta can connect now')
    await created.getByText(`${api}/scim/v2`, { exact: true }).waitFor()
    const key = (await created.getByText(/^rb_[0-9A-Za-z]{49}$/).textContent()) ?? ''
    const scim = (path: string) =>
      app.call('GET', `/scim/v2${path}`, { key: null, headers: { authorization: `Bearer ${key}` } })
    assert.equal((await scim('/Users')).status, 200)
    await tabTo(page, 'Open connection')
    await page.keyboard.press('Enter')
    await heading(page, 'Okta').waitFor()
    await page.getByText('No request was rejected.').waitFor()

    await tabTo(page, 'Edit connection')
    await page.keyboard.press('Enter')
    await dialog(page, 'Edit connection').getByRole('combobox', { name: 'Identity provider' }).waitFor()
    await page.keyboard.type('Google')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Workspace')
    await page.keyboard.press('Enter')
    await heading(page, 'Workspace').waitFor()
    const [changed] = (await app.call('GET', '/provisioning')).body
    assert.deepEqual([changed.name, changed.profile], ['Workspace', 'google'])

    await tabTo(page, 'Create key')
    await page.keyboard.press('Enter')
    await dialog(page, 'Create another key for Workspace?').waitFor()
    await tabTo(page, 'Create key')
    await page.keyboard.press('Enter')
    await dialog(page, 'The new key of Workspace')
      .getByText(/^rb_[0-9A-Za-z]{49}$/)
      .waitFor()
    await tabTo(page, 'I have saved it')
    await page.keyboard.press('Enter')
    const keys = (await app.call('GET', '/keys')).body as { connection_id?: string }[]
    assert.equal(keys.filter(({ connection_id }) => connection_id === changed.connection_id).length, 2)

    await tabTo(page, 'Delete connection')
    await page.keyboard.press('Enter')
    await dialog(page, 'Delete the connection Workspace?').getByText('It manages no users.').waitFor()
    await tabTo(page, 'Delete connection')
    await page.keyboard.press('Enter')
    await page.getByText('The connection Workspace was deleted.').waitFor()
    assert.equal((await scim('/Users')).status, 401)
  })

  it('shows what was rejected, why, and what to change', async (t) => {
    const { app, api } = await startConsole(t)
    const provider = await connectTo(app, { name: 'Okta' })
    const { id } = await provider.createUser()
    await provider.patch(`/Users/${id}`, { op: 'replace', path: 'favouriteColour', value: 'green' })
    await provider.scim('POST', '/Users', { userName: 'x', password: 'a secret of some length', nonsense: 1 })
    const page = await openConsole(t, browser, { api, path: `provisioning/${provider.connection_id}` })
    const row = page.getByRole('row').filter({ hasText: `PATCH /Users/${id}` })
    await row.getByText('400 invalidPath').waitFor()
    await row.getByRole('button', { name: 'Details' }).click()
    await page.getByText('"path": "favouriteColour"').waitFor()
    await page.getByText('The attribute mapping names an attribute that Rollbook does not have.').waitFor()
    await assertAccessible(page, 'the rejected requests')
    await page.getByRole('row').filter({ hasText: 'POST /Users' }).getByRole('button', { name: 'Details' }).click()
    await page.getByText('"password": "[removed]"').waitFor()
    assert.equal(await page.getByText('a secret of some length').count(), 0)
  })

  it('says who manages a user, and changes the user nevertheless when asked to', async (t) => {
    const { app, api } = await startConsole(t)
    const provider = await connectTo(app, { name: 'Okta' })
    const { id } = await provider.createUser({ userName: 'grace' })
    await createUser(app, { username: 'radia' })
    const page = await openConsole(t, browser, { api, path: `provisioning/${provider.connection_id}` })
    await page.getByRole('link', { name: '1 user' }).click()
    await button(page, 'Remove the filter: Managed by Okta').waitFor()
    await page.getByRole('link', { name: 'grace' }).first().waitFor()
    assert.equal(await page.getByRole('link', { name: 'radia' }).count(), 0)

    // No password is missing: the list says who manages the user, and a change of many can include the user.
    await page.getByRole('row', { name: /grace.*Managed by Okta/ }).waitFor()
    await page.getByRole('checkbox', { name: 'Select grace' }).check()
    await button(page, 'Disable').click()
    const disabling = dialog(page, 'Disable users')
    await disabling.getByText('1 user is refused').waitFor()
    await assertLooksGood(page, 'a refused change of a managed user')
    await disabling.getByRole('button', { name: 'Disable anyway' }).click()
    await disabling.getByRole('button', { name: 'Disable 1 user' }).click()
    await disabling.getByRole('button', { name: /^Undo: enable/ }).waitFor()
    assert.equal((await app.call('GET', `/users/${id}`)).body.active, false)
    await disabling.getByRole('button', { name: /^Undo: enable/ }).click()
    await page.getByText('Enabled: 1').waitFor()

    await page.goto(`${api}/console/users/${id}`)
    await page.getByText('manages this user. Change name, address and state there.').waitFor()
    const first = page.getByRole('textbox', { name: 'First name' })
    await page.getByRole('combobox', { name: 'Role' }).waitFor()
    assert.equal(await first.count(), 0)
    assert.match(await page.getByRole('region', { name: 'Details' }).locator('dl').innerText(), /Username\s+grace/)
    await assertAccessible(page, 'a managed user')
    await page.getByRole('checkbox', { name: /Change them here anyway/ }).check()
    await first.fill('Grace')
    await button(page, 'Save changes').click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await app.call('GET', `/users/${id}`)).body.first_name, 'Grace')
  })

  it('passes axe and fits phones, light and dark', async (t) => {
    const { app, api } = await startConsole(t)
    const provider = await connectTo(app, {
      name: 'Verzeichnisdienst der nördlichen Niederlassungen',
      profile: 'entra',
    })
    await provider.scim('POST', '/Users', { userName: 'x'.repeat(300) })
    await connectTo(app, { name: 'مزوّد الهوية' })
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [
        { width: 1440, height: 900 },
        { width: 320, height: 640 },
      ]) {
        const at = `${colorScheme} at ${viewport.width}`
        const page = await openConsole(t, browser, { api, path: 'provisioning', colorScheme, viewport })
        await page.getByRole('link', { name: /Verzeichnisdienst/ }).waitFor()
        await assertAccessible(page, `the connections, ${at}`)
        await assertFitsWidth(page, `the connections, ${at}`)
        await page.getByRole('link', { name: /Verzeichnisdienst/ }).click()
        await button(page, 'Details').first().click()
        await assertAccessible(page, `a connection, ${at}`)
        await assertFitsWidth(page, `a connection, ${at}`)
      }
    }
  })
})
