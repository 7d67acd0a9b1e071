import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { launchBrowser } from '../browser.ts'
import { encode, respond, signingKey } from '../saml-provider.ts'
import { heading, isSignedIn, newPage, serveOn, startWithAda } from './login-driver.ts'

const browser = await launchBrowser()

describe('a sign-in with SAML in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('returns with a form of another site, with scripts and without', async (t) => {
    const { app, api } = await startWithAda(t)
    const key = signingKey()
    const issuer = 'https://idp.example.com/id'
    let fields: Record<string, string> = {}
    const form = await serveOn(t, (request, response) => {
      const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://idp')
      // The browser also requests an icon.
      if (pathname !== '/sso') return void response.writeHead(404).end()
      const samlRequest = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString()
      const [, acsUrl = ''] = / AssertionConsumerServiceURL="([^"]+)"/.exec(samlRequest) ?? []
      const [, requestId] = / ID="([^"]+)"/.exec(samlRequest) ?? []
      const audience = acsUrl.replace('/callback', '/metadata')
      const xml = respond({ issuer, audience, acsUrl, requestId, attributes: { mail: 'grace@example.com' } }, { key })
      fields = { SAMLResponse: encode(xml), RelayState: query.get('RelayState') ?? '' }
      const inputs = Object.entries(fields).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
      )
      const html = `<!doctype html><title>Provider</title><form method="post" action="${acsUrl}">${inputs.join('')}<button>Sign in</button></form>`
      response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    })
    // Ports do not make another site, names do.
    const sso_url = new URL('/sso', form.replace('127.0.0.1', 'localhost')).href
    assert.notEqual(new URL(sso_url).hostname, new URL(api).hostname)
    const { body: connection } = await app.call('POST', '/connections', {
      body: {
        kind: 'saml',
        name: 'Example',
        entity_id: issuer,
        sso_url,
        certificates: [key.pem],
        emails_verified: true,
        provisioning_domains: ['example.com'],
      },
    })
    for (const javaScriptEnabled of [true, false]) {
      const page = await newPage(t, browser, { javaScriptEnabled, allowed: /404/ })
      await page.goto(`${api}/login`)
      await page.getByRole('link', { name: 'Continue with Example' }).click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      if (!javaScriptEnabled) {
        assert.equal(await heading(page), 'One moment')
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await page.waitForURL(`${api}/login`)
      assert.equal(await heading(page), 'You are signed in')
      assert.equal(await isSignedIn(page, api), true)
    }
    const { body: failures } = await app.call('GET', `/connections/${connection.connection_id}/failures`)
    assert.deepEqual(failures, [])
  })
})
