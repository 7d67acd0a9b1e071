import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { assertLooksGood, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

describe('service accounts in the console in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('are created without a password, and get keys that are shown once, rotated and revoked', async (t) => {
    const { app, api } = await startConsole(t)
    const whoami = (key: string) => app.call('GET', '/me', { key })
    const page = await openConsole(t, browser, { api })
    await page.getByRole('button', { name: 'Create user', exact: true }).first().press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Create user' })
    await dialog.getByRole('radio', { name: 'Person' }).press('ArrowRight')
    await dialog.getByText('A program that acts as a user').waitFor()
    assert.equal(await dialog.getByLabel('Password').count(), 0)
    assert.equal(await dialog.getByRole('checkbox', { name: 'Send an invitation' }).count(), 0)
    await assertLooksGood(page, 'the dialog')
    const username = dialog.getByRole('textbox', { name: 'Username' })
    await username.fill('billing')
    await username.press('Enter')
    await page.getByRole('link', { name: 'Open it and create a key', exact: true }).press('Enter')

    await page.getByText('This service account has no keys').waitFor()
    assert.deepEqual(await page.getByRole('tab').allInnerTexts(), [
      'Details',
      'Groups',
      'Keys',
      'History',
      'Database account',
    ])
    await page.getByRole('button', { name: 'Create key', exact: true }).press('Enter')
    const name = page.getByRole('dialog', { name: 'Create key for billing' }).getByRole('textbox', { name: 'Name' })
    await name.fill('production')
    await assertLooksGood(page, 'the dialog for a key')
    await name.press('Enter')
    const secretIn = async (title: string) =>
      (await page.getByRole('dialog', { name: title }).locator('pre').innerText()).trim()
    const saved = page.getByRole('button', { name: 'I have saved it', exact: true })
    const first = await secretIn('The key production')
    assert.equal((await whoami(first)).body.username, 'billing')
    await saved.press('Enter')

    await page.getByRole('button', { name: 'Rotate production', exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Rotate key', exact: true }).press('Enter')
    const second = await secretIn('Rotate key production')
    assert.notEqual(second, first)
    assert.equal((await whoami(second)).body.kind, 'service')
    await saved.press('Enter')
    await assertLooksGood(page, 'the keys of a service account')

    await page.getByRole('button', { name: 'Revoke production', exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Revoke key', exact: true }).press('Enter')
    await page.getByText('This service account has no keys').waitFor()
    assert.equal((await whoami(second)).status, 401)
  })

  it('are marked and found in the list, and offered nothing to sign in with', async (t) => {
    const { app, api } = await startConsole(t)
    await createUser(app, { username: 'grace' })
    await createUser(app, { username: 'billing', kind: 'service' })
    const page = await openConsole(t, browser, { api })
    const row = page.getByRole('row', { name: /billing/ })
    await row.getByText('Service account').waitFor()
    assert.match(await row.innerText(), /Active/)
    await page.getByRole('button', { name: 'Filters', exact: true }).press('Enter')
    await page.getByLabel('Kind').selectOption('service')
    await page.getByRole('row', { name: /grace/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove the filter: Service accounts' }).waitFor()
    await assertLooksGood(page, 'the list of service accounts')
    await page.reload()
    await row.waitFor()
    await page.getByRole('button', { name: 'Actions for billing', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete user' }).waitFor()
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), [
      'Open user',
      'Change role',
      'Copy ID',
      'Disable user',
      'Delete user',
    ])
  })

  it('are not counted as people without a password, nor listed behind that number', async (t) => {
    const { app, api } = await startConsole(t)
    await createUser(app, { username: 'grace' })
    for (const username of ['billing', 'reports']) await createUser(app, { username, kind: 'service' })
    const page = await openConsole(t, browser, { api, path: 'statistics' })
    await page.getByRole('link', { name: 'Service accounts 2' }).waitFor()
    await page.getByRole('link', { name: 'No password 1' }).press('Enter')
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('row', { name: /grace/ }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter: No password' }).press('Enter')
    await page.getByText('1–4 of 4').waitFor()
    await page.getByRole('button', { name: 'Filter: Never signed in' }).press('Enter')
    await page.getByText('1–1 of 1').waitFor()
  })

  it('are left out of invitations, which say how many', async (t) => {
    const { app, api } = await startConsole(t)
    await createUser(app, { username: 'grace' })
    for (const username of ['billing', 'reports']) await createUser(app, { username, kind: 'service' })
    const page = await openConsole(t, browser, { api })
    for (const name of ['grace', 'billing', 'reports'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).click()
    await page.getByRole('button', { name: 'Invite', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Invite users' })
    await dialog.getByText('2 service accounts are left out: they cannot sign in.').waitFor()
    assert.match(
      await dialog.getByRole('status').innerText(),
      /1\s+Would be invited\s+0\s+Refused|Would be invited\s+1\s+Refused\s+0/,
    )
    await assertLooksGood(page, 'the preview of an invitation')
    await dialog.getByRole('button', { name: 'Invite 1 user' }).press('Enter')
    await dialog.getByRole('button', { name: 'Download the links' }).waitFor()
    await dialog.getByText('2 service accounts are left out: they cannot sign in.').waitFor()
    await page.goto(`${api}/console/users?kind=service`)
    await page.getByRole('checkbox', { name: 'Select billing' }).click()
    for (const name of ['Invite', 'Sign out'])
      assert.equal(
        await page.getByRole('button', { name, exact: true, disabled: true }).getAttribute('title'),
        'Service accounts cannot sign in.',
      )
  })
})
