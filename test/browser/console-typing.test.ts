/** Typing and clicking in the console: faster than it follows, and next to the target. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { addUsers, assertAccessible, openConsole, startConsole } from './console-driver.ts'
import { until } from './until.ts'

const browser = await launchBrowser()
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Create user' })
const usernameIn = (page: Page) => dialogOf(page).getByRole('textbox', { name: 'Username', exact: true })
const users = (page: Page) => page.getByRole('heading', { level: 1, name: 'Users', exact: true })

/** A slower processor is one that is kept busy, so each test ends it as soon as it can. */
async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}

describe('keys and clicks in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('loses no letter typed after the shortcut of a dialog, however slow the page is', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, isNew: true })
    await users(page).waitFor()
    const name = usernameIn(page)
    for (const rate of [1, 6]) {
      for (const path of ['users', 'audit']) {
        await slowDown(page, rate)
        // The dialog's file arrives late, and the page itself may still be loading.
        await page.goto(`${api}/console/${path}`, { waitUntil: 'commit' })
        if (path === 'audit') {
          await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
          await page.getByRole('link', { name: 'Users', exact: true }).click()
        } else await until(page, 'performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd > 0')
        await page.keyboard.type('cjack.black')
        await name.waitFor()
        // Not the first input of the dialog, which is the kind.
        await until(page, "document.querySelector('[role=dialog] [data-autofocus]').value.length > 0")
        await page.keyboard.type('!')
        assert.equal(await name.inputValue(), 'jack.black!', `${path}, ${rate} times slower`)
        await slowDown(page, 1)
        // The second time the file is loaded and no keys have to be kept.
        await page.keyboard.press('Control+a')
        await page.keyboard.press('Delete')
        await page.keyboard.press('Escape')
        await dialogOf(page).waitFor({ state: 'detached' })
        await page.keyboard.type('cjack.black')
        assert.equal(await name.inputValue(), 'jack.black')
        await page.keyboard.press('Escape')
        await page.keyboard.press('Tab')
        await page.getByRole('button', { name: 'Discard', exact: true }).click()
        await dialogOf(page).waitFor({ state: 'detached' })
      }
    }
  })

  it('replays what was typed ahead, in order: fields, corrections, and Enter', async (t) => {
    const { api, app } = await startConsole(t)
    const page = await openConsole(t, browser, { api, isNew: true })
    await users(page).waitFor()
    await page.route(/create-dialog-[^/]+\.js$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800))
      await route.continue()
    })
    await page.reload()
    await users(page).waitFor()
    await page.keyboard.type('cgracex')
    for (const key of ['Backspace', 'Tab', 'Tab', 'G', 'r', 'a', 'c', 'e', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('dialog', { name: 'User created' }).waitFor()
    const { body } = await app.call('GET', '/users?username=grace')
    assert.equal(body[0]?.first_name, 'Grace')
  })

  it('keeps every letter of a search from the shortcut on, and while earlier searches arrive late', async (t) => {
    const { api, app } = await startConsole(t)
    await addUsers(app, 20)
    const page = await openConsole(t, browser, { api, isNew: true, path: 'audit' })
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    await slowDown(page, 8)
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.keyboard.type('/user', { delay: 5 })
    await page.getByRole('searchbox').waitFor()
    await until(page, "document.querySelector('input[type=search]').value.length >= 4")
    await page.keyboard.type('.0007 and more', { delay: 160 })
    assert.equal(await page.getByRole('searchbox').inputValue(), 'user.0007 and more')
    await slowDown(page, 1)
    await page.waitForURL(/user\.0007(\+|%20)and(\+|%20)more/)
    assert.equal(await page.getByRole('searchbox').inputValue(), 'user.0007 and more')
  })

  it('searches users from every page with every letter, and asks first if there are unsaved changes', async (t) => {
    const { api, app, user_id } = await startConsole(t)
    await addUsers(app, 20)
    const page = await openConsole(t, browser, { api, isNew: true, path: 'keys' })
    await page.getByRole('heading', { level: 1, name: 'API keys', exact: true }).waitFor()
    await slowDown(page, 8)
    // One of its letters is the shortcut of this page's dialog.
    await page.keyboard.type('/erc 7', { delay: 5 })
    await page.locator('input[type=search]:focus').waitFor()
    await until(page, "document.querySelector('input[type=search]').value === 'erc 7'")
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.waitForURL(/users\?q=erc/)
    await slowDown(page, 1)

    await page.goto(`${api}/console/users/${user_id}`)
    const name = page.getByRole('textbox', { name: 'First name' })
    await name.fill('Augusta')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.type('/')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    assert.equal(await name.inputValue(), 'Augusta')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.type('/')
    await page.getByRole('dialog').getByRole('button', { name: 'Leave and discard' }).click()
    await users(page).waitFor()
    // The key answered the question and is not kept for the search.
    await page.keyboard.type('c')
    await dialogOf(page).waitFor()
  })

  it('ignores keys when shortcuts are off or the keys belong to something else', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, isNew: true })
    await users(page).waitFor()
    await page.evaluate("localStorage.setItem('rollbook-shortcuts', 'off')")
    await page.reload()
    await page.keyboard.type('cab')
    await users(page).waitFor()
    await page.keyboard.type('cab/')
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await page.getByRole('searchbox').inputValue(), '')
    await page.evaluate("localStorage.removeItem('rollbook-shortcuts')")
    await page.getByRole('searchbox').focus()
    // An input method composes text in the focused field.
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', { text: 'かc', selectionStart: 2, selectionEnd: 2 })
    await session.send('Input.insertText', { text: '課c' })
    assert.equal(await page.getByRole('searchbox').inputValue(), '課c')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  it('opens a user by a click anywhere in the row, and only by that', async (t) => {
    const { api, app } = await startConsole(t)
    await addUsers(app, 5)
    const page = await openConsole(t, browser, { api })
    const row = page.getByRole('row').filter({ hasText: 'user.0003@example.com' })
    const cell = row.locator('[data-column=role]')
    await cell.click()
    await page.getByRole('heading', { level: 1, name: 'user.0003' }).waitFor()
    await page.goBack()
    await row.waitFor()
    const cursor = await page.evaluate(
      "getComputedStyle(document.querySelector('[data-row] [data-column=role]')).cursor",
    )
    assert.equal(cursor, 'pointer')

    const stays = async (what: string) => {
      // After another round trip, a navigation would have started.
      await page.waitForTimeout(150)
      assert.match(page.url(), /\/console\/users(\?|$)/, what)
    }
    const box = await row.locator('[data-column=email] span').boundingBox()
    assert.ok(box !== null)
    await page.mouse.move(box.x + 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 })
    await page.mouse.up()
    await stays('text is marked')
    assert.match(String(await page.evaluate('getSelection().toString()')), /user\.0003/)
    await row.getByRole('checkbox').click()
    await stays('the box is ticked')
    await row.locator('[data-column=select]').click({ position: { x: 3, y: 3 } })
    await stays('beside the box')
    await row.getByRole('button').click()
    await page.getByRole('menu').waitFor()
    await stays('the menu is opened')
    await cell.click({ force: true })
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await stays('the menu is closed by a click beside it')
    await cell.click({ modifiers: ['Shift'] })
    await stays('with Shift')
    for (const how of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
      const opened = page.context().waitForEvent('page')
      await cell.click(how)
      const tab = await opened
      await tab.waitForURL(/\/console\/users\/[0-9a-f-]{36}$/)
      await tab.close()
      await stays(JSON.stringify(how))
    }
    // Keyboards and screen readers use the name, which is a link.
    assert.match(String(await row.getByRole('link').getAttribute('href')), /\/console\/users\/[0-9a-f-]{36}$/)
  })

  it('opens a webhook, and the attempts of a delivery, by a click in the row', async (t) => {
    const { api, app } = await startConsole(t)
    const created = await app.call('POST', '/webhooks', { body: { url: 'https://hooks.example.com/a' } })
    assert.equal(created.status, 201, created.text)
    const page = await openConsole(t, browser, { api, path: 'webhooks' })
    const row = page.getByRole('row').filter({ hasText: 'hooks.example.com' })
    await row.getByText('All events').click()
    await page.waitForURL(new RegExp(`/webhooks/${created.body.endpoint_id}$`))
  })

  it('asks before a dialog with typed input closes, and only then', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    await users(page).waitFor()
    const question = page.getByRole('alertdialog', { name: 'Discard what you entered?' })
    const beside = () => page.mouse.click(5, 5)
    const open = async () => {
      await page.keyboard.press('c')
      await dialogOf(page).waitFor()
    }
    for (const dismiss of [() => page.keyboard.press('Escape'), beside]) {
      await open()
      await dismiss()
      await dialogOf(page).waitFor({ state: 'detached' })
      await open()
      await page.keyboard.type('jack')
      await dismiss()
      await question.waitFor()
      await assertAccessible(page, 'the question')
      await page.locator(':focus', { hasText: /^Keep editing$/ }).waitFor()
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      await page.keyboard.type('ie')
      assert.equal(await usernameIn(page).inputValue(), 'jackie')
      await dismiss()
      await question.waitFor()
      await page.keyboard.press('Enter')
      await question.waitFor({ state: 'detached' })
      await dismiss()
      await page.getByRole('button', { name: 'Discard', exact: true }).press('Enter')
      await dialogOf(page).waitFor({ state: 'detached' })
      await open()
      assert.equal(await usernameIn(page).inputValue(), '')
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'detached' })
    }
    await page.goto(`${api}/console/keys`)
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.keyboard.type('cbackup')
    await page.keyboard.press('Escape')
    await question.waitFor()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('keeps the focus on that question, however late the timers of the page run', async (t) => {
    const { api } = await startConsole(t)
    const page = await openConsole(t, browser, { api })
    await users(page).waitFor()
    // As on a busy machine: keys arrive before a timer that was started long before them.
    await page.evaluate(
      'const start = window.setTimeout; window.setTimeout = (run, ms = 0, ...rest) => start(run, Math.max(ms, 1500), ...rest)',
    )
    await page.keyboard.press('c')
    await dialogOf(page).waitFor()
    await page.keyboard.type('jack')
    await page.keyboard.press('Escape')
    const keepEditing = page.locator(':focus', { hasText: /^Keep editing$/ })
    await keepEditing.waitFor()
    await page.waitForTimeout(4000)
    assert.equal(await keepEditing.count(), 1)
  })
})
