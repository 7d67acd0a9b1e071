/** What mail scanners do with links, in a real browser: open them, run the scripts, and press every button. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { freePort } from '../free-port.ts'
import { createUser } from '../harness.ts'
import { startMailServer } from '../mails/mail-server.ts'
import { dispatchMails, mailEnv } from '../mails/mailing.ts'
import { openBrowser, password } from '../people.ts'
import { eventually } from '../webhooks/dispatching.ts'
import { startConsole } from './console-driver.ts'
import { newPage, submitSignIn } from './login-driver.ts'

const browser = await launchBrowser()
const chosen = 'a moth in relay seventy'
const refusals = /40[34]|410|422|Failed to load resource/

/** Opens the page, waits for its scripts, sends every form past what the browser checks, and presses every button. */
async function robot(page: Page, url: string): Promise<{ sent: number; pressed: number }> {
  await page.request.head(url)
  await page.request.get(url)
  await page.request.post(url, { form: {} })
  await page.goto(url, { waitUntil: 'networkidle' })
  const sent = await page.locator('form').count()
  const pressed = await page.locator('button:visible').count()
  for (let n = 0; n < sent; n++) {
    await page.goto(url)
    const form = page.locator('form').nth(n)
    await leaving(page, () => form.evaluate((one) => (one as unknown as { submit(): void }).submit()))
  }
  for (let n = 0; n < pressed; n++) {
    await page.goto(url)
    const button = page.locator('button:visible').nth(n)
    await ((await button.evaluate(sendsForm)) ? leaving(page, () => button.click()) : button.click())
  }
  return { sent, pressed }
}

/** Waits for the page that the action leads to: opening the next one would interrupt it. */
async function leaving(page: Page, action: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForEvent('framenavigated'), action()])
  await page.waitForLoadState()
}

/** Runs in the page. A form with an empty field that is required stays where it is. */
function sendsForm(button: unknown): boolean {
  const { form, type } = button as { type: string; form: { checkValidity(): boolean } | null }
  return type === 'submit' && form !== null && form.checkValidity()
}

describe('a robot that follows links in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('uses up none, and the user finishes on another device', async (t) => {
    const server = await startMailServer(t)
    const port = await freePort()
    const ROLLBOOK_PUBLIC_URL = `http://127.0.0.1:${port}/auth`
    const env = { ...mailEnv, ROLLBOOK_SMTP_URL: server.url, ROLLBOOK_PUBLIC_URL, ROLLBOOK_RATE_LIMIT: '0' }
    const { app, api } = await startConsole(t, { env, port })
    dispatchMails(t, app)
    const mailed = async (address: string): Promise<string> => {
      const found = () => server.received.find(({ to, mail }) => to[0] === address && mail.text?.includes(`${api}/`))
      await eventually(`the message to ${address}`, () => found() !== undefined)
      return /http:\S+\/[\w-]{43}/.exec(found()?.mail.text ?? '')?.[0] ?? ''
    }

    const invited = await createUser(app, { username: 'grace', email: 'grace@example.com' })
    await app.call('POST', `/users/${invited.user_id}/invitation`)
    const forgetful = await createUser(app, { username: 'mary', email: 'mary@example.com', password })
    await app.call('POST', `/users/${forgetful.user_id}/password-reset`)
    const mover = await createUser(app, { username: 'kim', email: 'kim@example.com', password })
    const session = await openBrowser(app, 'kim')
    const body = { email: 'kim@new.example.com', current_password: password }
    assert.equal((await session.call('PATCH', '/me', { body })).status, 200)

    const links = {
      invitation: await mailed('grace@example.com'),
      reset: await mailed('mary@example.com'),
      address: await mailed('kim@new.example.com'),
    }
    const scanner = await newPage(t, browser, { allowed: refusals, userAgent: 'Mozilla/5.0 (scanner)' })
    assert.deepEqual(await robot(scanner, links.invitation), { sent: 1, pressed: 2 })
    assert.deepEqual(await robot(scanner, links.reset), { sent: 1, pressed: 2 })
    assert.deepEqual(await robot(scanner, links.address), { sent: 0, pressed: 0 })
    assert.match((await (await scanner.goto(links.address))?.text()) ?? '', /Sign in first/)
    const kinds = await app.runSql(`SELECT purpose FROM user_links WHERE ended_at IS NULL ORDER BY purpose`)
    assert.deepEqual(
      kinds.map(({ purpose }) => purpose),
      ['invitation', 'password_reset', 'verification'],
    )

    await finishOnLaptop(t, browser, links.invitation, 'grace')
    await finishOnLaptop(t, browser, links.reset, 'mary')
    const laptop = await newPage(t, browser, { allowed: refusals })
    await laptop.goto(`${api}/login`)
    await submitSignIn(laptop, { username: 'kim', password })
    await laptop.goto(links.address)
    await laptop.getByRole('button', { name: 'Confirm the address' }).click()
    await laptop.getByText('is now your address').waitFor()
    const { body: kim } = await app.call('GET', `/users/${mover.user_id}`)
    assert.deepEqual([kim.email, kim.email_verified], ['kim@new.example.com', true])
  })
})

/** Opens the link on a phone, then finishes on a laptop, which signs in there. */
async function finishOnLaptop(t: Parameters<typeof newPage>[0], browser: Browser, link: string, username: string) {
  const phone = await newPage(t, browser, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  await phone.goto(link)
  await phone.locator('input[name=new_password]').waitFor()
  const laptop = await newPage(t, browser, {})
  await laptop.goto(link)
  await laptop.locator('input[name=new_password]').fill(chosen)
  await laptop.getByRole('button', { name: 'Set password' }).click()
  await laptop.getByRole('heading', { name: /Your password is set|Password changed/ }).waitFor()
  assert.equal(
    (await laptop.request.get(link.replace(/\/auth\/.*/, '/auth/me'))).status(),
    200,
    `${username} is signed in`,
  )
}
