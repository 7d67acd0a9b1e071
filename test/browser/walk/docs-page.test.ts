/** What people do on the docs page, in one browser: belongs to npm test. The rest of it is in ../docs-page.test.ts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { launchBrowser } from '../../browser.ts'
import { adminKey, createUser, start } from '../../harness.ts'
import { assertFitsWidth } from '../console-driver.ts'
import {
  assertProblem,
  authorize,
  execute,
  isInSight,
  isOpen,
  load,
  openOperations,
  operationIds,
  visit,
} from '../docs-driver.ts'
import { assertReachable } from '../reachable.ts'
import { shareWalk } from './shared.ts'

const browser = await launchBrowser()

const create = 'create_user_users_post'
const list = 'list_users_users_get'
const update = 'update_user_users__user_id__patch'

describe('a walk through the docs page in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return

  const walk = shareWalk(browser, async (t) => {
    const app = await start(t, { name: 'SQLite' })
    await createUser(app, { username: 'grace' })
    const docs = `${await app.listen()}/docs`
    return { app, docs, page: await visit(t, browser, docs) }
  })

  it('lists every operation of the OpenAPI document under "default", and opens none', async () => {
    const { app, docs, page } = walk()
    await load(page, docs)
    const tags = await page.locator('.opblock-tag').allInnerTexts()
    assert.deepEqual(tags, ['default'])
    const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
    assert.deepEqual(
      shown.sort(),
      operationIds(app)
        .map((id) => `operations-default-${id}`)
        .sort(),
    )
    assert.deepEqual(await openOperations(page), [])
  })

  it('filters by path, summary and description, and is left by the keyboard', async () => {
    const { docs, page } = walk()
    await load(page, docs)
    const countVisible = () => page.locator('.opblock:visible').count()
    const all = await countVisible()
    await page.keyboard.press('/')
    await page.keyboard.type('list users')
    const listed = await page.locator('#side nav a:visible').allInnerTexts()
    assert.ok(listed.length < 5 && listed[0]?.endsWith('List Users'), listed.join())
    await page.keyboard.press('Escape')
    await page.keyboard.type('rotate keys')
    assert.ok((await countVisible()) < all)
    assert.equal(await page.locator('#operations-default-rotate_key_keys__key_id__rotate_post').isVisible(), true)
    await page
      .locator('search [role="status"]')
      .filter({ hasText: /^\d+ operations?$/ })
      .waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await countVisible(), all)
    // A word that only the description has.
    await page.keyboard.type('createuser')
    assert.equal(await page.locator(`#operations-default-${create}`).isVisible(), true)
    await page.keyboard.press('Escape')
    await page.keyboard.type('no such operation')
    await page.getByText('No operation matches “no such operation”.').waitFor()
    await page.getByRole('button', { name: /^Show all/ }).click()
    await page.locator('search input').fill('revoke an API key')
    await page.keyboard.press('Enter')
    await isOpen(page, 'revoke_key_keys__key_id__delete')
  })

  it('opens exactly the operation of a deep link when it is loaded', async () => {
    const { app, docs, page } = walk()
    for (const id of [update, operationIds(app).at(-1) as string]) {
      await load(page, `${docs}#/default/${id}`)
      await isOpen(page, id)
      assert.deepEqual(await openOperations(page), [id])
      await isInSight(page, id)
    }
  })

  it('lists users with a key, and shows the refusal without one', async () => {
    const { docs, page } = walk()
    await load(page, docs)
    assertProblem(await execute(page, list), 401, 'credential_missing')
    await authorize(page, adminKey)
    const { status, json } = await execute(page, list)
    assert.deepEqual([status, json.map(({ username }: { username: string }) => username)], [200, ['grace']])
  })

  it('shows only what can be pressed, on a screen and on a phone', async () => {
    const { docs, page } = walk()
    await load(page, `${docs}#/default/${list}`)
    await isOpen(page, list)
    await assertReachable(page, 'a screen', ['Authorize', 'Try it out'])
    await page.setViewportSize({ width: 390, height: 844 })
    await assertReachable(page, 'a phone', ['Operations', 'Authorize', 'Try it out'])
    await assertFitsWidth(page, 'a phone')
  })
})
