/** Sign-ins through a company behind real proxies, with the prefix kept and stripped: every address leads back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { freePort } from '../free-port.ts'
import { anyEngine, start } from '../harness.ts'
import { clientId, startIdentityProvider } from '../identity-provider.ts'
import { encode, respond, signingKey } from '../saml-provider.ts'
import { navigation, send } from './client.ts'
import { findProxy } from './find.ts'
import { proxyKinds, startProxy } from './proxy.ts'

// What a proxy makes of a form does not depend on the store.
const engine = anyEngine
const key = signingKey()
const issuer = 'https://idp.example.com/id'

const cookiesOf = ({ headers }: Awaited<ReturnType<typeof send>>) =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((one) => one.split(';')[0])
    .join('; ')

for (const kind of proxyKinds.filter(({ name }) => name === 'nginx')) {
  const skip = (await findProxy(kind.name)) === undefined && `there is no ${kind.name}`
  describe(`a sign-in through a company behind ${kind.name}, which ${kind.prefix} the prefix`, { skip }, () => {
    it('returns from OpenID Connect, and takes its back-channel logout', async (t) => {
      const port = await freePort()
      const base = `http://127.0.0.1:${port}/auth`
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: { email: 'ada@example.com', email_verified: true } }
      const networks = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: base, ...networks } })
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, kind, { proxy: port, rollbook, product: await freePort() })
      const body = {
        kind: 'oidc',
        name: 'Example',
        issuer: idp.issuer,
        client_id: clientId,
        client_secret: 'shared',
        provisioning_domains: ['example.com'],
      }
      const connection = (await app.call('POST', '/connections', { body })).body
      const address = `${base}/connections/${connection.connection_id}`
      assert.equal(connection.redirect_uri, `${address}/callback`)
      assert.equal(connection.backchannel_logout_uri, `${address}/backchannel-logout`)
      const begun = await send(`${base}/login?connection=${connection.connection_id}`, { headers: navigation })
      assert.equal(begun.status, 303, begun.text)
      const there = new URL(begun.headers.location ?? '')
      assert.equal(there.searchParams.get('redirect_uri'), connection.redirect_uri)
      idp.expect(there)
      const query = new URLSearchParams({
        code: 'a-code',
        state: there.searchParams.get('state') ?? '',
        iss: idp.issuer,
      })
      const headers = { ...navigation, 'sec-fetch-site': 'cross-site' }
      const back = await send(`${connection.redirect_uri}?${query}`, {
        headers: { ...headers, cookie: cookiesOf(begun) },
      })
      assert.equal(back.status, 303, back.text)
      assert.equal(new URL(back.headers.location ?? '', connection.redirect_uri).href, `${base}/login`)
      assert.equal(idp.exchanges[0]?.get('redirect_uri'), connection.redirect_uri)
      const cookie = cookiesOf(back)
      assert.equal((await send(`${base}/me`, { headers: { cookie } })).status, 200)

      const iat = Math.floor(Date.now() / 1000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const claims = { iss: idp.issuer, aud: clientId, sub: 'subject-1', iat, jti: 'one', events }
      const logout = new URLSearchParams({ logout_token: await idp.signAs('logout+jwt', claims) })
      const taken = await send(connection.backchannel_logout_uri, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `${logout}`,
      })
      assert.equal(taken.status, 200, taken.text)
      assert.equal((await send(`${base}/me`, { headers: { cookie } })).status, 401)
    })

    it('returns from SAML, and takes a response of 200 KiB', async (t) => {
      const port = await freePort()
      const base = `http://127.0.0.1:${port}/auth`
      const env = { ROLLBOOK_PUBLIC_URL: base, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const app = await start(t, engine, { env })
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, kind, { proxy: port, rollbook, product: await freePort() })
      const body = {
        kind: 'saml',
        name: 'Example',
        entity_id: issuer,
        sso_url: 'https://idp.example.com/sso',
        certificates: [key.pem],
        emails_verified: true,
        provisioning_domains: ['example.com'],
      }
      const { connection_id, acs_url, sp_entity_id } = (await app.call('POST', '/connections', { body })).body
      const metadata = await send(sp_entity_id)
      assert.equal(metadata.status, 200, metadata.text)
      assert.ok(metadata.text.includes(`entityID="${sp_entity_id}"`) && metadata.text.includes(`Location="${acs_url}"`))
      const begun = await send(`${base}/login?connection=${connection_id}`, { headers: navigation })
      assert.equal(begun.status, 303, begun.text)
      const query = new URL(begun.headers.location ?? '').searchParams
      const samlRequest = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString()
      const requestId = / ID="([^"]+)"/.exec(samlRequest)?.[1]
      const attributes = {
        mail: 'ada@example.com',
        groups: Array.from({ length: 2000 }, (_, index) => `g${index}`.padEnd(40, 'x')),
      }
      const xml = respond({ issuer, audience: sp_entity_id, acsUrl: acs_url, requestId, attributes }, { key })
      assert.ok(xml.length > 150_000)
      const cookie = cookiesOf(begun)
      const fields = { SAMLResponse: encode(xml), RelayState: query.get('RelayState') ?? '' }
      const back = await send(acs_url, {
        method: 'POST',
        headers: {
          ...navigation,
          cookie,
          'sec-fetch-site': 'same-origin',
          origin: `http://127.0.0.1:${port}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      })
      assert.equal(back.status, 303, back.text)
      assert.equal(new URL(back.headers.location ?? '', acs_url).href, `${base}/login`)
    })
  })
}
