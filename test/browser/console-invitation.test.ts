import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { freePort } from '../free-port.ts'
import { createUser } from '../harness.ts'
import { type MailServer, startMailServer } from '../mails/mail-server.ts'
import { dispatchMails, mailEnv } from '../mails/mailing.ts'
import { eventually } from '../webhooks/dispatching.ts'
import {
  assertAccessible,
  assertLooksGood,
  type ConsoleService,
  openConsole,
  startConsole,
  tabTo,
} from './console-driver.ts'
import { newPage } from './login-driver.ts'

const browser = await launchBrowser()

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function startWithMail(
  t: TestContext,
  more: Record<string, string> = {},
): Promise<ConsoleService & { server: MailServer }> {
  const server = await startMailServer(t)
  const port = await freePort()
  const ROLLBOOK_PUBLIC_URL = `http://127.0.0.1:${port}/auth`
  const env = { ...mailEnv, ROLLBOOK_SMTP_URL: server.url, ROLLBOOK_PUBLIC_URL, ...more }
  const service = await startConsole(t, { env, port })
  dispatchMails(t, service.app)
  return { ...service, server }
}

describe('invitations in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('sends one by keyboard, shows until when it works, sends another, and withdraws it', async (t) => {
    const { app, api, server } = await startWithMail(t)
    const { user_id } = await createUser(app, { username: 'grace', email: 'grace@example.com' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await button(page, 'Invite').waitFor()
    await tabTo(page, 'Invite')
    await page.keyboard.press('Enter')
    const inviting = dialog(page, 'Invite grace')
    await inviting.getByText('A message with a link goes to grace@example.com.').waitFor()
    await assertAccessible(page, 'the dialog')
    await tabTo(page, 'Send invitation')
    await page.keyboard.press('Enter')
    await page.getByText('The invitation to grace is on its way to grace@example.com.').waitFor()
    await page.getByText('Invited', { exact: true }).waitFor()
    await page.getByText(/^Invited: the link works until .*2\d{3}/).waitFor()
    await button(page, 'Invite again').click()
    await inviting.getByText('The earlier link stops working.').waitFor()
    await button(page, 'Send invitation').click()
    await inviting.waitFor({ state: 'detached' })
    assert.equal((await app.call('GET', `/users/${user_id}/invitation`)).body.invited, true)
    await button(page, 'Withdraw invitation').click()
    await page.getByText('The invitation was withdrawn. Its link no longer works.').waitFor()
    await page.getByText('Invited', { exact: true }).waitFor({ state: 'detached' })
    assert.equal((await app.call('GET', `/users/${user_id}/invitation`)).body.invited, false)
    assert.ok(server.received.every(({ to }) => to[0] === 'grace@example.com'))
  })

  it('shows a link to hand over, with which the user chooses a password', async (t) => {
    const { app, api } = await startWithMail(t)
    const { user_id } = await createUser(app, { username: 'grace', email: 'grace@example.com' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await button(page, 'Invite').click()
    await button(page, 'Create link').click()
    const created = dialog(page, 'Invitation link for grace')
    const link = (await created.getByText(/\/invitation\/[\w-]{43}$/).textContent()) ?? ''
    assert.ok(link.startsWith(`${api}/invitation/`), link)
    await assertAccessible(page, 'the link')
    await button(page, 'I have saved it').click()
    await created.waitFor({ state: 'detached' })
    const other = await newPage(t, browser, {})
    await other.goto(link)
    await other.locator('input[name=new_password]').fill('a compiler of no small size')
    await other.getByRole('button', { name: 'Set password' }).click()
    await other.locator('input[name=new_password]').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Can sign in.').waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.has_password, true)
  })

  it('shows the link and names the setting where no mail server is set up', async (t) => {
    const { app, api } = await startConsole(t)
    const { user_id } = await createUser(app, { username: 'grace', email: 'grace@example.com' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await button(page, 'Invite').click()
    await button(page, 'Send invitation').click()
    const created = dialog(page, 'Invitation link for grace')
    await created.getByText('ROLLBOOK_SMTP_URL').waitFor()
    await created.getByText(/\/invitation\/[\w-]{43}$/).waitFor()
  })

  it('invites the selected users, and hands over the links of those without an address', async (t) => {
    const { app, api, server } = await startWithMail(t)
    for (const username of ['kim', 'bob']) await createUser(app, { username, email: `${username}@example.com` })
    await createUser(app, { username: 'no.address' })
    const page = await openConsole(t, browser, { api, path: 'users?has_password=false' })
    await page.getByRole('grid').getByText('no.address').waitFor()
    await page
      .getByRole('checkbox', { name: 'Select all' })
      .or(page.getByRole('columnheader').getByRole('checkbox'))
      .first()
      .click()
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Invite', exact: true }).click()
    const inviting = dialog(page, 'Invite users')
    await inviting.getByText('Would be invited').waitFor()
    await assertAccessible(page, 'the preview')
    await button(page, 'Invite 3 users').click()
    await inviting.getByText('Some links were not sent.').waitFor()
    const saving = page.waitForEvent('download')
    await button(page, 'Download the links').click()
    const file = await (await (await saving).createReadStream()).toArray()
    assert.match(
      Buffer.concat(file).toString(),
      /^\ufeffusername,url,expires_at\r\nno\.address,http:\S+\/invitation\/[\w-]{43},\S+\r\n$/,
    )
    await eventually('both messages', () => server.received.length === 2)
    assert.equal((await app.call('GET', '/users?invited=true')).body.length, 3)
  })

  it('lists the users who have not accepted yet, and follows the address', async (t) => {
    const { app, api } = await startWithMail(t)
    for (const username of ['kim', 'bob']) await createUser(app, { username, email: `${username}@example.com` })
    await app.call('POST', '/users/bulk', { body: { action: 'invite', filter: { username: 'kim' } } })
    const page = await openConsole(t, browser, { api, path: 'users' })
    const cell = (text: string) => page.getByRole('grid').getByText(text)
    await cell('bob@example.com').waitFor()
    await button(page, 'Filter: Invited').click()
    await cell('bob@example.com').waitFor({ state: 'detached' })
    await cell('kim@example.com').waitFor()
    await page.reload()
    await cell('kim@example.com').waitFor()
    assert.equal(await cell('bob@example.com').count(), 0)
    await page.getByRole('button', { name: /^Filters/ }).click()
    const state = dialog(page, 'Filters').getByLabel('State')
    assert.equal(await state.inputValue(), 'invited')
    await state.selectOption('Any')
    await cell('bob@example.com').waitFor()
  })

  it('invites with the creation of a user, and shows the link where no message is sent', async (t) => {
    const { app, api, server } = await startWithMail(t)
    const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Support' } })).body
    const page = await openConsole(t, browser, { api, path: 'users' })
    await button(page, 'Create user').first().click()
    const creating = dialog(page, 'Create user')
    await creating.getByLabel('Email').fill('KIM@example.com')
    assert.equal(await creating.getByLabel('Send an invitation').isChecked(), true, 'the mail server works')
    await creating.getByRole('combobox', { name: 'Groups' }).fill('supp')
    await creating.getByRole('option', { name: 'Support' }).click()
    assert.equal(await creating.getByLabel('Password', { exact: true }).count(), 0)
    await assertAccessible(page, 'the dialog')
    await creating.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('Invitation sent to KIM@example.com').waitFor()
    await page.getByText('In the groups: Support').waitFor()
    await eventually('the message', () => server.received.length === 1)
    await button(page, 'Create another').click()
    await creating.getByLabel('Username').fill('kim@example.com')
    await creating.getByText('This username is taken.').waitFor()
    await creating.getByLabel('Username').fill('bob')
    await creating.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('bob is invited. No email was sent: pass on the link.').waitFor()
    await page.getByText(/\/invitation\/[\w-]{43}$/).waitFor()
    assert.equal((await app.call('GET', '/users?invited=true')).body.length, 2)
    assert.equal((await app.call('GET', `/users?group=${group_id}`)).body[0].username, 'KIM@example.com')
  })

  it('shows a link for a new password on the tab of the password', async (t) => {
    const { app, api } = await startWithMail(t)
    const password = 'a compiler of no small size'
    const { user_id } = await createUser(app, { username: 'grace', email: 'grace@example.com', password })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}?tab=password` })
    await button(page, 'Create link').click()
    await page.getByText(/\/reset-password\/[\w-]{43}$/).waitFor()
    await assertAccessible(page, 'the tab')
    await button(page, 'Send link').click()
    await page.getByText('The link for grace is on its way to grace@example.com.').waitFor()
  })

  it('says that an invitation has expired', async (t) => {
    const { app, api } = await startWithMail(t)
    const { user_id } = await createUser(app, { username: 'grace', email: 'grace@example.com' })
    await app.call('POST', `/users/${user_id}/invitation`)
    await app.runSql(`UPDATE user_links SET expires_at = '2026-01-02T03:04:05.000Z'`)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await page.getByText('Invited, but the link expired on 2 Jan 2026').waitFor()
  })

  it('offers nothing to those who may not change users', async (t) => {
    const { app, api } = await startConsole(t, { env: { ROLLBOOK_ROLES: '{"support": ["users:read"]}' } })
    const password = 'a compiler of no small size'
    await createUser(app, { username: 'mary', password, role: 'support' })
    const { user_id } = await createUser(app, { username: 'grace', email: 'grace@example.com' })
    await app.call('POST', `/users/${user_id}/invitation`)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}`, as: { username: 'mary', password } })
    await page.getByText(/^Invited: the link works until/).waitFor()
    assert.equal(await button(page, 'Withdraw invitation').count(), 0)
    assert.equal(await button(page, 'Invite again').count(), 0)
  })

  it('passes axe and fits phones, light and dark', async (t) => {
    const { app, api } = await startWithMail(t)
    const { user_id } = await createUser(app, { username: 'grace', email: `${'g'.repeat(60)}@example.com` })
    await app.call('POST', `/users/${user_id}/invitation`)
    const page = await openConsole(t, browser, { api, path: `users/${user_id}` })
    await button(page, 'Copy link').waitFor()
    await assertLooksGood(page, 'an invited user')
    await button(page, 'Copy link').click()
    await button(page, 'Create link').click()
    await dialog(page, 'Invitation link for grace').waitFor()
    await assertLooksGood(page, 'the link')
  })

  it('is what people get who ask for access, several at once, and a refusal of one stops no other', async (t) => {
    const { app, api } = await startWithMail(t, { ROLLBOOK_ACCESS_REQUESTS: 'on' })
    const instant = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const ids = new Map<string, string>()
    for (const [i, name] of ['mary', 'grace', 'joan', 'eve'].entries()) {
      const id = `019a9f3e-000${i}-7000-8000-000000000000`
      ids.set(name, id)
      const email = `${name}@example.com`
      await app.runSql(`INSERT INTO access_requests
        (request_id, state, email, email_key, first_name, last_name, attributes, reason, search_text, created_at, expires_at, delete_at)
        VALUES ('${id}', 'waiting', '${email}', '${email}', '${name}', '', '{}', 'I joined the team of ${name}.', '${email}',
          '${instant(-1)}', '${instant(29)}', '${instant(59)}')`)
    }
    const stateOf = async (name: string) => (await app.call('GET', `/access-requests/${ids.get(name)}`)).body.state
    // Where the message to administrators leads.
    const page = await openConsole(t, browser, { api, path: 'access-requests' })
    await page.getByRole('link', { name: 'Access requests' }).getByLabel('4 waiting').waitFor()
    await page.getByRole('searchbox', { name: 'Search requests' }).fill('eve')
    await page.getByText('I joined the team of mary.').waitFor({ state: 'detached' })
    await button(page, 'Decline eve').press('Enter')
    await dialog(page, 'Decline eve').getByRole('textbox', { name: 'Reason' }).fill('Only for staff.')
    await assertLooksGood(page, 'declining')
    await button(page, 'Decline').click()
    await page.getByText('1 request was declined.').waitFor()
    assert.equal(await stateOf('eve'), 'declined')

    await page.getByRole('searchbox', { name: 'Search requests' }).fill('')
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
    await assertLooksGood(page, 'the requests')
    await createUser(app, { username: 'joan@example.com' })
    await button(page, 'Approve').click()
    const approving = dialog(page, 'Approve the selected requests')
    await approving.getByRole('combobox', { name: 'Role' }).selectOption('admin')
    await assertLooksGood(page, 'approving')
    await approving.getByRole('button', { name: 'Create users' }).click()
    await approving.getByText('1 request was not decided.').waitFor()
    await approving.getByText(/joan@example\.com: .*username/).waitFor()
    assert.deepEqual(
      [await stateOf('mary'), await stateOf('grace'), await stateOf('joan')],
      ['approved', 'approved', 'waiting'],
    )
    assert.equal((await app.call('GET', '/users?username=mary@example.com')).body[0].role, 'admin')
    await page.keyboard.press('Escape')
    await button(page, 'Discard').click()
    await page.getByRole('combobox', { name: 'State of the requests' }).selectOption('all')
    await page.getByText('Only for staff.').waitFor()
    await assertLooksGood(page, 'all requests')
    await page.goto(`${api}/console/audit`)
    await page.locator('option', { hasText: 'Access request approved' }).first().waitFor({ state: 'attached' })
  })
})
