import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser, type Started } from '../harness.ts'
import { openBrowser } from '../people.ts'
import { assertAccessible, assertFitsWidth, openConsole, startConsole, switchTo } from './console-driver.ts'
import { until } from './until.ts'

const browser = await launchBrowser()
const password = 'nanoseconds on a string'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const command = (page: Page, text: string) => page.locator('pre').filter({ hasText: text }).filter({ visible: true })

async function act(page: Page, item: string): Promise<void> {
  await button(page, 'Actions').click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function addGrace(app: Started): Promise<string> {
  const grace = { username: 'grace', first_name: 'Grace', last_name: 'Hopper', email: 'grace@example.com', password }
  return String((await createUser(app, grace)).user_id)
}

async function signInStatus(api: string, username: string, input: string): Promise<number> {
  const response = await fetch(`${api}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(api).origin },
    body: JSON.stringify({ username, password: input }),
  })
  await response.text()
  return response.status
}

describe('one user in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('shows both versions after a conflict, and saves the chosen values', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await field(page, 'Last name').fill('Brewster')
    await field(page, 'Email').fill('grace@example.org')
    await app.call('PATCH', `/users/${user_id}`, { body: { last_name: 'Murray', external_id: 'E-1' } })
    await button(page, 'Save changes').click()
    await page.getByRole('heading', { name: 'This user was changed while you were editing' }).waitFor()
    await assertAccessible(page, 'both versions')
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.last_name, 'Murray')
    // Values changed by one side are chosen; where both changed a value, theirs.
    const contested = page.getByRole('group', { name: /Last name/ })
    await contested.getByRole('radio', { name: /Theirs/ }).check()
    await button(page, 'Save chosen values').click()
    await page.getByText('Saved.').waitFor()
    const { last_name, email, external_id } = (await app.call('GET', `/users/${user_id}`)).body
    assert.deepEqual([last_name, email, external_id], ['Murray', 'grace@example.org', 'E-1'])
    await heading(page, 'Grace Murray').waitFor()
    assert.equal(await field(page, 'External ID').inputValue(), 'E-1')

    // A sign-in or a new password meanwhile is no conflict.
    await field(page, 'First name').fill('Amazing')
    await app.call('POST', `/users/${user_id}/password`, { body: { password: 'a moth in relay seventy' } })
    await button(page, 'Save changes').click()
    await heading(page, 'Amazing Murray').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.first_name, 'Amazing')
  })

  it('asks before unsaved changes are lost, and keeps them across tabs', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await field(page, 'Last name').fill('Brewster')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('tabpanel', { name: 'History' }).getByText('Created', { exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Roles' }).click()
    await button(page, 'Stay').click()
    await page.getByRole('tab', { name: /Details/ }).click()
    assert.equal(await field(page, 'Last name').inputValue(), 'Brewster')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Roles' }).click()
    await button(page, 'Leave and discard').click()
    await heading(page, 'Roles').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.last_name, 'Hopper')
  })

  it('gets a generated password, which is shown once and works, and is signed out', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const { call } = await openBrowser(app, 'grace', password)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}?tab=password` })
    await button(page, 'Generate').click()
    const generated = await field(page, 'New password').inputValue()
    await page.getByRole('checkbox', { name: /choose another password/ }).uncheck()
    await button(page, 'Reset password').click()
    await command(page, generated).waitFor()
    assert.equal(await field(page, 'New password').inputValue(), '')
    assert.equal((await call('GET', '/me')).status, 401)
    assert.equal(await signInStatus(api, 'grace', password), 401)
    assert.equal(await signInStatus(api, 'grace', generated), 201)
    await page.reload()
    await button(page, 'Reset password').waitFor()
    assert.equal(await command(page, generated).count(), 0)
  })

  it('is signed out of one browser, and then of all', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const browsers = [await openBrowser(app, 'grace', password), await openBrowser(app, 'grace', password)]
    const page = await openConsole(t, browser, { api, path: `users/${user_id}?tab=sessions` })
    const ends = page.getByRole('button', { name: /^End the session/ })
    await ends.first().click()
    await page.getByText('The session has ended.').waitFor()
    await until(page, `document.querySelectorAll('[aria-label^="End the session"]').length === 1`)
    const states = await Promise.all(browsers.map(async ({ call }) => (await call('GET', '/me')).status))
    assert.deepEqual(states.sort(), [200, 401])
    await button(page, 'End all sessions').click()
    await page.getByText('Not signed in anywhere.').waitFor()
    for (const { call } of browsers) assert.equal((await call('GET', '/me')).status, 401)
  })

  it('is not called active while a network must wait, and is allowed to sign in again at once', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await heading(page, 'Grace Hopper').waitFor()
    await page.getByText('Active', { exact: true }).first().waitFor()
    while ((await signInStatus(api, 'grace', 'not this one')) !== 429);
    // Long enough for a slow machine to see it.
    const allowedAt = new Date(Date.now() + 600_000).toISOString()
    await app.runSql(`UPDATE sign_in_throttles SET allowed_at = '${allowedAt}' 
      WHERE failures = 5 AND throttle_key LIKE 'user:%:127.0.0.1'`)
    assert.equal(await signInStatus(api, 'grace', password), 429, 'the right password is refused as well')
    await page.reload()
    const response = page.getByRole('region', { name: 'Can this user sign in?' })
    // A moment of another day has its date.
    await response.getByText(/^Must wait until (?:.+, )?\d\d:\d\d \(attempts from 127\.0\.0\.1\)\.$/).waitFor()
    await response.getByText(/Wrong password 5 times, last at (?:.+, )?\d\d:\d\d from 127\.0\.0\.1 \(/).waitFor()
    await page.locator('main').getByText('Locked', { exact: true }).first().waitFor()
    assert.equal(await page.locator('[data-kind=good]').filter({ hasText: 'Active' }).count(), 0)
    await page.getByRole('tab', { name: 'Sessions' }).click()
    assert.equal(await page.getByText('None since the last sign-in.').count(), 0)
    await assertAccessible(page, 'a user who must wait')
    await response.getByRole('button', { name: 'Allow sign-in' }).click()
    await response.getByText('Can sign in.').waitFor()
    assert.equal(await signInStatus(api, 'grace', password), 201)
  })

  it('shows why a sign-in was refused, with one button that helps, as the sign-in itself decides', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const { user_id: bare } = await createUser(app, { username: 'bare' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    const response = page.getByRole('region', { name: 'Can this user sign in?' })
    await response.getByText('Can sign in.', { exact: true }).waitFor()
    assert.equal(await response.getByRole('button').count(), 0)
    assert.equal(await signInStatus(api, 'grace', password), 201)

    assert.equal(await signInStatus(api, 'grace', 'not this one'), 401)
    await page.reload()
    await response
      .getByText(/with the right password\. Wrong password once, at (?:.+, )?\d\d:\d\d from 127\.0\.0\.1/)
      .waitFor()
    await response.getByRole('button', { name: 'Reset password' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[data-path=password]:focus').waitFor()
    await assertAccessible(page, 'the dialog for a password')
    await dialog.getByRole('button', { name: 'Generate' }).click()
    const generated = await dialog.locator('input[data-path=password]').inputValue()
    await dialog.locator('button[type=submit]').click()
    await dialog.locator('pre').filter({ hasText: generated }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await response.getByText('Can sign in, and must then choose another password.').waitFor()
    assert.equal(await signInStatus(api, 'grace', generated), 201)

    await act(page, 'Disable user')
    await response.getByText('Cannot sign in. Disabled by ada now.').waitFor()
    assert.equal(await signInStatus(api, 'grace', generated), 401)
    await assertAccessible(page, 'a disabled user')
    await response.getByRole('button', { name: 'Enable user' }).click()
    await response.getByText('Can sign in').first().waitFor()
    assert.equal(await signInStatus(api, 'grace', generated), 201)

    await page.goto(`${api}/console/users/${bare}`)
    await response.getByText('Cannot sign in. No password yet.').waitFor()
    await response.getByRole('button', { name: 'Set password' }).waitFor()
  })

  it('has its actions in a menu, by keyboard alone', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    const { call } = await openBrowser(app, 'grace', password)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await button(page, 'Actions').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Reset password' }).and(page.locator(':focus')).waitFor()
    await assertAccessible(page, 'the menu of a user')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await button(page, 'Actions').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Reset password' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('grace is signed out everywhere.').waitFor()
    assert.equal((await call('GET', '/me')).status, 401)
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Reset password' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByText('grace is disabled and signed out.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('grace is enabled.').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.active, true)
  })

  it('cannot be deleted as the last administrator, and the dialog says so beforehand', async (t) => {
    const { api, user_id } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await act(page, 'Delete user')
    await page.getByText('This is the last administrator.').waitFor()
    assert.ok(await button(page, 'Delete user').isDisabled())
  })

  it('can be found after a deletion, by the address and in the list, until it is erased', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    await app.call('DELETE', `/users/${user_id}`)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await heading(page, 'grace was deleted').waitFor()
    await button(page, 'Restore').click()
    await heading(page, 'Grace Hopper').waitFor()
    await app.call('DELETE', `/users/${user_id}`)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deleted users' }).click()
    await button(page, 'Erase grace…').click()
    await button(page, 'Erase for good').click()
    await page.getByText('There are no deleted users').waitFor()
    assert.equal((await app.call('POST', `/users/${user_id}/restore`)).status, 404)
    await assertAccessible(page, 'no deleted users')
  })

  it('shows no command for a name that PostgreSQL reserves', async (t) => {
    const { app, api } = await startConsole(t)
    const { user_id } = await createUser(app, { username: 'pg_grace' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}?tab=database` })
    await page.getByText('There is no command for this username').first().waitFor()
    assert.equal(await page.locator('pre').count(), 0)
  })

  it('has no fault that axe finds in any of its parts, light at 390 and dark at 1440 px', async (t) => {
    const { app, api } = await startConsole(t)
    const user_id = await addGrace(app)
    await app.call('PATCH', `/users/${user_id}`, { body: { last_name: 'Brewster' } })
    assert.equal(await signInStatus(api, 'grace', 'not the password'), 401)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    const looks = async (what: string) => {
      for (const [colorScheme, width] of [
        ['light', 390],
        ['dark', 1440],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await switchTo(page, colorScheme)
        await assertAccessible(page, `${what}, ${colorScheme}`)
        await assertFitsWidth(page, `${what} at ${width}`)
      }
    }
    await heading(page, 'Grace Brewster').waitFor()
    for (const part of ['Details', 'Password', 'Sessions', 'History', 'Database account']) {
      await page.getByRole('tab', { name: part }).click()
      await page.waitForLoadState('networkidle')
      await looks(part)
    }
    await page.goto(`${api}/console/users`)
    await button(page, 'Create user').first().click()
    await field(page, 'Username').fill('a b')
    await page.getByRole('dialog').getByRole('button', { name: 'Create user' }).click()
    await page.locator('input[aria-invalid=true]').waitFor()
    await looks('a username that is refused')
  })
})
