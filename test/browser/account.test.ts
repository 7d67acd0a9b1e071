import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { assertAccessible, assertFitsWidth } from './console-driver.ts'
import { heading, newPage, password, startWithAda, submitSignIn } from './login-driver.ts'

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
})
