import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { setFailures } from '../sign-in/visitor.ts'
import {
  addUsers,
  assertAccessible,
  assertAccessibleInBoth,
  assertFitsWidth,
  openConsole,
  startConsole,
} from './console-driver.ts'

const browser = await launchBrowser()
const count = 3000
/** Including the administrator, who is the oldest and so the last. */
const total = count + 1

const row = (page: Page, number: number) => page.locator(`[data-row="${number - 1}"]`)
const grid = (page: Page) => page.getByRole('grid', { name: 'Users' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

async function startFull(t: TestContext) {
  const service = await startConsole(t)
  const first_name = (i: number) => (i % 10 === 0 ? 'Grace' : 'Alan')
  await addUsers(service.app, count, (i) => ({
    first_name: first_name(i),
    last_name: `Number ${i + 1}`,
    ...(i % 100 === 0 && { role: 'admin' }),
  }))
  return service
}

describe('the users screen in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('finds, filters and sorts, and its address restores the same view', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api })
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('gr')
    await page.getByText('Names and emails that begin with “gr”').waitFor()
    await page.getByText(/ of 300$/).waitFor()
    await page.keyboard.type('ace')
    await page.waitForURL('**/users?q=grace')
    await row(page, 1).getByRole('link', { name: 'Grace Number 2991', exact: true }).waitFor()

    await button(page, 'Filters').press('Enter')
    await page.getByRole('dialog').getByLabel('Role').selectOption('admin')
    await page.getByText(/ of 30$/).waitFor()
    assert.deepEqual(searchOf(page), { q: 'grace', role: 'admin' })

    await button(page, 'User').click()
    await page.getByRole('columnheader', { name: 'User' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await button(page, 'User').click()
    await row(page, 1).getByRole('link', { name: 'Grace Number 2901' }).waitFor()
    const address = page.url()
    assert.deepEqual(searchOf(page), { q: 'grace', role: 'admin', sort: '-username' })

    await page.getByRole('button', { name: 'Remove the filter: Role: admin' }).click()
    await page.getByText(/ of 300$/).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Remove the filter: Role: admin' }).waitFor()
    assert.equal(page.url(), address)
    await page.reload()
    await row(page, 1).getByRole('link', { name: 'Grace Number 2901' }).waitFor()
    assert.equal(await page.getByLabel('Search users').inputValue(), 'grace')

    await page.getByLabel('Search users').fill('nobody at all')
    await page.getByText('No users found').waitFor()
    await button(page, 'Clear search and filters').click()
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()
  })

  it('finds users who have never signed in, from the statistics and with the filter for the last sign-in', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 3)
    const page = await openConsole(t, browser, { api, path: 'statistics' })
    await page.getByRole('link', { name: 'Never signed in 3' }).click()
    await page.waitForURL('**/users?has_signed_in=false&kind=person')
    await page.getByText(/ of 3$/).waitFor()
    await page.getByRole('button', { name: 'Remove the filter: Never signed in' }).click()
    await page.getByText(/ of 4$/).waitFor()

    await button(page, 'Filters').press('Enter')
    const lastSignIn = page.getByRole('group', { name: 'Last sign-in' })
    await lastSignIn.getByLabel('From').fill('2020-01-01')
    await lastSignIn.getByRole('combobox', { name: 'Last sign-in' }).selectOption('Never')
    await page.getByText(/ of 3$/).waitFor()
    assert.equal(await lastSignIn.getByLabel('From').isDisabled(), true)
    assert.deepEqual(searchOf(page), { has_signed_in: 'false' })

    await lastSignIn.getByRole('combobox').selectOption('At least once')
    await page.getByText(/ of 1$/).waitFor()
    await row(page, 1).getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  })

  it('filters with one click, which can be undone where it was made', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 4, (i) => ({ ...(i === 0 && { active: false }), ...(i < 2 && { role: 'admin' }) }))
    const page = await openConsole(t, browser, { api })
    const shows = (of: number) => page.getByText(new RegExp(` of ${of}$`)).waitFor()
    await shows(5)
    await button(page, 'Filter: Disabled').press('Enter')
    await shows(1)
    assert.deepEqual(searchOf(page), { active: 'false' })
    // The same button has the focus, and removes the filter.
    await page.locator('button:focus', { hasText: 'Disabled' }).press('Enter')
    await shows(5)
    await page.getByLabel('Filter: Role').selectOption('admin')
    await shows(3)
    await button(page, 'Remove the filter: Role: admin').press('Enter')
    await shows(5)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT')
    await button(page, 'Filter: No password').click()
    await shows(4)
    await button(page, 'Filter: Never signed in').click()
    await shows(4)
    await button(page, 'Filter: Last sign-in over 90 days ago').click()
    await page.getByText('No users found').waitFor()
    const { last_login_before = '', ...others } = searchOf(page)
    assert.deepEqual(others, { has_password: 'false', kind: 'person' }, 'the filter by last sign-in replaces the other')
    const days = (Date.now() - Date.parse(last_login_before)) / 86_400_000
    assert.ok(days > 88.9 && days < 90.1, `${days} days ago`)
    await button(page, 'Clear filters').click()
    await shows(5)
  })

  it('moves from the search into the list with the arrow down, and opens with Enter', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api })
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('number 2991')
    await page.getByText(/ of 1$/).waitFor()
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'grid')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Grace Number 2991' }).waitFor()
  })

  it('reaches every row by keyboard, and returns to it after Back', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api })
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()
    assert.equal(await grid(page).getAttribute('aria-rowcount'), String(total + 1))

    await grid(page).press('End')
    await row(page, total).getByText('ada', { exact: true }).waitFor()
    assert.equal(await grid(page).getAttribute('aria-activedescendant'), await row(page, total).getAttribute('id'))
    await grid(page).press('Home')
    await row(page, 1).getByText('user.3000', { exact: true }).waitFor()
    await grid(page).press('PageDown')
    await grid(page).press('ArrowUp')
    const active = Number(await page.locator('[data-active]').getAttribute('data-row'))
    assert.ok(active > 5, `a page down and a row up: row ${active}`)

    await page.getByLabel('Go to row').fill('1502')
    await page.getByLabel('Go to row').press('Enter')
    await row(page, 1502).getByText('user.1499', { exact: true }).waitFor()
    await page.waitForURL('**/users?row=1501')
    await grid(page).press('ArrowDown')
    await grid(page).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Alan Number 1498' }).waitFor()
    await page.goBack()
    await row(page, 1502).getByText('user.1499', { exact: true }).waitFor()
  })

  it('shows every user once after one was created above a chunk boundary', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 130)
    const page = await openConsole(t, browser, { api, path: 'users?sort=username&density=compact&row=40' })
    await page.getByText('user.0048', { exact: true }).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Username' }).fill('aaaa')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Done' }).click()
    // ada, aaaa and 49 others are before it.
    await page.locator('[data-row="51"]', { hasText: 'user.0050' }).waitFor()
    for (let row = 45; row < 56; row += 1) {
      const name = `user.${String(row - 1).padStart(4, '0')}`
      await page.locator(`[data-row="${row}"]`, { hasText: name }).waitFor()
    }
  })

  it('has a page mode, and remembers it', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api })
    await button(page, 'View').click()
    await page.getByLabel('Page by page').check()
    await page.keyboard.press('Escape')
    await page.getByText('Page 1 of 61').waitFor()
    await button(page, 'Last').click()
    await page.getByText('Page 61 of 61').waitFor()
    await row(page, total).getByText('ada', { exact: true }).waitFor()
    await button(page, 'Previous').click()
    await row(page, 2951).waitFor()
    assert.deepEqual(searchOf(page), { page: '60' })
    await page.goto(`${api}/console/users`)
    await page.getByText('Page 1 of 61').waitFor()
  })

  it('selects rows, a range, and all matches but one, and passes them to the bulk change', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api, path: 'users?role=user' })
    await page.getByText('of 2,970').waitFor()
    await row(page, 2).getByRole('checkbox').click()
    await row(page, 6)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('5 selected', { exact: true }).waitFor()
    await grid(page).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByText('6 selected', { exact: true }).waitFor()

    await button(page, 'Select all 2,970 that match').click()
    await row(page, 3).getByRole('checkbox').click()
    await page.getByText('2,969 selected', { exact: true }).waitFor()
    const listRequest = page.waitForRequest((request) => request.url().includes('/users/bulk'))
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Disable' }).click()
    const body = (await listRequest).postDataJSON() as { filter: object; except: string[] }
    assert.deepEqual([body.filter, body.except.length], [{ role: 'user' }, 1])
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await grid(page).press('Escape')
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' })
  })

  it('disables and deletes one user from the menu of the row, and undoes both', async (t) => {
    const { app, api } = await startFull(t)
    const page = await openConsole(t, browser, { api })
    await row(page, 4).getByText('user.2997', { exact: true }).waitFor()
    await grid(page).press('Home')
    for (let i = 0; i < 3; i += 1) await grid(page).press('ArrowDown')
    await grid(page).press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Disable user' }).press('Enter')
    await row(page, 4).getByText('Disabled').waitFor()
    await page.getByText('user.2997 is disabled and signed out.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'grid')
    await button(page, 'Undo').click()
    await page.getByText('user.2997 is enabled.').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).first().click()

    await row(page, 4).getByRole('button', { name: 'Actions for user.2997' }).click()
    await page.getByRole('menuitem', { name: 'Delete user' }).click()
    await row(page, 4).getByText('user.2996', { exact: true }).waitFor()
    assert.equal((await app.call('GET', '/users?username=user.2997')).text, '[]')
    await button(page, 'Undo').click()
    await row(page, 4).getByText('user.2997', { exact: true }).waitFor()
  })

  it('changes the role and copies the ID from the menu of the row', async (t) => {
    const { app, api } = await startFull(t)
    const page = await openConsole(t, browser, { api, path: 'users?q=user.0007' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const menu = page.getByRole('button', { name: 'Actions for user.0007' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change role of user.0007' })
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('admin')
    await assertAccessible(page, 'the dialog for a role')
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await page.getByText('user.0007 has the role admin.').waitFor()
    await row(page, 1).getByText('admin', { exact: true }).waitFor()
    await button(page, 'Undo').click()
    await page.getByText(/^user\.0007 has the role .+ again\.$/).waitFor()
    const [user] = (await app.call('GET', '/users?username=user.0007')).body
    assert.notEqual(user.role, 'admin')
    await menu.click()
    await page.getByRole('menuitem', { name: 'Copy ID' }).click()
    await page.getByText('The ID of user.0007 is copied.').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), user.user_id)
  })

  it('shows who is locked, and lists them alone', async (t) => {
    const { app, api } = await startFull(t)
    const [user] = (await app.call('GET', '/users?username=user.0007')).body
    await app.call('POST', `/users/${user.user_id}/password`, { body: { password: 'nanoseconds on a string' } })
    await setFailures(app, user.user_id, 95)
    const page = await openConsole(t, browser, { api, path: 'users?q=user.0007' })
    await row(page, 1).getByText('Locked', { exact: true }).waitFor()
    await page.goto(`${api}/console/users`)
    await button(page, 'Filters').click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'State' }).selectOption('Locked')
    await page.waitForURL(/locked=true/)
    await row(page, 1).getByText('user.0007', { exact: true }).waitFor()
    await page.getByText('1–1 of 1').waitFor()
    await app.call('DELETE', `/users/${user.user_id}/lock`)
    await page.reload()
    await page.getByText('No users found').waitFor()
  })

  it('announces new users without moving the rows', async (t) => {
    const { app, api } = await startFull(t)
    const page = await openConsole(t, browser, { api, isNew: true })
    await page.clock.install()
    await page.reload()
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()
    await page.waitForLoadState('networkidle')
    await createUser(app, { username: 'newest' })
    await page.clock.runFor(16_000)
    await row(page, 1).getByText('user.3000', { exact: true }).waitFor()
    await button(page, '1 new user').click()
    await page.clock.runFor(1000)
    await row(page, 1).getByText('newest', { exact: true }).waitFor()
  })

  it('has no fault that axe finds, whatever it shows, light and dark', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api })
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()
    await assertAccessibleInBoth(page, 'the list')
    await button(page, 'Filters').click()
    await assertAccessibleInBoth(page, 'filters')
    await page.keyboard.press('Escape')
    await button(page, 'View').click()
    await assertAccessibleInBoth(page, 'view')
    await page.keyboard.press('Escape')
    await row(page, 3).getByRole('checkbox').click()
    await assertAccessibleInBoth(page, 'a selection')
    await row(page, 3).getByRole('button').click()
    await page.getByRole('menu').waitFor()
    await assertAccessibleInBoth(page, 'the menu of a row')
    await page.goto(`${api}/console/users?role=admin&density=compact&page=1`)
    await row(page, 2).getByRole('link').waitFor()
    await assertAccessibleInBoth(page, 'narrowed, compact, in pages')
    await page.goto(`${api}/console/users?q=nobody+at+all`)
    await page.getByText('No users found').waitFor()
    await assertAccessibleInBoth(page, 'nobody')
  })

  it('shows cards on a phone, with the filters at the bottom', async (t) => {
    const { api } = await startFull(t)
    const page = await openConsole(t, browser, { api, viewport: { width: 320, height: 640 }, hasTouch: true })
    await row(page, 2).getByRole('link', { name: 'Alan Number 2999' }).waitFor()
    await assertFitsWidth(page, 'cards')
    await page.getByRole('button', { name: 'Filters' }).tap()
    const panel = page.getByRole('dialog', { name: 'Filters' })
    await panel.waitFor()
    const box = await panel.boundingBox()
    assert.ok(box !== null)
    assert.deepEqual([box.x, box.width, Math.round(box.y + box.height)], [0, 320, 640])
    await assertAccessible(page, 'filters on a phone')
    await panel.getByLabel('State').selectOption('false')
    await page.getByText('No users found').waitFor()
    await panel.getByRole('button', { name: 'Done' }).tap()
    await page.getByRole('button', { name: 'Remove the filter: Disabled' }).tap()
    await row(page, 2).getByRole('checkbox').tap()
    await assertFitsWidth(page, 'a selection on a phone')
    await assertAccessible(page, 'a selection on a phone')
    await row(page, 3).getByText('user.2998@example.com').tap()
    await page.getByRole('heading', { level: 1, name: 'Alan Number 2998' }).waitFor()
  })

  it('leads an administrator without users to the first user', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    await page.getByText('You are the only user so far').waitFor()
    await page.getByText('npx rollbook users create grace').waitFor()
    await assertAccessible(page, 'alone')
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByLabel('Username').waitFor()
  })

  it('keeps its rows while offline, and continues to read afterwards', async (t) => {
    const { api } = await startFull(t)
    // Files that are fetched ahead, once the page is idle.
    const page = await openConsole(t, browser, { api, isNew: true, allowed: /ERR_INTERNET_DISCONNECTED/ })
    await page.getByText(`of ${total.toLocaleString('en')}`).waitFor()
    await page.waitForLoadState('networkidle')
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await row(page, 2).getByRole('link').waitFor()
    await grid(page).press('End')
    await row(page, total).waitFor()
    assert.equal(await row(page, total).getByRole('link').count(), 0)
    await page.context().setOffline(false)
    await row(page, total).getByText('ada', { exact: true }).waitFor()
  })
})
