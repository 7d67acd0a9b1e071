import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { makeSetupLink } from '../../src/access/sign-in/setup/link.ts'
import { system } from '../../src/core/actor.ts'
import { launchBrowser } from '../browser.ts'
import { createUser, type Started, start } from '../harness.ts'
import { admin, assertAccessible, assertFitsWidth, assertLooksGood } from './console-driver.ts'
import { heading, isSignedIn, newPage } from './login-driver.ts'

const browser = await launchBrowser()

async function startFresh(t: TestContext): Promise<{ app: Started; api: string; link: string }> {
  const app = await start(t, { name: 'SQLite' })
  const api = await app.listen()
  return { app, api, link: await newLink(app, api) }
}

/** The link that the start and `rollbook admin link` print. */
async function newLink({ storage }: Started, api: string): Promise<string> {
  const link = await makeSetupLink(storage, api, { actor: system, now: Date.now(), requestId: 'test' })
  assert.ok(link !== undefined)
  return link
}

const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

describe('the first minutes in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
  concurrency: 2,
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('lead from the printed link to the first user in at most six clicks', async (t) => {
    const { app, api, link } = await startFresh(t)
    const page = await newPage(t, browser, { locale: 'en-GB' })
    let clicks = 0
    const click = async (name: string, where: Page | Locator = page) => {
      clicks += 1
      await where.getByRole('button', { name, exact: true }).last().click()
    }
    await page.goto(link)
    await titled(page, 'Welcome to Rollbook')
    assert.equal(page.url(), `${api}/console/setup`, 'the token is not left in the address')
    await page.reload()
    await page.locator('input[name=username]:focus').waitFor()
    await page.keyboard.type(admin.username)
    await page.keyboard.press('Tab')
    await page.keyboard.type(admin.password)
    await click('Create the administrator and sign in')
    await titled(page, 'Users')
    assert.equal(await isSignedIn(page, api), true)

    await click('Create user')
    const dialog = page.getByRole('dialog', { name: 'Create user' })
    await dialog.getByRole('textbox', { name: 'Username' }).fill('grace')
    await click('Create user', dialog)
    await page.getByRole('dialog', { name: 'User created' }).waitFor()
    assert.ok(clicks <= 6, `${clicks} clicks`)
    await click('Done')
    const steps = page.getByRole('region', { name: 'Next steps' })
    for (const step of ['email delivery', 'a key', 'their company', 'second factor'])
      await steps.getByRole('link', { name: step }).waitFor()
    await assertLooksGood(page, 'the next steps')
    await click('Hide the next steps')
    await steps.waitFor({ state: 'detached' })

    const { body } = await app.call('GET', '/users?sort=username')
    const people = (body as { username: string; role: string }[]).map(({ username, role }) => [username, role])
    assert.deepEqual(people, [
      ['ada', 'admin'],
      ['grace', 'user'],
    ])
    // It would send requests to the stopped service.
    await page.close()
  })

  it('work with the keyboard alone, and keep typed input after a refusal', async (t) => {
    const { app, api, link } = await startFresh(t)
    await createUser(app, { username: 'grace' })
    const page = await newPage(t, browser, { locale: 'en-GB' })
    await page.goto(link)
    await page.locator('input[name=username]:focus').waitFor()
    await page.keyboard.type('Grace')
    await page.keyboard.press('Tab')
    await page.keyboard.type('short')
    await page.getByText('5 of 15 characters').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('input[name=password]:focus[aria-invalid=true]').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(admin.password)
    await page.keyboard.press('Enter')
    await page.locator('input[name=username]:focus[aria-invalid=true]').waitFor()
    assert.equal(await page.locator('input[name=username]').inputValue(), 'Grace')
    assert.equal(await page.locator('input[name=password]').inputValue(), admin.password)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('ada')
    await page.keyboard.press('Enter')
    await titled(page, 'Users')
    assert.equal(await isSignedIn(page, api), true)
    await page.close()
  })

  it('refuse a link that was used or replaced, and explain how to get another', async (t) => {
    const { app, api, link } = await startFresh(t)
    const newer = await newLink(app, api)
    const page = await newPage(t, browser, { locale: 'en-GB' })
    await page.goto(link)
    await page.locator('input[name=username]').fill(admin.username)
    await page.locator('input[name=password]').fill(admin.password)
    await page.keyboard.press('Enter')
    await titled(page, 'This link no longer works')
    await page.getByText('npx rollbook admin link').waitFor()
    await assertAccessible(page, 'refused')

    // In the same tab: only the fragment differs.
    await page.goto(newer)
    await page.locator('input[name=username]').fill(admin.username)
    await page.locator('input[name=password]').fill(admin.password)
    await page.keyboard.press('Enter')
    await titled(page, 'Users')
    await page.goto(newer)
    await titled(page, 'Rollbook is already set up')
    await assertAccessible(page, 'done')
    assert.equal((await app.call('GET', '/users?count=true')).headers['total-count'], '1')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`say where the link is if it is missing, readably, ${colorScheme}`, async (t) => {
      const { api, link } = await startFresh(t)
      const page = await newPage(t, browser, { colorScheme, locale: 'en-GB', viewport: { width: 320, height: 640 } })
      await page.goto(`${api}/console/`)
      await page.waitForURL(/\/login\?return_to=/)
      assert.equal(await heading(page), 'Sign in')
      await page.getByText('rollbook admin link').waitFor()
      await assertAccessible(page, 'sign-in page')
      await page.goto(`${api}/console/setup`)
      await titled(page, 'A setup link is needed')
      await assertAccessible(page, 'no link')
      await page.goto(link)
      await titled(page, 'Welcome to Rollbook')
      await page.getByText('Name and email address').click()
      await assertAccessible(page, 'form')
      await assertFitsWidth(page, 'form')
    })
  }
})
