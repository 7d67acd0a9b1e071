import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { clientId, startIdentityProvider } from '../identity-provider.ts'
import { heading, newPage, startWithAda, submitSignIn } from './login-driver.ts'

const browser = await launchBrowser()

describe('the page for linked accounts in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('leads to the provider without scripts, although forms lead only to ourselves, says that it is linked, and unlinks it on the account page', async (t) => {
    const { app, api } = await startWithAda(t, { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1' })
    const idp = await startIdentityProvider(t)
    await app.call('POST', '/connections', {
      body: { kind: 'oidc', name: 'Example', issuer: idp.issuer, client_id: clientId, client_secret: 'shared' },
    })
    const page = await newPage(t, browser, { javaScriptEnabled: false })
    await page.goto(`${api}/login?return_to=/auth/link`)
    await submitSignIn(page)
    const authorizeRequest = page.waitForRequest(`${idp.issuer}/authorize?*`)
    await page.getByRole('button', { name: 'Link an account of Example' }).click()
    await authorizeRequest
    // The provider of the tests sends the browser back at once.
    await page.waitForURL(`${api}/link?linked`)
    assert.equal(await heading(page), 'Linked accounts')
    assert.match((await page.getByRole('status').textContent()) ?? '', /The account is linked/)

    await page.goto(`${api}/account`)
    await page.locator('#linked').getByRole('link', { name: 'Unlink' }).click()
    await page.getByText('You can no longer sign in with your account of Example.').waitFor()
    await page.getByRole('button', { name: 'Unlink' }).click()
    await page.getByRole('status').filter({ hasText: 'The account is no longer linked' }).waitFor()
    await page.getByText('No account is linked.').waitFor()
  })
})
