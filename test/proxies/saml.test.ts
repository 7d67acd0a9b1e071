/** SAML behind real proxies, with the prefix kept and stripped: entity id and ACS are addresses that lead back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { freePort } from '../free-port.ts'
import { engines, start } from '../harness.ts'
import { encode, respond, signingKey } from '../saml-provider.ts'
import { ask, navigation } from './client.ts'
import { findProxy } from './find.ts'
import { proxyKinds, startProxy } from './proxy.ts'

// What a proxy makes of a form does not depend on the store.
const [engine] = engines
const key = signingKey()
const issuer = 'https://idp.example.com/id'

for (const kind of proxyKinds.filter(({ name }) => name === 'nginx')) {
  const skip = (await findProxy(kind.name)) === undefined && `there is no ${kind.name}`
  describe(`SAML behind ${kind.name}, which ${kind.prefix} the prefix`, { skip }, () => {
    it('signs a user in, and takes a response of 200 KiB', async (t) => {
      const port = await freePort()
      const base = `http://127.0.0.1:${port}/auth`
      const env = { ROLLBOOK_PUBLIC_URL: base, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const app = await start(t, engine, { env })
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, kind, { proxy: port, rollbook, product: await freePort() })
      const body = {
        ...{ kind: 'saml', name: 'Example', entity_id: issuer, sso_url: 'https://idp.example.com/sso' },
        ...{ certificates: [key.pem], emails_verified: true, provisioning_domains: ['example.com'] },
      }
      const { connection_id, acs_url, sp_entity_id } = (await app.call('POST', '/connections', { body })).body
      const metadata = await ask(sp_entity_id)
      assert.equal(metadata.status, 200, metadata.text)
      assert.ok(metadata.text.includes(`entityID="${sp_entity_id}"`) && metadata.text.includes(`Location="${acs_url}"`))
      const begun = await ask(`${base}/login?connection=${connection_id}`, { headers: navigation })
      assert.equal(begun.status, 303, begun.text)
      const query = new URL(begun.headers.location ?? '').searchParams
      const asked = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString()
      const requestId = / ID="([^"]+)"/.exec(asked)?.[1]
      const attributes = {
        mail: 'ada@example.com',
        groups: Array.from({ length: 2000 }, (_, index) => `g${index}`.padEnd(40, 'x')),
      }
      const xml = respond({ issuer, audience: sp_entity_id, acsUrl: acs_url, requestId, attributes }, { key })
      assert.ok(xml.length > 150_000)
      const cookie = [begun.headers['set-cookie'] ?? []]
        .flat()
        .map((one) => one.split(';')[0])
        .join('; ')
      const fields = { SAMLResponse: encode(xml), RelayState: query.get('RelayState') ?? '' }
      const back = await ask(acs_url, {
        method: 'POST',
        headers: {
          ...{ ...navigation, cookie, 'sec-fetch-site': 'same-origin', origin: `http://127.0.0.1:${port}` },
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      })
      assert.equal(back.status, 303, back.text)
      assert.equal(new URL(back.headers.location ?? '', acs_url).href, `${base}/login`)
    })
  })
}
