/** What administrators do in the console, in one browser: belongs to npm test. Every page in every look is in ../console*.test.ts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../browser.ts'
import { createUser, type Started } from '../../harness.ts'
import {
  addUsers,
  admin,
  assertAccessible,
  assertFitsWidth,
  follow,
  foreignRequests,
  startConsole,
  tabTo,
} from '../console-driver.ts'
import { newPage, submitSignIn } from '../login-driver.ts'
import { assertReachable } from '../reachable.ts'
import { until } from '../until.ts'
import { shareWalk } from './shared.ts'

const browser = await launchBrowser()
const roles = { support: ['users:read'] }
const password = 'a moth in relay seventy'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const command = (page: Page, text: string) => page.locator('pre').filter({ hasText: text }).filter({ visible: true })

const works = async (app: Started, key: string): Promise<boolean> =>
  (await app.call('GET', '/users', { key })).status === 200

/** Reads the secret, which is shown only once. */
async function shownSecret(page: Page): Promise<string> {
  return (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
}

async function act(page: Page, item: string): Promise<void> {
  await button(page, 'Actions').click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describe('a walk through the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return

  const walk = shareWalk(browser, async (t) => {
    const service = await startConsole(t, { env: { ROLLBOOK_ROLES: JSON.stringify(roles) } })
    await addUsers(service.app, 40, (i) => ({ first_name: 'Alan', last_name: `Number ${i + 1}` }))
    const page = await newPage(t, browser, {
      locale: 'en-GB',
      timezoneId: 'UTC',
      viewport: { width: 1440, height: 900 },
    })
    return { ...service, page }
  })

  let signedIn = ''

  /** Opens a path of the console as this user. */
  async function open(path: string, as: { username: string; password: string } = admin) {
    const parts = walk()
    const { page, api } = parts
    if (signedIn !== as.username) {
      await page.goto('about:blank')
      const response = await page.context().request.post(`${api}/sessions`, {
        data: { username: as.username, password: as.password },
        headers: { origin: new URL(api).origin },
      })
      assert.equal(response.status(), 201, await response.text())
      signedIn = as.username
    }
    await page.goto(`${api}/console/${path}`)
    return parts
  }

  async function addUser(app: Started, username: string): Promise<string> {
    const names = { first_name: 'Grace', last_name: 'Hopper', email: `${username}@example.com` }
    return String((await createUser(app, { username, ...names, password })).user_id)
  }

  it('redirects to the sign-in page without a session, and back to the requested page', async () => {
    const { page, api } = walk()
    await page.goto(`${api}/console/audit?action=user.created`)
    await page.waitForURL(/\/login\?return_to=/)
    assert.equal(await submitSignIn(page, admin), 303)
    await heading(page, 'Audit').waitFor()
    assert.match(page.url(), /\/console\/audit\?action=/)
    signedIn = admin.username
  })

  it('lists the users, finds one, and asks no other server', async () => {
    const { page, api } = walk()
    const foreign = foreignRequests(page, new URL(api).origin)
    await open('users')
    await page.getByText(' of 41').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('number 31')
    await page.getByText(/ of 1$/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await heading(page, 'Alan Number 31').waitFor()
    assert.deepEqual(foreign, [])
  })

  it('opens a user, changes a name, and saves it', async () => {
    const { app, page } = walk()
    const user_id = await addUser(app, 'ida')
    await open(`users/${user_id}`)
    await field(page, 'First name').fill('Ida')
    await button(page, 'Save changes').click()
    await page.getByText('Saved.').waitFor()
    await heading(page, 'Ida Hopper').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.first_name, 'Ida')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Changed by adaFirst name' }).waitFor()
  })

  it('creates a user by keyboard alone, and opens it; the step in the database is folded', async () => {
    const { app, page } = await open('users')
    await button(page, 'Create user').first().waitFor()
    await page.keyboard.press('c')
    await page.locator('input[data-path=username]:focus').waitFor()
    // The fault is shown at its field, which gets the focus, and typed input is kept.
    await page.keyboard.type('grace hopper')
    await page.keyboard.press('Tab')
    await page.locator('input[data-path=email]:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('Grace')
    await page.keyboard.press('Enter')
    await page.locator('input[data-path=username][aria-invalid=true]:focus').waitFor()
    assert.equal(await field(page, 'First name').inputValue(), 'Grace')
    await page.keyboard.press('Control+A')
    await page.keyboard.type("grace.o'hopper")
    await page.keyboard.press('Enter')

    await page.getByText('cannot sign in until a password is set').waitFor()
    assert.equal(await page.getByText('createuser').isVisible(), false, 'the database account is folded')
    await page.getByText('Database account', { exact: true }).click()
    await command(page, String.raw`createuser --pwprompt -- 'grace.o'\''hopper'`).waitFor()
    const { body } = await app.call('GET', "/users?username=grace.o'hopper")
    assert.deepEqual([body[0].first_name, body[0].has_password], ['Grace', false])
    await page.getByRole('link', { name: 'Open user' }).press('Enter')
    await heading(page, 'Grace').waitFor()
    assert.match(page.url(), new RegExp(`/users/${body[0].user_id}\\?tab=password$`))
  })

  it('deletes a user after a preview of the consequences, and restores it by Undo', async () => {
    const { app, page } = walk()
    const user_id = await addUser(app, 'grace')
    await open(`users/${user_id}`)
    await act(page, 'Delete user')
    await page.getByText('Not changed: a database account named grace.').waitFor()
    await page.getByText('Can be restored until').waitFor()
    await assertAccessible(page, 'before the deletion')
    await button(page, 'Delete user').click()
    await command(page, "dropuser -- 'grace'").waitFor()
    await assertAccessible(page, 'after the deletion')
    assert.equal((await app.call('GET', `/users/${user_id}`)).status, 404)
    await button(page, 'Done').click()
    await heading(page, 'Users').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('grace was restored.').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.last_name, 'Hopper')
  })

  it('creates, changes and deletes a group by keyboard alone', async () => {
    const { app, page } = await open('groups')
    await page.getByText('There are no groups yet.').waitFor()
    await page.keyboard.press('c')
    await dialog(page, 'Create group').getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.type('Support of the north')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Answers customers')
    await page.keyboard.press('Tab')
    await page.keyboard.type('support')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Create group')
    await page.keyboard.press('Enter')
    await heading(page, 'Support of the north').waitFor()
    const [created] = (await app.call('GET', '/groups')).body
    assert.deepEqual([created.description, created.role, created.external_id], ['Answers customers', 'support', null])

    await tabTo(page, 'Edit group')
    await page.keyboard.press('Enter')
    await dialog(page, 'Edit group').getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Care')
    await page.keyboard.press('Enter')
    await heading(page, 'Care').waitFor()
    assert.equal((await app.call('GET', `/groups/${created.group_id}`)).body.name, 'Care')

    await tabTo(page, 'Delete group')
    await page.keyboard.press('Enter')
    await dialog(page, 'Delete the group Care?').getByText('The group has no members.').waitFor()
    await tabTo(page, 'Delete group')
    await page.keyboard.press('Enter')
    await heading(page, 'Groups').waitFor()
    await page.getByText('The group Care was deleted.').waitFor()
    await page.getByText('There are no groups yet.').waitFor()
    assert.deepEqual((await app.call('GET', '/groups')).body, [])
  })

  it('creates, rotates and revokes a key by keyboard alone', async () => {
    const { app, page } = await open('keys')
    await page.getByRole('cell', { name: /^admin \(configuration\)/ }).waitFor()

    await page.keyboard.press('c')
    await dialog(page, 'Create key').getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.type('nightly sync')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await dialog(page, 'The key nightly sync').waitFor()
    const first = await shownSecret(page)
    assert.ok(await works(app, first))
    // One Escape too many must not lose the secret.
    await page.keyboard.press('Escape')
    assert.equal(await shownSecret(page), first)
    await tabTo(page, 'I have saved it')
    await page.keyboard.press('Enter')

    await page.getByRole('cell', { name: /^nightly sync/ }).waitFor()
    await tabTo(page, 'Rotate nightly sync')
    await page.keyboard.press('Enter')
    await dialog(page, 'Rotate key nightly sync').waitFor()
    await tabTo(page, 'Rotate key')
    await page.keyboard.press('Enter')
    await page.getByText('Copy it now.').waitFor()
    const second = await shownSecret(page)
    assert.notEqual(second, first)
    assert.ok((await works(app, first)) && (await works(app, second)))
    await tabTo(page, 'I have saved it')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await until(page, `document.activeElement.ariaLabel === 'Rotate nightly sync'`)

    await tabTo(page, 'Revoke nightly sync')
    await page.keyboard.press('Enter')
    await dialog(page, 'Revoke key nightly sync?').waitFor()
    await tabTo(page, 'Revoke key')
    await page.keyboard.press('Enter')
    await page.getByText('The key nightly sync is revoked.').waitFor()
    await until(page, `document.activeElement.tagName === 'H1'`)
    assert.equal(await page.getByRole('cell', { name: /^nightly sync/ }).count(), 0)
    assert.ok(!(await works(app, second)))
  })

  it('lists in the audit what was done, and opens a record', async () => {
    const { app, page } = walk()
    const user_id = await addUser(app, 'mary')
    await app.call('DELETE', `/users/${user_id}`)
    await open('audit?action=user.deleted')
    await page.getByRole('button', { name: /User deleted.*mary/ }).click()
    await page.getByRole('dialog', { name: 'User deleted' }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('shows only what can be pressed on each page', async () => {
    const { app, page } = walk()
    const user_id = await addUser(app, 'joan')
    const group = await app.call('POST', '/groups', { body: { name: 'Buttons' } })
    const creation = await app.call('POST', '/keys', { body: { name: 'nightly', permissions: ['users:read'] } })
    await open('users')
    await page.getByText('joan@example.com').waitFor()
    const controls = {
      users: ['Create user', 'Export users', 'Filters', 'View', 'Filter: Disabled', 'Filter: No password'],
      [`users/${user_id}`]: ['Actions', 'Details', 'Password', 'Sessions', 'History', 'Save changes'],
      [`users/${user_id}?tab=password`]: ['Generate', 'Reset password'],
      groups: ['Create group'],
      [`groups/${group.body.group_id}`]: ['Edit group', 'Delete group', 'Add members'],
      attributes: ['Create attribute'],
      provisioning: ['Connect identity provider'],
      imports: ['Export all users'],
      audit: ['Verify integrity', 'Export audit', 'Refresh'],
      'second-factors': ['Test policy'],
      keys: ['Create key', 'Rotate nightly', 'Revoke nightly'],
      webhooks: ['Create webhook'],
      system: ['Rotate signing key'],
    }
    for (const [path, names] of Object.entries(controls)) {
      await follow(page, path)
      await assertReachable(page, path, names)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await follow(page, 'users')
    await assertReachable(page, 'users on a phone', ['Open the menu', 'Find', 'Create user', 'Filters'])
    await page.setViewportSize({ width: 1440, height: 900 })
    await app.call('DELETE', `/groups/${group.body.group_id}`)
    await app.call('DELETE', `/keys/${creation.body.key_id}`)
  })

  it('fits a phone, in the dark as well, with the menu', async (t) => {
    const { page, user_id } = walk()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    t.after(async () => {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.emulateMedia({ colorScheme: 'light' })
    })
    await open('users')
    await page.locator('html[data-mantine-color-scheme=dark] h1').waitFor()
    for (const path of ['users', `users/${user_id}`, 'groups', 'audit', 'keys', 'statistics']) {
      await follow(page, path)
      await assertFitsWidth(page, path)
    }
    await button(page, 'Open the menu').press('Enter')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Roles', exact: true })
      .press('Enter')
    await heading(page, 'Roles').waitFor()
    await assertAccessible(page, 'roles on a phone, in the dark')
  })

  it('passes axe on the list of users, on a user and in the audit', async () => {
    const { page, user_id } = walk()
    await open('users')
    for (const path of ['users', `users/${user_id}`, 'audit']) {
      await follow(page, path)
      await assertAccessible(page, path)
    }
  })

  it('shows a user read-only without the permission to write', async () => {
    const { app, page } = walk()
    const user_id = await addUser(app, 'radia')
    const sam = { username: 'sam', password }
    await createUser(app, { ...sam, role: 'support' })
    await open(`users/${user_id}`, sam)
    const lacking = 'To change users, your role needs users:write. Ask an administrator.'
    await page.getByText(lacking).waitFor()
    const details = page.getByRole('region', { name: 'Details' })
    assert.match(await details.locator('dl').innerText(), /Last name\s+Hopper/)
    assert.equal(await details.getByRole('textbox').count(), 0)
    for (const name of ['Save changes', 'Actions']) assert.equal(await button(page, name).count(), 0)
    assert.deepEqual(await page.getByRole('tab').allTextContents(), ['Details', 'Security', 'Database account'])
    await assertAccessible(page, 'who may only look')
    assert.equal(await page.getByRole('region', { name: 'Can this user sign in?' }).getByRole('button').count(), 0)
    await follow(page, 'users')
    await page.getByText('radia@example.com').waitFor()
    await page.getByText(lacking).waitFor()
    assert.equal(await button(page, 'Create user').count(), 0)
    // What cannot be read is said in the same words.
    await follow(page, 'groups')
    await page.getByText('To read the groups, your role needs groups:read. Ask an administrator.').waitFor()
    assert.equal(await page.getByRole('main').getByRole('button').count(), 1, 'the API button')
    assert.equal(
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).count(),
      0,
    )
  })
})
