import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createUser, type Started } from '../harness.ts'
import { startApp } from '../webhooks/dispatching.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import {
  admin,
  assertAccessible,
  assertFitsWidth,
  assertLooksGood,
  openConsole,
  startConsole,
} from './console-driver.ts'
import { until } from './until.ts'

const browser = await launchBrowser()
const roles = {
  support: ['users:read', 'users:write'],
  analyst: ['reports:read', 'users:read'],
  'key-keeper': ['keys:read', 'keys:write', 'users:read'],
}
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }

const focused = (page: Page) =>
  page.evaluate('document.activeElement?.ariaLabel ?? document.activeElement?.textContent')
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Reads the secret, which is shown only once. */
async function shownSecret(page: Page): Promise<string> {
  return (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
}

async function createKey(app: Started, name: string, permissions: string[]): Promise<void> {
  const { status, text } = await app.call('POST', '/keys', { body: { name, permissions } })
  assert.equal(status, 201, text)
}

async function startWithReceiver(t: TestContext) {
  const app = await startApp(t, { name: 'SQLite' })
  await createUser(app, { ...admin, role: 'admin' })
  const receiver = await startReceiver(t)
  app.dispatch()
  return { app, receiver, api: await app.listen() }
}

describe('keys, webhooks and roles in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('offers only the actions on keys that are allowed, and explains the others', async (t) => {
    const { app, api } = await startConsole(t, { env })
    await createKey(app, 'reader', ['users:read'])
    await createKey(app, 'strong', ['users:write'])
    const keeper = { username: 'keeper', password: 'a moth in relay seventy' }
    await createUser(app, { ...keeper, role: 'key-keeper' })
    const page = await openConsole(t, browser, { api, path: 'keys', as: keeper })
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('reader').getByRole('button', { name: 'Revoke reader' }).waitFor()
    await row('strong').getByText('It has permissions that you do not have.').waitFor()
    await row('admin (configuration)').getByText('From the configuration').waitFor()
    assert.equal(await row('strong').getByRole('button').count(), 0)
    assert.equal(await row('admin (configuration)').getByRole('button').count(), 0)
    await page.getByRole('button', { name: 'Create key' }).click()
    const offered = dialog(page, 'Create key').getByRole('checkbox')
    await offered.first().waitFor()
    assert.equal(await offered.count(), roles['key-keeper'].length)
  })

  it("creates and tests a webhook, and shows its receiver's answer", async (t) => {
    const { receiver, api } = await startWithReceiver(t)
    const page = await openConsole(t, browser, { api, path: 'webhooks' })
    await page.getByText('There are no webhooks yet.').waitFor()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const creating = dialog(page, 'Create webhook')
    await creating.getByRole('textbox', { name: 'URL' }).fill('crm')
    await creating.getByRole('button', { name: 'Create webhook' }).click()
    await creating.getByText('This is not a URL').waitFor()
    await creating.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
    await creating.getByRole('textbox', { name: 'Description' }).fill('CRM')
    await creating.getByRole('radio', { name: 'Selected events' }).check()
    await creating.getByRole('checkbox', { name: 'All key.*' }).check()
    await creating.getByRole('button', { name: 'Create webhook' }).click()
    await dialog(page, 'The secret of the webhook').waitFor()
    assert.match(await shownSecret(page), /^whsec_/)
    await page.getByRole('button', { name: 'Open webhook' }).click()
    await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor()

    await page.getByRole('button', { name: 'Send test' }).click()
    const sent = page.getByRole('row').filter({ hasText: 'webhook.test' })
    await sent.getByText('Delivered').waitFor()
    assert.deepEqual(
      receiver.received.map(({ event }) => event.type),
      ['webhook.test'],
    )

    receiver.respondWith(() => (response) => response.writeHead(503).end('the CRM is being mended'))
    await sent.getByRole('button', { name: 'Send again: webhook.test' }).click()
    await page.getByRole('button', { name: 'Attempts: webhook.test' }).first().click()
    await page.getByText('503', { exact: true }).waitFor()
    await page.getByText('the CRM is being mended').waitFor()
    await assertAccessible(page, 'attempts')

    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Nothing is sent. Events wait until the webhook is enabled again.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Send test' }).isDisabled())
    await page.getByRole('button', { name: 'Delete webhook', exact: true }).click()
    await dialog(page, 'Delete the webhook CRM?').getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('There are no webhooks yet.').waitFor()
  })

  it('has one API button on each page, with the requests of the open tab', async (t) => {
    const { app, api, user_id: own } = await startConsole(t)
    const { user_id } = (
      await app.call('POST', '/users', { body: { username: 'grace', password: 'a moth in relay seventy' } })
    ).body
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    const buttons = page.getByRole('button', { name: 'API', exact: true })
    const requests = async () => {
      await buttons.click()
      const panel = dialog(page, 'Use the API instead')
      await panel.waitFor()
      const texts = await panel.locator('h3 code').allTextContents()
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      return texts
    }
    assert.deepEqual(await requests(), ['GET /users/{user_id}', 'PATCH /users/{user_id}'])
    await page.getByRole('tab', { name: 'Password' }).click()
    assert.deepEqual(await requests(), ['POST /users/{user_id}/password', 'POST /users/{user_id}/password-reset'])
    await page.getByRole('tab', { name: 'Database account' }).click()
    assert.equal(await buttons.count(), 0, 'no request')
    // The own password and address are changed in one place, which asks for the current password.
    await page.goto(`${api}/console/users/${own}`)
    await page.getByRole('region', { name: 'Details' }).getByRole('term').filter({ hasText: 'Email' }).waitFor()
    await page.getByRole('tab', { name: 'Password' }).click()
    await page.getByRole('tabpanel').getByRole('link', { name: 'your account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    for (const path of ['users', 'system', 'webhooks', 'keys', 'imports', 'audit', 'roles', 'statistics']) {
      await page.goto(`${api}/console/${path}`)
      await page.locator('main h1').waitFor()
      await page.waitForLoadState('networkidle')
      assert.equal(await buttons.count(), 1, path)
    }
  })

  it('shows each action as its API call, also over a dialog, and Escape closes one layer at a time', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'keys' })
    await page.getByRole('button', { name: 'Create key' }).click()
    const creating = dialog(page, 'Create key')
    await creating.getByRole('textbox', { name: 'Name' }).fill("o'neil")
    await creating.getByRole('checkbox', { name: /^audit:read/ }).check()
    await creating.getByRole('button', { name: 'API' }).press('Enter')
    const panel = dialog(page, 'Use the API instead')
    await panel.getByText(`-d '{"name":"o'\\''neil","permissions":["audit:read"]`).waitFor()
    await panel.getByText('-H "X-API-Key: $ROLLBOOK_API_KEY"').waitFor()
    await assertAccessible(page, 'panel over a dialog')
    await panel.getByText('Command line').click()
    await panel.getByText('rollbook keys create').waitFor()
    await panel.getByText('SDK').click()
    await panel.getByText(`url: '${api}',`).waitFor()
    await panel.getByText('client.keys.create({').waitFor()
    const docs = panel.getByRole('link', { name: 'POST /keys on the docs page' })
    assert.equal(await docs.getAttribute('href'), `${api}/docs#/default/create_key_keys_post`)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    assert.equal(await focused(page), 'API')
    assert.equal(await creating.getByRole('textbox', { name: 'Name' }).inputValue(), "o'neil")
    // Typed input is kept, and the last chosen form is remembered.
    await page.keyboard.press('Escape')
    await creating.getByRole('button', { name: 'Cancel' }).click()
    await creating.waitFor({ state: 'detached' })
    await until(page, `document.activeElement.textContent === 'Create key'`)
    await page.getByRole('button', { name: 'API', exact: true }).click()
    await dialog(page, 'Use the API instead').getByText('client.keys.list()').waitFor()
  })

  it('shows the roles in words, with their users and their setting', async (t) => {
    const { app, api } = await startConsole(t, { env })
    for (const username of ['grace', 'mary']) await createUser(app, { username, role: 'support' })
    const page = await openConsole(t, browser, { api, path: 'roles' })
    const may = async (word: string) => {
      const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${word}`) }) })
      return (await row.getByRole('cell').allTextContents()).map((text) => text.includes('Yes'))
    }
    await page.getByRole('link', { name: '2 users' }).waitFor()
    assert.deepEqual(await may('users:write'), [true, false, true, false, false])
    assert.deepEqual(await may('reports:read'), [true, false, false, true, false])
    const setting = (await page.locator('pre').textContent()) ?? ''
    assert.deepEqual(JSON.parse(/^ROLLBOOK_ROLES='(.*)'$/s.exec(setting)?.[1] ?? ''), roles)
    await page.getByRole('link', { name: '2 users' }).click()
    await page.waitForURL(`${api}/console/users?role=support`)
  })

  it('creates, changes and deletes a role, and says what a change gives or takes before it is saved', async (t) => {
    const { app, api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'roles' })
    await page.getByRole('button', { name: 'Create role' }).click()
    const create = dialog(page, 'Create role')
    await create.getByRole('textbox', { name: 'Name' }).fill('helper')
    await create.getByRole('checkbox', { name: /^groups:read/ }).check()
    await create.getByRole('textbox', { name: 'Permission of your product' }).fill('reports:read')
    await create.getByRole('button', { name: 'Add' }).click()
    await create.getByRole('checkbox', { name: 'reports:read' }).waitFor()
    await assertAccessible(page, 'create a role')
    await create.getByRole('button', { name: 'Create role' }).click()
    await page.getByText('The role was created.').waitFor()
    for (const username of ['grace', 'mary']) await createUser(app, { username, role: 'helper' })
    await page.reload()
    await page.getByRole('link', { name: '2 users' }).waitFor()
    await page.getByRole('button', { name: 'Edit the role helper' }).click()
    const edit = dialog(page, 'Edit the role helper')
    await edit.getByRole('checkbox', { name: /^groups:read/ }).uncheck()
    await edit.getByRole('checkbox', { name: /^users:read/ }).check()
    const effect = edit.getByRole('region', { name: 'Effect of the change' })
    await effect.getByText('Would lose: groups:read').waitFor()
    assert.match((await effect.textContent()) ?? '', /2 users have this role.*Would get: users:read/)
    await edit.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The role is saved.').waitFor()
    assert.deepEqual((await app.call('GET', '/roles/helper')).body.permissions, ['reports:read', 'users:read'])
    await page.getByRole('button', { name: 'Delete the role helper' }).click()
    const remove = dialog(page, 'Delete the role helper?')
    await remove.getByText('2 users have this role.').waitFor()
    await remove.getByRole('combobox', { name: 'Give them this role instead' }).selectOption('user')
    await remove.getByRole('button', { name: 'Delete role' }).click()
    await page.getByText('The role helper was deleted.').waitFor()
    assert.equal((await app.call('GET', '/roles/helper')).status, 404)
    await assertLooksGood(page, 'roles')
  })

  it('begins, decides by keyboard alone and closes an access review', async (t) => {
    const { app, api } = await startConsole(t, { env })
    for (const username of ['alan', 'bea', 'cleo']) await createUser(app, { username, role: 'support' })
    const page = await openConsole(t, browser, { api, path: 'reviews' })
    await page.getByText('No reviews yet').waitFor()
    await page.keyboard.press('c')
    const beginDialog = dialog(page, 'Create review')
    await beginDialog.getByRole('textbox', { name: 'Name' }).fill('Q4 2026')
    await beginDialog.getByRole('combobox', { name: 'Users with the role' }).selectOption('support')
    await assertAccessible(page, 'begin a review')
    await beginDialog.getByRole('button', { name: 'Create review' }).click()
    await page.getByRole('heading', { level: 1, name: 'Q4 2026' }).waitFor()
    const row = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name}, Role support`) })
    await row('alan').waitFor()
    await page.getByText('Removing takes this away at once: Role support.').waitFor()
    // Nothing but keys: a comment and a removal, a move back and undo, then the others.
    await page.keyboard.press('m')
    await page.keyboard.type('left the team')
    await page.keyboard.press('Enter')
    await page.keyboard.press('r')
    await row('alan').getByText('Removed').waitFor()
    await row('alan').getByText('left the team').waitFor()
    const roleOf = async (name: string) => (await app.call('GET', `/users?username=${name}`)).body[0].role
    assert.equal(await roleOf('alan'), 'user')
    assert.match(String(await focused(page)), /^bea, /)
    await page.keyboard.press('k')
    assert.match(String(await focused(page)), /^alan, /)
    await page.keyboard.press('a')
    await row('alan').getByText('Kept').waitFor()
    assert.equal(await roleOf('alan'), 'support')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('r')
    await page.keyboard.press('a')
    await row('cleo').getByText('Kept').waitFor()
    assert.equal(await roleOf('bea'), 'user')
    await assertLooksGood(page, 'review')
    await page.setViewportSize({ width: 320, height: 640 })
    await assertFitsWidth(page, 'review')
    await assertAccessible(page, 'review on a phone')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    assert.equal((await saved).suggestedFilename(), 'Q4 2026.csv')
    await page.getByRole('button', { name: 'Close review' }).click()
    await dialog(page, 'Close the review Q4 2026?').getByRole('button', { name: 'Close and seal' }).click()
    await page.getByText('The review Q4 2026 is closed and sealed.').waitFor()
    await page.getByText(/^[0-9a-f]{64}$/).waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Keep|Remove|Close review)/ }).count(), 0)
    await page.getByRole('link', { name: 'Access reviews' }).last().click()
    await page.getByText('3 of 3 rows decided').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no fault that axe finds, with content, dialogs and refusals, ${colorScheme}`, async (t) => {
      const { app, api } = await startConsole(t, { env })
      await createKey(app, 'nightly sync', ['users:read', 'reports:read'])
      for (const url of ['https://a.example/hooks', 'https://b.example/hooks'])
        assert.equal((await app.call('POST', '/webhooks', { body: { url, event_types: ['user.*'] } })).status, 201)
      const page = await openConsole(t, browser, { api, path: 'keys', colorScheme })
      await page.getByRole('button', { name: 'Revoke nightly sync' }).click()
      await dialog(page, 'Revoke key nightly sync?').waitFor()
      await assertAccessible(page, 'revoke')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Create key' }).click()
      await dialog(page, 'Create key').getByRole('textbox', { name: 'Name' }).fill('x')
      await dialog(page, 'Create key').getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Choose at least one.').waitFor()
      await assertAccessible(page, 'create a key')
      await page.goto(`${api}/console/webhooks`)
      await page.getByText('Nothing was sent yet').first().waitFor()
      await assertAccessible(page, 'webhooks')
      await page.getByRole('link', { name: 'https://a.example/hooks' }).click()
      await page.getByText('Send a test to see whether the receiver responds.').waitFor()
      await assertAccessible(page, 'webhook')
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await dialog(page, 'Rotate secret').waitFor()
      await assertAccessible(page, 'rotate the secret')
      await page.goto(`${api}/console/roles`)
      await page.getByRole('row', { name: /^reports:read/ }).waitFor()
      await assertAccessible(page, 'roles')
      await page.setViewportSize({ width: 320, height: 640 })
      for (const path of ['keys', 'webhooks', 'roles']) {
        await page.goto(`${api}/console/${path}`)
        await page
          .getByText(path === 'keys' ? 'nightly sync' : path === 'webhooks' ? 'https://a.example/hooks' : 'key-keeper')
          .last()
          .waitFor()
        await assertFitsWidth(page, path)
        await assertAccessible(page, `${path} on a phone`)
      }
    })
  }

  it('shows the refusal in place of what cannot be read', async (t) => {
    const { app, api } = await startConsole(t, { env })
    const grace = { username: 'grace', password: 'a moth in relay seventy' }
    await createUser(app, { ...grace, role: 'support' })
    const page = await openConsole(t, browser, { api, path: 'keys', as: grace })
    for (const [path, what] of [
      ['keys', 'the API keys'],
      ['webhooks', 'the webhooks'],
    ]) {
      await page.goto(`${api}/console/${path}`)
      await page.getByText(`To read ${what}, your role needs ${path}:read. Ask an administrator.`).waitFor()
      assert.equal(await page.getByRole('button', { name: /Try again|Create/ }).count(), 0)
      await assertAccessible(page, `${path} refused`)
    }
  })
})
