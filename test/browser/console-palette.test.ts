import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import {
  addUsers,
  assertAccessible,
  assertFitsWidth,
  assertLooksGood,
  openConsole,
  startConsole,
} from './console-driver.ts'

const browser = await launchBrowser()

const field = (page: Page) => page.getByRole('combobox', { name: 'Find users, groups, keys, pages and actions' })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const active = async (page: Page) => {
  const id = await field(page).getAttribute('aria-activedescendant')
  return page.locator(`[id="${id}"]`)
}

describe('the command palette in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('opens users by name, pages and dialogs from any page, by keyboard alone', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 30)
    await createUser(app, { username: 'grace', first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com' })
    await createUser(app, { username: 'ckrueger', first_name: 'Catherine', last_name: 'Krüger' })
    const sophie = await createUser(app, { username: 'sophie' })
    await app.call('DELETE', `/users/${sophie.user_id}`)
    for (const [path, body] of [
      ['/groups', { name: 'Support of the north' }],
      ['/keys', { name: 'Billing system', permissions: ['users:read'] }],
      ['/provisioning', { name: 'Globex Entra', profile: 'entra' }],
    ] as const)
      assert.equal((await app.call('POST', path, { body })).status, 201)
    const page = await openConsole(t, browser, { api, path: 'roles' })
    await heading(page, 'Roles')
    await page.keyboard.press('Control+k')
    // Typed while the palette is loading.
    await page.keyboard.type('grace hop')
    await page.getByRole('option', { name: 'Grace Hopper' }).waitFor()
    assert.equal(await field(page).inputValue(), 'grace hop')
    assert.match((await (await active(page)).textContent()) ?? '', /^Grace Hopper/)
    await page.keyboard.press('Enter')
    await heading(page, 'Grace Hopper')

    await page.keyboard.press('Meta+k')
    await field(page).waitFor()
    await page.keyboard.type('audi')
    await page.keyboard.press('Enter')
    await heading(page, 'Audit')

    await page.keyboard.press('Control+k')
    await field(page).fill('create key')
    await page.keyboard.press('Enter')
    await heading(page, 'API keys')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor()
    // A dialog may hold input, so the palette does not open over it.
    await page.keyboard.press('Control+k')
    assert.equal(await field(page).count(), 0)
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    for (const [typed, option] of [
      ['support of', /^Support of the north/],
      ['billing', /^Billing system/],
      ['globex', /^Globex Entra$/],
      ['disabled', /^Disabled users/],
      ['signing', /^System/],
      ['cathrine', /^Catherine Krüger/],
    ] as const) {
      await field(page).fill(typed)
      await page.getByRole('option', { name: option }).waitFor()
    }
    await assertLooksGood(page, 'Did you mean')
    await field(page).fill('sophie')
    await page.getByRole('option', { name: '1 deleted user matches' }).click()
    await page.waitForURL(/deleted-users\?q=sophie$/)

    await page.keyboard.press('Control+k')
    await field(page).fill('user.00')
    await page.getByRole('option', { name: 'user.0003' }).waitFor()
    await page.keyboard.press('ArrowUp')
    assert.match((await (await active(page)).textContent()) ?? '', /Show all users with “user.00”/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/users\?q=user\.00$/)
    await page.getByText(/ of 30$/).waitFor()
  })

  it('returns the focus on Escape, finds only what the role may see, and says when there is nothing', async (t) => {
    const env = { ROLLBOOK_ROLES: JSON.stringify({ support: ['users:read'] }) }
    const { app, api } = await startConsole(t, { env })
    const auditor = { username: 'olga', password: 'analytical engine no. 2' }
    await createUser(app, { ...auditor, role: 'support' })
    const page = await openConsole(t, browser, { api, path: 'users', as: auditor })
    const search = page.getByLabel('Search users')
    await search.focus()
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    assert.equal(await page.getByRole('listbox').getByRole('option', { name: 'Webhooks' }).count(), 0)
    assert.equal(await page.getByRole('option', { name: 'Create key' }).count(), 0)
    const refused: string[] = []
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()))
    await field(page).fill('zzzz')
    await page.getByRole('option', { name: 'Show all users with “zzzz”' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.deepEqual(refused, [], 'nothing is asked that the role may not read')
    assert.deepEqual(await page.getByRole('listbox').getByRole('option').allTextContents(), [
      'Show all users with “zzzz”',
    ])
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    await page.locator('input[type=search]:focus').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no fault that axe finds, and fits a phone, ${colorScheme}`, async (t) => {
      const { app, api } = await startConsole(t)
      await addUsers(app, 30)
      const page = await openConsole(t, browser, {
        api,
        colorScheme,
        viewport: { width: 390, height: 844 },
        hasTouch: true,
      })
      await page.getByRole('button', { name: 'Find' }).first().tap()
      await field(page).waitFor()
      await assertAccessible(page, 'the palette')
      await field(page).fill('user.000')
      await page.getByRole('option', { name: 'user.0001' }).waitFor()
      await assertAccessible(page, 'results')
      await assertFitsWidth(page, 'the palette')
      await page.getByRole('option', { name: 'user.0001' }).tap()
      await heading(page, 'user.0001')
    })
  }
})
