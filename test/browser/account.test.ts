import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { codeOf } from '../factors.ts'
import { admin, assertAccessible, assertFitsWidth, startConsole } from './console-driver.ts'
import { heading, newPage, password, startWithAda, submitSignIn } from './login-driver.ts'
import { addVirtualAuthenticator } from './passkeys.ts'
import { until } from './until.ts'

const browser = await launchBrowser()

describe('the account page in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('changes the profile and the password without scripts, and passes axe at 320 px, in dark and in Arabic', async (t) => {
    const { app, api, user_id } = await startWithAda(t)
    const floor = { name: 'floor', label: 'Floor', type: 'number', editable_by: 'user' }
    assert.equal((await app.call('POST', '/attributes', { body: floor })).status, 201)
    const page = await newPage(t, browser, { javaScriptEnabled: false })
    await page.goto(`${api}/account?return_to=/auth/docs`)
    await submitSignIn(page)
    assert.equal(await heading(page), 'Your account')
    await page.getByLabel('First name').fill('Augusta')
    await page.getByLabel('Floor').fill('ground')
    await page.locator('#profile').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('First name').inputValue(), 'Augusta')
    await page.getByLabel('Floor').fill('3')
    await page.locator('#profile').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').filter({ hasText: 'Your profile is saved.' }).waitFor()
    assert.equal((await app.call('GET', `/users/${user_id}`)).body.first_name, 'Augusta')
    await page.getByRole('link', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill(password)
    await page.locator('#new-password').fill('a moth in relay seventy')
    await page.locator('#new-password-again').fill('a moth in relay seventy')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('status').filter({ hasText: 'Your password is changed.' }).waitFor()
    assert.ok(await page.getByRole('link', { name: 'Back to Rollbook' }).isVisible())

    const looked = await newPage(t, browser)
    await looked.context().addCookies(await page.context().cookies())
    for (const [lang, width, colorScheme] of [
      ['en', 1280, 'light'],
      ['de', 320, 'dark'],
      ['ar', 320, 'light'],
    ] as const) {
      await looked.setViewportSize({ width, height: 800 })
      await looked.emulateMedia({ colorScheme })
      await looked.goto(`${api}/account?lang=${lang}`)
      const shot = process.env.LOOK
      if (shot) await looked.screenshot({ path: `${shot}/${lang}.png`, fullPage: true })
      await assertFitsWidth(looked, `${lang} at ${width} px`)
      await assertAccessible(looked, `${lang} at ${width} px`)
    }
  })

  it('copies recovery codes and a new key to the clipboard, also without its API, and says if it cannot', async (t) => {
    const { api } = await startConsole(t)
    const page = await newPage(t, browser)
    await page.goto(`${api}/account/key`)
    await submitSignIn(page, admin)
    await page.getByRole('textbox', { name: 'Name' }).fill('laptop')
    await page.locator('input[type=checkbox]').first().check()
    await page.getByRole('button', { name: 'Create a personal key' }).click()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.locator('#key-copied').filter({ hasText: 'Copied.' }).waitFor()
    const key = await page.locator('#key code').innerText()
    assert.match(key, /^rb_/)
    assert.equal(await clipboardOf(page), key)

    const begun = await page.evaluate(
      `fetch('../me/factors/totp', { method: 'POST' }).then((response) => response.json())`,
    )
    const { factor_id, secret } = begun as { factor_id: string; secret: string }
    const body = JSON.stringify({ code: codeOf(secret, Date.now()) })
    await page.evaluate(`fetch('../me/factors/totp/${factor_id}/confirm', {
      method: 'POST', body: '${body}', headers: { 'content-type': 'application/json' } })`)
    await page.goto(`${api}/recovery-codes`)
    await page.getByRole('button', { name: 'Show recovery codes' }).click()
    const codes = (await page.locator('#codes code').allInnerTexts()).join('\n')
    assert.equal(codes.split('\n').length, 10)
    const copy = page.getByRole('button', { name: 'Copy', exact: true })
    const said = page.locator('#codes-copied')
    await copy.click()
    await said.filter({ hasText: 'Copied.' }).waitFor()
    assert.equal(await clipboardOf(page), codes)

    const denied = { origin: new URL(api).origin, permission: { name: 'clipboard-write' }, setting: 'denied' } as const
    await (await page.context().newCDPSession(page)).send('Browser.setPermission', denied)
    await said.evaluate((element) => element.replaceChildren())
    await assert.rejects(page.evaluate(`navigator.clipboard.writeText('')`), /NotAllowedError/)
    await copy.click()
    await said.filter({ hasText: 'Copied.' }).waitFor()
    assert.equal(await clipboardOf(page), codes)

    // As on plain http.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })`)
    await said.evaluate((element) => element.replaceChildren())
    await copy.press('Enter')
    await said.filter({ hasText: 'Copied.' }).waitFor()
    await page.evaluate('delete navigator.clipboard')
    assert.equal(await clipboardOf(page), codes)

    await page.evaluate(`navigator.clipboard.writeText = async () => { throw new DOMException('', 'NotAllowedError') }
      document.execCommand = () => false`)
    await copy.click()
    await said.filter({ hasText: 'The text is selected: copy it yourself.' }).waitFor()
    assert.equal(
      String(await page.evaluate('String(getSelection())'))
        .replaceAll(/\s+/g, '\n')
        .trim(),
      codes,
    )
    await assertAccessible(page, 'the codes, selected')
  })

  it('adds a passkey, with which the console confirms, renames and removes it, and tells the password manager', async (t) => {
    let ahead = 0
    const { app, api: address, user_id } = await startConsole(t, { clock: () => Date.now() + ahead })
    // Passkeys belong to a domain.
    const api = address.replace('127.0.0.1', 'localhost')
    const page = await newPage(t, browser, { locale: 'en-GB', viewport: { width: 320, height: 700 }, allowed: /403/ })
    const { touch } = await addVirtualAuthenticator(page)
    await touch(true)
    await page.addInitScript(`for (const name of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails'])
      PublicKeyCredential[name] = async (said) => { sessionStorage[name] = JSON.stringify(said) }`)
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto(`${api}/account`)
    await submitSignIn(page, admin)
    await link('Add a second factor').click()
    await button('Use a passkey').press('Enter')
    await page.waitForURL(/recovery-codes/)
    await link('Later').click()
    await page.locator('#factors').getByText('Passkey', { exact: true }).first().waitFor()

    ahead = 11 * 60_000
    await page.goto(`${api}/console/keys`)
    await page.keyboard.press('c')
    const creating = page.getByRole('dialog', { name: 'Create key' })
    await creating.getByRole('textbox', { name: 'Name' }).fill('nightly sync')
    await creating.getByRole('checkbox', { name: /^users:read/ }).check()
    await creating.getByRole('button', { name: 'Create key' }).click()
    const confirming = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirming.getByRole('button', { name: 'Use a passkey' }).waitFor()
    assert.equal(await confirming.getByRole('textbox').count(), 0)
    await assertAccessible(page, 'the confirmation with a passkey')
    await confirming.getByRole('button', { name: 'Use a passkey' }).press('Enter')
    await page.getByRole('dialog', { name: 'The key nightly sync' }).waitFor()

    await page.goto(`${api}/account`)
    await page.getByLabel('First name').fill('Augusta')
    await page.locator('#profile').getByRole('button', { name: 'Save' }).click()
    await until(page, `sessionStorage.signalCurrentUserDetails?.includes('Augusta Lovelace')`)
    await page.locator('#factors').getByRole('link', { name: 'Change' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Old laptop')
    await button('Save').click()
    await page.locator('#factors').getByText('Old laptop').waitFor()
    await page.locator('#factors').getByRole('link', { name: 'Change' }).click()
    await button('Remove').click()
    await page.getByText('You have none. With one, a stolen password').waitFor()
    await until(page, `JSON.parse(sessionStorage.signalAllAcceptedCredentials).allAcceptedCredentialIds.length === 0`)
    assert.deepEqual((await app.call('GET', `/users/${user_id}/factors`)).body.factors, [])

    await page.goto(`${api}/account/key`)
    await assertFitsWidth(page, 'a new key')
    await assertAccessible(page, 'a new key')
  })
})

/** Reads the clipboard and empties it. Pages may do neither by themselves. */
async function clipboardOf(page: Page): Promise<unknown> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const text = await page.evaluate('navigator.clipboard.readText()')
  await page.evaluate(`navigator.clipboard.writeText('')`)
  await page.context().clearPermissions()
  return text
}
