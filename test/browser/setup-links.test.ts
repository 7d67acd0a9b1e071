import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { anyEngine, start } from '../harness.ts'
import { serveHttp } from '../http-server.ts'
import { startPublisher } from '../name-server.ts'
import { assertAccessible, assertFitsWidth } from './console-driver.ts'
import { closePagesFirst, newPage } from './login-driver.ts'

const browser = await launchBrowser()

/** oidc-provider, a certified implementation that is not ours, with its own pages. */
async function startCompany(t: TestContext) {
  const { default: OidcProvider } = await import('oidc-provider')
  const client = { client_id: 'orchard-at-acme', client_secret: 'of-acme-7f1c2a1e4b6d' }
  let callback: ReturnType<InstanceType<typeof OidcProvider>['callback']> | undefined
  const { origin: issuer } = await serveHttp(t, (request, response) => void callback?.(request, response))
  const register = (...redirect_uris: string[]) => {
    const provider = new OidcProvider(issuer, {
      clients: [{ ...client, redirect_uris }],
      cookies: { keys: ['of the tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      findAccount: (_, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, email: `${accountId}@acme.example`, email_verified: true, given_name: 'Ada' }),
      }),
    })
    callback = provider.callback()
  }
  return { issuer, ...client, register }
}

/** At the provider. */
async function signInThere(page: Page): Promise<void> {
  await page.locator('[name=login]').fill('ada')
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[value=consent]').waitFor({ state: 'attached' })
  await page.locator('[type=submit]').click()
}

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
    const page = await newPage(t, browser, { allowed: /409|422|ERR_FAILED/ })
    // The provider's pages have a font from elsewhere.
    await page.route(/^(?!http:\/\/127\.0\.0\.1)/, (route) => route.abort())
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

    const idp = await startCompany(t)
    await page.getByRole('link', { name: 'Next step: Company sign-in' }).click()
    await press('Another provider (OpenID Connect)')
    idp.register((await page.locator('code', { hasText: /\/callback$/ }).textContent()) ?? '')
    await page.locator('#issuer').fill(`${idp.issuer}/.well-known/openid-configuration`)
    await page.locator('#client_id').fill(idp.client_id)
    await page.locator('#client_secret').fill(idp.client_secret)
    await press('Save and check')
    await page.getByRole('alert').filter({ hasText: 'Please check:' }).waitFor()
    await assertLooksGood(page, 'a likely mistake')
    await page.locator('#issuer').fill(idp.issuer)
    await press('Save and check')
    await page.getByRole('link', { name: 'Test the sign-in' }).click()
    await signInThere(page)
    await page.getByRole('heading', { name: 'It works.' }).waitFor()
    await assertLooksGood(page, 'a test')
    assert.match(await page.content(), /ada@acme\.example/)
    await page.getByRole('link', { name: 'Next step: Switch it on' }).click()
    await press('Switch it on')
    await page.getByRole('status').filter({ hasText: 'Company sign-in is switched on.' }).waitFor()

    await page.getByRole('link', { name: /^Next step: Add and remove people/ }).click()
    await press('Another provider (SCIM 2.0)')
    await page.getByRole('heading', { name: 'The key is shown only now' }).waitFor()
    await assertLooksGood(page, 'the key')
    const [address, key] = await page.locator('dd code').allTextContents()
    await page.getByRole('link', { name: 'I have copied both' }).click()
    await page.getByText('Your provider has not added anyone yet.').waitFor()
    const sent = await fetch(`${api}/scim/v2/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'grace@acme.example' }),
    })
    assert.deepEqual([sent.status, address?.endsWith('/scim/v2')], [201, true])
    await page.getByRole('link', { name: 'Check again' }).click()
    await page.getByText('Your provider last added grace@acme.example').waitFor()
    await page.getByText('Everything is set up. You can close this page.').waitFor()
    await assertLooksGood(page, 'who was added')
    await page.goto(`${url}/sign-in`)
    await page.getByText('With SAML instead').click()
    await press('Another provider (SAML)')
    await page.getByRole('checkbox', { name: 'Only administrators can change email addresses' }).waitFor()
    assert.equal(await page.getByText('Everything is set up.').count(), 0)
    await assertLooksGood(page, 'SAML')

    const [connection] = (await app.call('GET', '/connections')).body
    await page.goto(`${api}/login?connection=${connection.connection_id}`)
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    const [ada] = (await app.call('GET', '/users?username=ada@acme.example')).body
    assert.equal(ada.organization_id, body.organization_id)
  })
})
