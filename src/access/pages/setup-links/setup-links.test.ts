import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { recordsOf } from '../../../../test/audit-records.ts'
import { freePort } from '../../../../test/free-port.ts'
import { type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { clientId, startIdentityProvider } from '../../../../test/identity-provider.ts'
import { startPublisher } from '../../../../test/name-server.ts'
import { fieldIn, plainBrowser } from '../../../../test/plain-browser.ts'
import { encode, respond, signingKey } from '../../../../test/saml-provider.ts'
import { type StoppedClock, stoppedClock } from '../../../../test/stopped-clock.ts'
import { eventually } from '../../../../test/webhooks/dispatching.ts'

type Opened = {
  app: Started
  names: Awaited<ReturnType<typeof startPublisher>>
  organization_id: string
  path: string
  setup_link_id: string
  browser: ReturnType<typeof plainBrowser>
}

async function open(
  t: TestContext,
  engine: Engine,
  features = ['domains', 'connection', 'provisioning'],
  clock?: StoppedClock,
): Promise<Opened> {
  const names = await startPublisher(t)
  const env = { ...names.env, ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_PRODUCT_NAME: 'Orchard' }
  const app = await start(t, engine, { env, ...(clock && { clock }) })
  const { body } = await app.call('POST', '/organizations', { body: { name: 'Acme' } })
  const { organization_id } = body
  const link = await app.call('POST', `/organizations/${organization_id}/setup-links`, { body: { features } })
  const path = new URL(link.body.url, 'http://here').pathname.replace(/^\/auth/, '')
  const { setup_link_id } = link.body
  return { app, names, organization_id, path, setup_link_id, browser: plainBrowser(app) }
}

/** The path of the page to which a response leads. */
const next = ({ path }: Opened, location: string | undefined) =>
  `${path}${(location ?? '').split(path.split('/').at(-1) ?? '')[1] ?? ''}`

/** The value beside the name of a field in the steps of a provider. */
const shownValue = (text: string, field: string) =>
  new RegExp(`<bdi dir="ltr">${field}</bdi></th><td><span class="copied"><span[^>]*><code[^>]*>([^<]+)<`).exec(
    text,
  )?.[1] ?? ''

async function proveDomain(opened: Opened, domain = 'acme.example'): Promise<void> {
  const { browser, path, names } = opened
  assert.equal((await browser.post(`${path}/domains`, { domain })).status, 303)
  const { text } = await browser.get(`${path}/domains`)
  const value = /rollbook-verification=[\w-]{22}/.exec(text)?.[0] ?? ''
  assert.ok(text.includes(`_rollbook.${domain}`))
  const early = await browser.post(`${path}/domains/check`, { domain })
  assert.deepEqual([early.status, /There is no such entry yet/.test(early.text)], [409, true])
  names.publish(`_rollbook.${domain}`, value)
  const checked = await browser.post(`${path}/domains/check`, { domain })
  assert.equal(checked.status, 303, checked.text)
}

/** What a SAML request asks for. */
function requestIn({ searchParams }: URL): { requestId: string | undefined; acsUrl: string } {
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const found = (name: string) => new RegExp(` ${name}="([^"]+)"`).exec(xml)?.[1]
  return { requestId: found('ID'), acsUrl: found('AssertionConsumerServiceURL') ?? '' }
}

/** Follows a redirect to the provider and back. */
async function visitProvider({ browser }: Opened, start: string): Promise<string> {
  const left = await browser.get(start)
  assert.equal(left.status, 303, left.text)
  const redirected = await fetch(left.headers.location ?? '', { redirect: 'manual' })
  const back = new URL(redirected.headers.get('location') ?? '')
  const arrived = await browser.get(`${back.pathname.replace(/^\/auth/, '')}${back.search}`)
  assert.equal(arrived.status, 303, arrived.text)
  return arrived.headers.location ?? ''
}

const audited = async ({ app }: Opened) => (await recordsOf(app)).filter(({ actor }) => actor.kind === 'setup_link')

for (const engine of engines) {
  describe(`the pages of a setup link on ${engine.name}`, () => {
    it('let a stranger prove a domain, set up, test and switch on company sign-in, with which a colleague then signs in', async (t) => {
      const opened = await open(t, engine)
      const { app, browser, path, organization_id, setup_link_id } = opened
      const first = await browser.get(path)
      assert.equal(first.status, 200)
      assert.match(first.text, /<h1>Set up Orchard for Acme<\/h1>/)
      assert.match(first.headers['content-security-policy'] ?? '', /default-src 'none'/)
      assert.equal(first.headers['referrer-policy'], 'no-referrer')
      await proveDomain(opened)

      const idp = await startIdentityProvider(t)
      idp.lies.claims = { email: 'ada@acme.example', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' }
      const chosen = await browser.post(`${path}/sign-in`, { provider: 'oidc generic' })
      assert.equal(chosen.status, 303, chosen.text)
      const here = next(opened, chosen.headers.location)
      const draft = (await browser.get(here)).text
      assert.match(draft, /\/connections\/[\w-]{36}\/callback/)
      const wrong = await browser.post(here, { issuer: idp.issuer, client_id: 'an id', client_secret: 'a-secret' })
      assert.deepEqual([wrong.status, /There is a space in it/.test(wrong.text)], [422, true])
      const saved = await browser.post(here, { issuer: idp.issuer, client_id: clientId, client_secret: 'a-secret' })
      assert.equal(saved.status, 303, saved.text)
      assert.ok(!(await browser.get(here)).text.includes('a-secret'))

      const result = next(opened, await visitProvider(opened, `${here}/test`))
      const tested = await browser.get(result)
      assert.match(tested.text, /<h1>It works\.<\/h1>/)
      assert.match(tested.text, /<code>ada@acme\.example<\/code>|ada@acme\.example/)
      assert.deepEqual((await app.call('GET', '/users?username=ada@acme.example')).body, [])

      const on = await browser.post(`${here}/active`, { active: 'true' })
      assert.equal(on.status, 303, on.text)
      const [connection] = (await app.call('GET', '/connections')).body
      assert.deepEqual(
        [connection.name, connection.active, connection.organization_id, connection.domains, connection.default_role],
        ['Acme', true, organization_id, ['acme.example'], 'user'],
      )
      await visitProvider(opened, `/login?connection=${connection.connection_id}`)
      const [ada] = (await app.call('GET', '/users?username=ada@acme.example')).body
      assert.deepEqual([ada?.organization_id, ada?.role], [organization_id, 'user'])
      assert.match((await browser.get(path)).text, /Acme: switched on/)

      const records = await audited(opened)
      assert.deepEqual(
        [...new Set(records.map(({ actor }) => `${actor.id} ${actor.name}`))],
        [`${setup_link_id} IT administrator by setup link`],
      )
      assert.deepEqual(
        records.map(({ action }) => action),
        [
          'organization.domain_added',
          'organization.domain_verified',
          'sign_in_connection.created',
          'sign_in_connection.updated',
          'sign_in_connection.tested',
          'sign_in_connection.updated',
        ],
      )
    })

    it('show address and key for provisioning once, and then who arrived last', async (t) => {
      const opened = await open(t, engine, ['provisioning'])
      const { app, browser, path, organization_id } = opened
      const created = await browser.post(`${path}/users`, { provider: 'okta' })
      assert.equal(created.status, 200, created.text)
      const key = shownValue(created.text, 'Authorization')
      assert.match(key, /^rb_/)
      assert.match(shownValue(created.text, 'SCIM connector base URL'), /\/scim\/v2$/)
      const state = `${path}/users/${/\/users\/([\w-]{36})/.exec(created.text)?.[1]}`
      const before = await browser.get(state)
      assert.match(before.text, /Your provider has not added anyone yet/)
      assert.ok(!before.text.includes(key))
      const arrived = await app.call('POST', '/scim/v2/Users', {
        key: null,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
        body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'grace@acme.example' },
      })
      assert.equal(arrived.status, 201, arrived.text)
      assert.match((await browser.get(state)).text, /Your provider last added (<bdi>)?grace@acme\.example/)
      const twice = await app.call('POST', '/scim/v2/Users', {
        key: null,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
        body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'grace@acme.example' },
      })
      assert.equal(twice.status, 409)
      // Refusals are written a moment later, several at once.
      let refused = ''
      await eventually('the refusal is shown', async () => {
        refused = (await browser.get(state)).text
        return refused.includes('Correct this at your provider')
      })
      assert.match(refused, /Another user already has this username\./)
      assert.doesNotMatch(refused, /console/)
      const [grace] = (await app.call('GET', '/users?username=grace@acme.example')).body
      assert.equal(grace.organization_id, organization_id)
      // With people there is no other key: it would let them go.
      const again = await browser.post(`${state}/again`, {})
      assert.equal(again.status, 303)
      assert.equal((await app.call('GET', '/provisioning')).body[0].user_count, 1)
    })

    it('say at once what was pasted wrong, and understand an address in place of a domain', async (t) => {
      const opened = await open(t, engine)
      const { app, browser, path, organization_id } = opened
      for (const domain of ['it@acme.example', 'https://www.acme.example/about', ' www.ACME.example. ']) {
        assert.equal((await browser.post(`${path}/domains`, { domain })).status, 303, domain)
      }
      const { body } = await app.call('GET', `/organizations/${organization_id}`)
      assert.deepEqual(
        body.domains.map(({ domain }: { domain: string }) => domain),
        ['acme.example'],
      )
      assert.equal((await browser.post(`${path}/domains`, { domain: 'acme' })).status, 422)

      const chosen = await browser.post(`${path}/sign-in`, { provider: 'oidc generic' })
      const here = next(opened, chosen.headers.location)
      const client = { client_id: clientId, client_secret: 'two parts' }
      const spaced = await browser.post(here, { issuer: 'https://idp.example', ...client })
      assert.match(spaced.text, /There is a space in it/)
      assert.ok(!spaced.text.includes('twoparts'), 'a secret is not shown')
      const issuer = `http://127.0.0.1:${await freePort()}`
      const away = await browser.post(here, { issuer, client_id: clientId, client_secret: 'a-secret' })
      assert.deepEqual([away.status, /Your provider was not found at this address/.test(away.text)], [422, true])
      const idp = await startIdentityProvider(t)
      idp.lies.metadata = { issuer: 'https://another.example' }
      const other = await browser.post(here, { issuer: idp.issuer, client_secret: 'a-secret' })
      assert.match(other.text, /was not found at this address[^\n]*does not match the expected issuer/)
      idp.lies.metadata = {}
      const right = await browser.post(here, { issuer: idp.issuer, client_id: clientId, client_secret: 'another' })
      assert.equal(right.status, 303, right.text)
    })

    it('let a stranger set up SAML, who confirms that nobody chooses an address; an interrupted test leads back', async (t) => {
      const opened = await open(t, engine)
      const { app, browser, path, organization_id, setup_link_id } = opened
      await proveDomain(opened)
      const here = next(opened, (await browser.post(`${path}/sign-in`, { provider: 'saml generic' })).headers.location)
      const key = signingKey()
      const issuer = 'https://idp.acme.example/saml'
      const certificate = key.pem.replaceAll(/-----[^-]+-----|\s/g, '')
      const metadata = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.acme.example/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>`
      const unsure = await browser.post(here, { metadata })
      assert.deepEqual([unsure.status, /Confirm that only administrators can change/.test(unsure.text)], [422, true])
      const saved = await browser.post(here, { metadata, emails_verified: 'true' })
      assert.equal(saved.status, 303, saved.text)
      assert.match((await browser.get(here)).text, /name="emails_verified" value="true" checked/)

      const visitProviderOnce = async () => {
        const left = new URL((await browser.get(`${here}/test`)).headers.location ?? '')
        const { requestId, acsUrl } = requestIn(left)
        const audience = acsUrl.replace('/callback', '/metadata')
        const attributes = { mail: 'ada@acme.example' }
        const xml = respond({ issuer, audience, acsUrl, requestId, attributes }, { key })
        const fields = { SAMLResponse: encode(xml), RelayState: left.searchParams.get('RelayState') ?? '' }
        return () => browser.post(new URL(acsUrl).pathname.replace(/^\/auth/, ''), fields)
      }
      const comeBack = await visitProviderOnce()
      const arrived = await comeBack()
      const tested = await browser.get(next(opened, arrived.headers.location))
      assert.match(tested.text, /<h1>It works\.<\/h1>/, tested.text)

      // The same answer once more, as after the button Back; then one after the end of the link.
      const again = await comeBack()
      const back = /href="([^"]+)">Back to the setup</.exec(again.text)?.[1]
      assert.deepEqual([again.status < 500, back?.endsWith(here)], [true, true], again.text)
      const late = await visitProviderOnce()
      await app.call('DELETE', `/organizations/${organization_id}/setup-links/${setup_link_id}`)
      assert.match((await late()).text, />Back to the setup</)
      assert.match((await browser.get(here)).text, /The link was withdrawn/)
    })

    it('create nothing twice: a form that is sent again, or after someone else’s, shows what was started', async (t) => {
      const opened = await open(t, engine)
      const { app, browser, path, organization_id } = opened
      for (const [at, provider, list] of [
        ['/users', 'okta', '/provisioning'],
        ['/sign-in', 'oidc okta', '/connections'],
      ] as const) {
        const latest = fieldIn(await browser.get(`${path}${at}`), 'latest')
        assert.ok((await browser.post(`${path}${at}`, { provider, latest })).status < 400)
        const again = await browser.post(`${path}${at}`, { provider, latest })
        assert.equal(again.status, 409)
        assert.match(again.text, /This list has changed since you opened the page/)
        assert.ok(!again.text.includes('rb_'))
        assert.equal((await app.call('GET', list)).body.length, 1)
        const second = await browser.post(`${path}${at}`, { provider, latest: fieldIn(again, 'latest') })
        assert.ok(second.status < 400, 'chosen again, knowing of the first')
        assert.equal((await app.call('GET', list)).body.length, 2)
        const oidc = { kind: 'oidc', issuer: 'https://id.example', client_id: 'x', active: false }
        for (let count = 2; count < 10; count++) {
          const body = { ...(list === '/connections' && oidc), name: `Own ${count}`, organization_id }
          assert.equal((await app.call('POST', list, { body })).status, 201)
        }
        const opening = await browser.get(`${path}${at}`)
        const full = await browser.post(`${path}${at}`, { provider, latest: fieldIn(opening, 'latest') })
        assert.equal(full.status, 409)
        assert.match(full.text, /too_many_connections/)
      }
    })

    it('do what the features say and nothing else, and nothing in another organization', async (t) => {
      const opened = await open(t, engine, ['domains'])
      const { app, browser, path, organization_id } = opened
      for (const other of ['/sign-in', '/users']) {
        assert.equal(next(opened, (await browser.get(`${path}${other}`)).headers.location), path)
        assert.equal((await browser.post(`${path}${other}`, { provider: 'oidc okta' })).status, 303)
      }
      assert.deepEqual((await app.call('GET', '/connections')).body, [])
      assert.deepEqual((await app.call('GET', '/provisioning')).body, [])
      // The token is no credential of the API.
      const token = path.split('/').at(-1)
      const refused = await app.call('GET', '/users', { key: null, headers: { authorization: `Bearer ${token}` } })
      assert.equal(refused.status, 401)

      const link = await app.call('POST', `/organizations/${organization_id}/setup-links`, {
        body: { features: ['connection', 'provisioning'] },
      })
      const wide = `/setup/${link.body.url.split('/').at(-1)}`
      const foreign = await app.call('POST', '/connections', {
        body: { kind: 'oidc', name: 'Foreign', issuer: 'https://idp.example', client_id: 'foreign', active: false },
      })
      const mapped = await app.call('POST', '/connections', {
        body: {
          ...{ kind: 'oidc', name: 'Mapped', issuer: 'https://idp.example', client_id: 'mapped', active: false },
          ...{ organization_id, role_claim: 'groups', roles: { admins: 'admin' } },
        },
      })
      assert.equal(mapped.status, 201, mapped.text)
      const takeOver = { issuer: 'https://evil.example', client_id: 'evil', client_secret: 'evil' }
      for (const [one, status] of [
        [foreign, 303],
        [mapped, 403],
      ] as const) {
        const { connection_id } = one.body
        assert.equal((await browser.post(`${wide}/sign-in/${connection_id}`, takeOver)).status, status)
        assert.equal((await browser.post(`${wide}/sign-in/${connection_id}/active`, { active: 'true' })).status, status)
        assert.equal((await browser.post(`${wide}/sign-in/${connection_id}/remove`, {})).status, status)
        const { body } = await app.call('GET', `/connections/${connection_id}`)
        assert.deepEqual([body.issuer, body.active], ['https://idp.example', false])
      }
      assert.ok(!(await browser.get(`${wide}/sign-in`)).text.includes('Foreign'))
    })

    it('say why a link does not work: unknown, expired, revoked, or of a disabled organization', async (t) => {
      const clock = stoppedClock()
      const opened = await open(t, engine, undefined, clock)
      const { app, browser, path, organization_id, setup_link_id } = opened
      const look = async (at = path) => {
        const { status, text } = await browser.get(at)
        return [status, /<p>([^<]+)<\/p>/.exec(text)?.[1]]
      }
      const unknown = await look('/setup/nothing')
      assert.deepEqual(unknown, [404, 'This link does not exist, or no longer does. Check that you copied all of it.'])
      const organization = `/organizations/${organization_id}`
      await app.call('PATCH', organization, { body: { active: false } })
      assert.deepEqual(await look(), [410, 'Access is switched off for your organization.'])
      assert.equal((await browser.post(`${path}/domains`, { domain: 'acme.example' })).status, 410)
      await app.call('PATCH', organization, { body: { active: true } })
      assert.equal((await look())[0], 200)
      const used = (await app.call('GET', `${organization}/setup-links`)).body[0].last_used_at
      assert.equal(used, new Date(clock()).toISOString())
      await app.call('DELETE', `${organization}/setup-links/${setup_link_id}`)
      assert.deepEqual(await look(), [410, 'The link was withdrawn.'])
      const short = await app.call('POST', `${organization}/setup-links`, {
        body: { features: ['domains'], locale: 'de', expires_at: new Date(clock() + 1000).toISOString() },
      })
      await clock.pass(1000)
      assert.deepEqual(await look(`/setup/${short.body.url.split('/').at(-1)}`), [410, 'Der Link ist abgelaufen.'])
    })
  })
}
