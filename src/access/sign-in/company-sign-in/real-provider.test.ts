/** With oidc-provider, a certified implementation that is not ours. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type Provider from 'oidc-provider'
import { engines, start } from '../../../../test/harness.ts'
import { serveHttp } from '../../../../test/http-server.ts'

const clientId = 'rollbook'
const secret = 'a secret of theirs: 6f1c2a1e-4b6d_~.'

/** A provider at which ada is always signed in. */
async function startProvider(t: TestContext) {
  const { default: OidcProvider } = await import('oidc-provider')
  let provider: Provider | undefined
  const { origin: issuer } = await serveHttp(t, async (request, response) => {
    if (provider === undefined) throw new Error('The provider is not there yet.')
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response)
    const { interactionDetails, interactionFinished } = provider
    const { prompt, params } = await interactionDetails.call(provider, request, response)
    if (prompt.name === 'login')
      return interactionFinished.call(provider, request, response, { login: { accountId: 'ada-at-idp' } })
    const grant = new provider.Grant({ accountId: 'ada-at-idp', clientId: String(params.client_id) })
    grant.addOIDCScope('openid profile email')
    return interactionFinished.call(provider, request, response, { consent: { grantId: await grant.save() } })
  })
  return {
    issuer,
    register(redirectUri: string, secret: string) {
      provider = new OidcProvider(issuer, {
        clients: [{ client_id: clientId, client_secret: secret, redirect_uris: [redirectUri] }],
        cookies: { keys: ['of the tests'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        findAccount: (_ctx, accountId) => ({
          accountId,
          claims: () => ({
            sub: accountId,
            email: 'ada@example.com',
            email_verified: true,
            given_name: 'Ada',
            family_name: 'Lovelace',
          }),
        }),
      })
    },
  }
}

/** Follows redirects as a browser does, until one leads back to the service. */
async function walk(from: string, until: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(from)
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1)
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    assert.ok(location, `${url.pathname} answered ${response.status} ${await response.text()}`)
    url = new URL(location, url)
    if (url.href.startsWith(until)) return url
  }
  throw new Error('It leads nowhere.')
}

for (const engine of engines) {
  describe(`oidc-provider on ${engine.name}`, () => {
    it('signs a user in, from the button to the session', async (t) => {
      const idp = await startProvider(t)
      const app = await start(t, engine, { env: { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1' } })
      const { body: connection } = await app.call('POST', '/connections', {
        body: {
          kind: 'oidc',
          name: 'Company',
          issuer: idp.issuer,
          client_id: clientId,
          client_secret: secret,
          provisioning_domains: ['example.com'],
          second_factor: 'own',
        },
      })
      idp.register(connection.redirect_uri, secret)
      const signIn = async (more = '') => {
        const begun = await app.call('GET', `/login?connection=${connection.connection_id}${more}`, { key: null })
        assert.equal(begun.status, 303, begun.text)
        const [cookie = ''] = [begun.headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0])
        const back = await walk(begun.headers.location ?? '', connection.redirect_uri)
        assert.equal(back.searchParams.get('iss'), idp.issuer)
        const path = `${back.pathname.replace(/^\/auth/, '')}${back.search}`
        const done = await app.call('GET', path, { key: null, headers: { cookie } })
        assert.equal(
          done.status,
          303,
          `${done.text} ${(await app.call('GET', `/connections/${connection.connection_id}/failures`)).text}`,
        )
        const session = [done.headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0])
        return (await app.call('GET', '/me', { key: null, headers: { cookie: session.join('; ') } })).body
      }
      const person = await signIn()
      assert.deepEqual([person.username, person.first_name, person.role], ['ada@example.com', 'Ada', 'user'])
      assert.equal((await signIn()).user_id, person.user_id)
      // Asked again at the provider: it says when.
      assert.equal((await signIn('&confirm')).user_id, person.user_id)

      const wrong = { body: { client_secret: 'not the one' } }
      await app.call('PATCH', `/connections/${connection.connection_id}`, wrong)
      await assert.rejects(signIn(), /code_refused/)
    })
  })
}
