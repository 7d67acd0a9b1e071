import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { adminKey, createUser } from '../harness.ts'
import { authorize, execute, load, visit } from './docs-driver.ts'
import { isSignedIn, password, startWithAda, submitSignIn } from './login-driver.ts'

const browser = await launchBrowser()

const listKeys = 'list_keys_keys_get'
const create = 'create_user_users_post'
const me = 'get_me_me_get'

describe('the docs page for signed-in users, in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('sends the cookie without a key, and the key without the cookie', async (t) => {
    const { app, api } = await startWithAda(t)
    await createUser(app, { username: 'root', password, role: 'admin' })
    const page = await visit(t, browser, `${api}/docs`)
    await page.goto(`${api}/login`)
    await submitSignIn(page, { username: 'root' })
    await load(page, `${api}/docs`)

    const asPerson = await execute(page, me)
    assert.equal(asPerson.status, 200, asPerson.text)
    assert.equal(asPerson.json.username, 'root')
    // A change with the cookie, from a page of the same origin.
    assert.equal((await execute(page, create)).status, 201)

    await authorize(page, adminKey)
    const asKey = await execute(page, listKeys)
    assert.equal(asKey.status, 200, asKey.text)
    // The document marks operations for users, so the key is left out and the cookie is sent.
    const asPersonAgain = await execute(page, me)
    assert.deepEqual([asPersonAgain.status, asPersonAgain.json.username], [200, 'root'])
    assert.equal(await isSignedIn(page, api), true)
  })
})
