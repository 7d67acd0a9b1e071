import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { freePort } from '../free-port.ts'
import { createUser } from '../harness.ts'
import { type MailServer, startMailServer } from '../mails/mail-server.ts'
import { dispatchMails, mailEnv, mailsOf } from '../mails/mailing.ts'
import { eventually } from '../webhooks/dispatching.ts'
import { assertAccessible, assertLooksGood, type ConsoleService, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

type MailConsole = ConsoleService & { server: MailServer }

async function startMailConsole(t: TestContext): Promise<MailConsole> {
  const server = await startMailServer(t)
  // Links are built from the public URL, so the console must be there.
  const port = await freePort()
  const ROLLBOOK_PUBLIC_URL = `http://127.0.0.1:${port}/auth`
  const service = await startConsole(t, {
    env: { ...mailEnv, ROLLBOOK_SMTP_URL: server.url, ROLLBOOK_PUBLIC_URL },
    port,
  })
  return { ...service, server }
}

async function invite({ app }: MailConsole, username: string): Promise<void> {
  const { user_id } = await createUser(app, { username, email: `${username}@example.com` })
  const response = await app.call('POST', `/users/${user_id}/invitation`)
  assert.deepEqual([response.status, response.body.sent], [200, true], response.text)
}

describe('messages in the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('shows what failed and why, and sends it again', async (t) => {
    const service = await startMailConsole(t)
    const { app, api, server } = service
    server.behave((stage) => (stage === 'rcpt' ? { code: 550, text: 'No such mailbox here' } : undefined))
    dispatchMails(t, app)
    await invite(service, 'grace')
    await eventually('failed', async () => (await mailsOf(app))[0]?.status === 'failed')
    const page = await openConsole(t, browser, { api, path: 'mails' })
    const row = page.getByRole('row').filter({ hasText: 'grace@example.com' })
    await row.getByText('Failed').waitFor()
    await row.getByText('The mail server refuses this message or its recipient for good.').waitFor()
    const address = await row.getByText('grace@example.com').boundingBox()
    assert.ok(address !== null && address.height < 30, `the address is ${address?.height} px high, so it is broken`)
    await row.getByRole('button', { name: 'Details: grace@example.com' }).click()
    await page.getByText('No such mailbox here').waitFor()
    await assertAccessible(page, 'a failed message')
    server.behave(() => undefined)
    await row.getByRole('button', { name: 'Send again: grace@example.com' }).click()
    await page.getByText('The message is being sent again.').waitFor()
    await row.getByText('Sent', { exact: true }).waitFor()
    assert.equal(server.received.length, 1)
  })

  it('filters by state and kind, and keeps the filter in the address', async (t) => {
    const service = await startMailConsole(t)
    const { app, api } = service
    await invite(service, 'grace')
    await app.call('POST', '/mails/test', { body: { address: 'postmaster@example.com' } })
    await app.runSql(`UPDATE mails SET status = 'sent', next_attempt_at = NULL WHERE kind = 'test'`)
    const page = await openConsole(t, browser, { api, path: 'mails' })
    const rows = page.getByRole('row').filter({ hasText: '@example.com' })
    await rows.nth(1).waitFor()
    await page.getByRole('combobox', { name: 'State of the messages' }).selectOption('Sent')
    await page.getByText('grace@example.com').waitFor({ state: 'detached' })
    await page.getByText('postmaster@example.com').waitFor()
    assert.match(page.url(), /\/mails\?status=sent$/)
    await page.getByRole('combobox', { name: 'Kind of message' }).selectOption('Invitation')
    await page.getByText('No message matches.').waitFor()
    await page.reload()
    await page.getByText('No message matches.').waitFor()
    await button(page, 'Remove filters').click()
    await rows.nth(1).waitFor()
    await page.getByRole('link', { name: 'grace@example.com' }).click()
    await page.getByRole('heading', { level: 1, name: 'grace' }).waitFor()
  })

  it('previews each message in each language, in a frame that runs and loads nothing', async (t) => {
    const { api } = await startMailConsole(t)
    const page = await openConsole(t, browser, { api, path: 'mails' })
    await button(page, 'Preview').click()
    const preview = dialog(page, 'Preview messages')
    const frame = preview.getByTitle('The message')
    const body = frame.contentFrame().locator('body')
    await body.getByRole('link', { name: 'Accept the invitation' }).waitFor()
    assert.equal(await frame.getAttribute('sandbox'), '')
    // Text, because it runs in the page.
    const background = await body.evaluate(
      "getComputedStyle(document.querySelector('a').parentElement).backgroundColor",
    )
    assert.equal(background, 'rgb(31, 95, 191)', 'the styles of the message apply')
    for (const [language, direction] of [
      ['Deutsch', 'ltr'],
      ['العربية', 'rtl'],
      ['English', 'ltr'],
    ] as const) {
      await preview.getByRole('combobox', { name: 'Language' }).selectOption(language)
      for (const kind of await preview.getByRole('combobox', { name: 'Message' }).locator('option').allTextContents()) {
        await preview.getByRole('combobox', { name: 'Message' }).selectOption(kind)
        await frame.contentFrame().locator(`html[dir=${direction}] h1`).waitFor()
      }
    }
    await preview.getByText('Plain text').click()
    await preview.getByText('It works\n========').waitFor()
    await assertAccessible(page, 'the preview as text')
  })

  it('sends a test message by keyboard alone', async (t) => {
    const { app, api, server } = await startMailConsole(t)
    dispatchMails(t, app)
    const page = await openConsole(t, browser, { api, path: 'mails' })
    await page.getByText('No messages within the last 30 days.').waitFor()
    await page.keyboard.press('c')
    const sending = dialog(page, 'Send test message')
    await sending.getByRole('textbox', { name: 'Address' }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('not an address@')
    await page.keyboard.press('Enter')
    assert.equal(await sending.isVisible(), true)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('postmaster@example.com')
    await page.keyboard.press('Enter')
    await sending.waitFor({ state: 'detached' })
    await page
      .getByRole('row')
      .filter({ hasText: 'postmaster@example.com' })
      .getByText('Sent', { exact: true })
      .waitFor()
    assert.equal(server.received.length, 1)
  })

  it('says once that no mail server is set up, and names the settings', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'mails' })
    await page.getByText('No mail server is set up, so no messages are sent.').waitFor()
    await page.getByText('ROLLBOOK_SMTP_URL', { exact: true }).waitFor()
    await page.getByText('ROLLBOOK_MAIL_FROM', { exact: true }).waitFor()
    assert.ok(await button(page, 'Send test message').isDisabled())
    await assertAccessible(page, 'messages without a mail server')
    await page.goto(`${api}/console/users`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.getByText('ROLLBOOK_SMTP_URL').count(), 0)
  })

  it('says that the mail server fails, and that messages wait for it', async (t) => {
    const service = await startMailConsole(t)
    const { app, api, server } = service
    await server.stop()
    for (let n = 0; n < 6; n++) await invite(service, `person.${n}`)
    dispatchMails(t, app)
    const isFailing = async () => (await app.call('GET', '/mails/server')).body.failing_since !== null
    await eventually('failing', isFailing)
    const page = await openConsole(t, browser, { api, path: 'mails' })
    await page.getByText('The mail server has accepted no message since').waitFor()
    await page.getByText('The mail server cannot be reached, or closed the connection.').first().waitFor()
    await assertAccessible(page, 'a failing mail server')
  })

  it('is offered to those only who may see messages', async (t) => {
    const env = { ROLLBOOK_ROLES: '{"support": ["users:read"]}' }
    const { app, api } = await startConsole(t, { env })
    const password = 'a compiler of no small size'
    await createUser(app, { username: 'grace', password, role: 'support' })
    const page = await openConsole(t, browser, { api, as: { username: 'grace', password } })
    await page.getByRole('link', { name: 'Users', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Messages' }).count(), 0)
    const other = await openConsole(t, browser, { api })
    await other.getByRole('link', { name: 'Messages' }).click()
    await other.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  })

  it('passes axe and fits phones, light and dark', async (t) => {
    const service = await startMailConsole(t)
    const { app, api } = service
    await invite(service, 'a'.repeat(60))
    await app.runSql(
      `UPDATE mails SET status = 'failed', error = 'deferred', response = '${'451 4.7.1 Greylisted '.repeat(12)}'`,
    )
    const page = await openConsole(t, browser, { api, path: 'mails' })
    await page.getByRole('button', { name: /^Details: / }).click()
    await assertLooksGood(page, 'the messages')
    await button(page, 'Preview').click()
    const preview = dialog(page, 'Preview messages')
    await preview.getByTitle('The message').contentFrame().getByRole('heading', { level: 1 }).waitFor()
    await assertLooksGood(page, 'the preview')
  })
})
