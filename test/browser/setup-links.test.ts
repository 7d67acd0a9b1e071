import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { anyEngine, start } from '../harness.ts'
import { clientId, startIdentityProvider } from '../identity-provider.ts'
import { startPublisher } from '../name-server.ts'
import { assertAccessible, assertFitsWidth } from './console-driver.ts'
import { closePagesFirst, newPage } from './login-driver.ts'

const browser = await launchBrowser()

async function assertLooksGood(page: Page, what: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [320, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page, `${what}, ${colorScheme} at ${width}`)
    await assertFitsWidth(page, `${what} at ${width}`)
  }
}

describe('the pages of a setup link in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('lead a stranger from the domain to the first sign-in, and look good on the way', async (t) => {
    closePagesFirst(t)
    const names = await startPublisher(t)
    const env = { ...names.env, ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_PRODUCT_NAME: 'Orchard' }
    const app = await start(t, anyEngine, { env })
    const api = await app.listen(0)
    const { body } = await app.call('POST', '/organizations', { body: { name: 'Acme' } })
    const link = await app.call('POST', `/organizations/${body.organization_id}/setup-links`, {
      body: { features: ['domains', 'connection', 'provisioning'] },
    })
    const url = `${api}/setup/${link.body.url.split('/').at(-1)}`
    const page = await newPage(t, browser, { allowed: /409|422/ })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await page.goto(url)
    await assertLooksGood(page, 'the overview')
    await page.getByRole('link', { name: 'Prove your domain', exact: true }).click()
    await page.getByLabel('Domain', { exact: true }).fill('acme.example')
    await press('Add the domain')
    await page.getByRole('status').filter({ hasText: 'The domain is added.' }).waitFor()
    await assertLooksGood(page, 'a domain')
    await press('Check now')
    await page.getByRole('alert').filter({ hasText: 'There is no such entry yet.' }).waitFor()
    names.publish('_rollbook.acme.example', /rollbook-verification=[\w-]{22}/.exec(await page.content())?.[0] ?? '')
    await press('Check now')
    await page.getByRole('status').filter({ hasText: 'The domain is proved.' }).waitFor()

    const idp = await startIdentityProvider(t)
    idp.lies.claims = { email: 'ada@acme.example', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' }
    await page.goto(`${url}/sign-in`)
    await press('Okta')
    await page.locator('#issuer').fill(`${idp.issuer}/`)
    await page.locator('#client_id').fill(clientId)
    await page.locator('#client_secret').fill('a-secret')
    await press('Save and check')
    await page.getByRole('alert').filter({ hasText: 'Please check:' }).waitFor()
    await assertLooksGood(page, 'a likely mistake')
    await page.locator('#issuer').fill(idp.issuer)
    await press('Save and check')
    await page.getByRole('link', { name: 'Test the sign-in' }).click()
    await page.getByRole('heading', { name: 'It works.' }).waitFor()
    await assertLooksGood(page, 'a test')
    await page.getByRole('link', { name: 'Back to the setup' }).click()
    await press('Switch it on')
    await page.getByRole('status').filter({ hasText: 'Company sign-in is switched on.' }).waitFor()

    await page.goto(`${url}/users`)
    await press('Microsoft Entra ID')
    await page.getByRole('heading', { name: 'The key is shown only now' }).waitFor()
    await assertLooksGood(page, 'the key')
    const [connection] = (await app.call('GET', '/connections')).body
    await page.goto(`${api}/login?connection=${connection.connection_id}`)
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    const [ada] = (await app.call('GET', '/users?username=ada@acme.example')).body
    assert.equal(ada.organization_id, body.organization_id)
  })
})
