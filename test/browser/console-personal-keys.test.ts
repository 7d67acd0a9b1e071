import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { createUser, type Started } from '../harness.ts'
import { createPerson, openBrowser } from '../people.ts'
import { admin, assertLooksGood, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

const ownerOf = async (app: Started, key: string) => (await app.call('GET', '/me', { key })).body.username

describe('personal keys in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('are created and revoked by their owner', async (t) => {
    const { app, api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'profile' })
    const create = page.getByRole('button', { name: 'Create personal key', exact: true })
    await create.press('Enter')
    const name = page.getByRole('dialog', { name: 'Create personal key' }).getByRole('textbox', { name: 'Name' })
    await name.fill('my laptop')
    await assertLooksGood(page, 'the dialog')
    await name.press('Enter')
    const secret = page.getByRole('dialog', { name: 'The key my laptop' }).locator('pre')
    const key = (await secret.innerText()).trim()
    assert.equal(await ownerOf(app, key), 'ada')
    await page.getByRole('button', { name: 'I have saved it', exact: true }).press('Enter')

    const revoke = page.getByRole('button', { name: 'Revoke my laptop', exact: true })
    await revoke.waitFor()
    await assertLooksGood(page, 'the account')
    await revoke.press('Enter')
    await page.getByRole('button', { name: 'Revoke key', exact: true }).press('Enter')
    await page.getByText('You have no personal keys.').waitFor()
    assert.equal((await app.call('GET', '/me', { key })).status, 401)
  })

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
