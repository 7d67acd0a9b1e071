import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { createPerson, openBrowser } from '../people.ts'
import { admin, assertLooksGood, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

describe('personal keys in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('are shown to administrators on the page of their owner, who may only revoke them', async (t) => {
    const { app, api } = await startConsole(t)
    const grace = await createPerson(app, { username: 'grace' })
    const { call } = await openBrowser(app, 'grace')
    const created = await call('POST', '/me/keys', { body: { name: 'nightly report' } })
    assert.equal(created.status, 201, created.text)

    const page = await openConsole(t, browser, { api, path: `users/${grace.user_id}?tab=security` })
    const revoke = page.getByRole('button', { name: 'Revoke nightly report', exact: true })
    await revoke.waitFor()
    assert.equal(await page.getByRole('button', { name: /^Rotate/ }).count(), 0)
    await assertLooksGood(page, 'the security of a user with a key')
    await revoke.press('Enter')
    await page.getByRole('button', { name: 'Revoke key', exact: true }).press('Enter')
    await page.getByText('This user has no personal keys.').waitFor()
    assert.equal((await app.call('GET', '/me', { key: created.body.key })).status, 401)
  })

  it('of users who outrank the viewer cannot be revoked', async (t) => {
    const { app, api, user_id } = await startConsole(t, {
      env: { ROLLBOOK_ROLES: '{"support": ["users:read", "users:write", "keys:read", "keys:write"]}' },
    })
    const { call } = await openBrowser(app, admin.username, admin.password)
    assert.equal((await call('POST', '/me/keys', { body: { name: 'ada at home' } })).status, 201)
    const helper = { username: 'helper', password: 'a quiet room of ones own' }
    await createUser(app, { ...helper, role: 'support' })
    const page = await openConsole(t, browser, { api, path: `users/${user_id}?tab=security`, as: helper })
    await page.getByRole('cell', { name: /^ada at home/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Revoke ada at home' }).count(), 0)
  })
})
