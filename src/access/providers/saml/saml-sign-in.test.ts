import assert from 'node:assert/strict'
import { createVerify, X509Certificate } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { signedIn } from '../../../../test/company.ts'
import { codeOf } from '../../../../test/factors.ts'
import { type Answer, createUser, engines, onlyPostgres, type Started, start } from '../../../../test/harness.ts'
import { serveHttp } from '../../../../test/http-server.ts'
import { mailEnv, mailsOf } from '../../../../test/mails/mailing.ts'
import { encode, type Parts, respond, signingKey } from '../../../../test/saml-provider.ts'
import { system } from '../../../core/actor.ts'

const env = {
  ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1',
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_PUBLIC_URL: 'https://app.example.com/auth',
}
const key = signingKey()
const nextKey = signingKey()
const issuer = 'https://idp.example.com/id'
const ssoUrl = 'https://idp.example.com/sso?tenant=1'
const mfa = 'https://refeds.org/profile/mfa'
const ada = { mail: 'ada@example.com', givenName: 'Ada', sn: 'Lovelace' }

type Jar = Map<string, string>
type Body = Record<string, unknown>
type Connection = {
  connection_id: string
  acs_url: string
  sp_entity_id: string
  sp_certificate: string
  version?: string
}

const cookieOf = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

function remember(jar: Jar, { headers }: Answer): void {
  for (const cookie of [headers['set-cookie'] ?? []].flat()) {
    const [pair = ''] = cookie.split(';', 1)
    const at = pair.indexOf('=')
    if (/Max-Age=0/.test(cookie)) jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

async function visit(app: Started, path: string, jar: Jar): Promise<Answer> {
  const headers = {
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
    ...(jar.size > 0 && { cookie: cookieOf(jar) }),
  }
  const response = await app.call('GET', path, { key: null, headers })
  remember(jar, response)
  return response
}

const domains = { trusted_domains: ['example.com'], provisioning_domains: ['example.com'], emails_verified: true }

async function connect(app: Started, more: Body = {}): Promise<Connection> {
  const body = {
    kind: 'saml',
    name: 'Example',
    entity_id: issuer,
    sso_url: ssoUrl,
    certificates: [key.pem],
    ...domains,
    ...more,
  }
  const created = await app.call('POST', '/connections', { body })
  assert.equal(created.status, 201, created.text)
  return created.body
}

type Begun = { url: URL; xml: string; requestId: string; relayState: string }

async function startSignIn(app: Started, { connection_id }: Connection, jar: Jar, more = ''): Promise<Begun> {
  const response = await visit(app, `/login?connection=${connection_id}${more}`, jar)
  assert.equal(response.status, 303, response.text)
  const url = new URL(response.headers.location ?? '')
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const requestId = / ID="([^"]+)"/.exec(xml)?.[1] ?? ''
  return { url, xml, requestId, relayState: url.searchParams.get('RelayState') ?? '' }
}

type Fields = { SAMLResponse: string; RelayState: string }

/** As the provider's page posts it: from another site, so no cookie comes along. Then as our page posts it again. */
async function post(app: Started, { connection_id }: Connection, jar: Jar, fields: Fields): Promise<Answer> {
  const path = `/connections/${connection_id}/callback`
  const form = 'application/x-www-form-urlencoded'
  const first = await app.call('POST', path, {
    key: null,
    headers: {
      accept: 'text/html',
      'content-type': form,
      'sec-fetch-site': 'cross-site',
      origin: 'https://idp.example.com',
    },
    body: new URLSearchParams(fields).toString(),
  })
  assert.equal(first.status, 200, first.text)
  const inputs = [...first.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
  )
  const response = await app.call('POST', path, {
    key: null,
    headers: {
      accept: 'text/html',
      'content-type': form,
      'sec-fetch-site': 'same-origin',
      ...(jar.size > 0 && { cookie: cookieOf(jar) }),
    },
    body: new URLSearchParams(inputs).toString(),
  })
  remember(jar, response)
  return response
}

const partsFor = (connection: Connection, { requestId }: Pick<Begun, 'requestId'>): Parts => ({
  issuer,
  audience: connection.sp_entity_id,
  acsUrl: connection.acs_url,
  requestId,
  attributes: ada,
})

async function signIn(
  app: Started,
  connection: Connection,
  jar: Jar = new Map(),
  more: Partial<Parts> = {},
  place = '',
): Promise<Answer> {
  const begun = await startSignIn(app, connection, jar, place)
  const xml = respond({ ...partsFor(connection, begun), ...more }, { key })
  return post(app, connection, jar, { SAMLResponse: encode(xml), RelayState: begun.relayState })
}

const me = (app: Started, jar: Jar) => app.call('GET', '/me', { key: null, headers: { cookie: cookieOf(jar) } })

async function failures(app: Started, { connection_id }: Connection) {
  const { body } = await app.call('GET', `/connections/${connection_id}/failures`)
  return body as { reason: string; detail: string; claims: { claim: string; value: string }[] }[]
}

for (const engine of engines) {
  describe(`a connection with SAML on ${engine.name}`, () => {
    it('is made from metadata, shows fingerprints, and never returns its key', async (t) => {
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_KEY_ENCRYPTION_SECRET: 'k'.repeat(43) } })
      const metadata = metadataOf([key.pem, nextKey.pem])
      const created = await app.call('POST', '/connections', { body: { kind: 'saml', name: 'Example', metadata } })
      assert.equal(created.status, 201, created.text)
      const { entity_id, sso_url, certificate_details, connection_id, acs_url, sp_entity_id, sign_requests } =
        created.body
      assert.deepEqual([entity_id, sso_url, sign_requests], [issuer, ssoUrl, true])
      const fingerprints = certificate_details.map((one: { fingerprint: string }) => one.fingerprint)
      assert.deepEqual(fingerprints, [key.certificate.fingerprint256, nextKey.certificate.fingerprint256])
      const base = `https://app.example.com/auth/connections/${connection_id}`
      assert.deepEqual([acs_url, sp_entity_id], [`${base}/callback`, `${base}/metadata`])
      assert.equal(created.body.has_sp_private_key, true)
      assert.equal((await app.stored()).includes('PRIVATE KEY'), false)
      const everything =
        created.text + (await app.call('GET', '/connections')).text + (await app.call('GET', '/audit')).text
      assert.doesNotMatch(everything, /PRIVATE KEY/)
      const described = await app.call('GET', `/connections/${connection_id}/metadata`, { key: null })
      assert.equal(described.headers['content-type'], 'application/samlmetadata+xml')
      assert.ok(
        described.text.includes(`entityID="${sp_entity_id}"`) && described.text.includes(`Location="${acs_url}"`),
      )
      assert.ok(described.text.includes(created.body.sp_certificate.split('\n')[1]))
    })

    it('is made from the metadata at an address, which is read once', async (t) => {
      const app = await start(t, engine, { env })
      let requestCount = 0
      const url = await serve(t, () => {
        requestCount += 1
        return metadataOf([key.pem])
      })
      const created = await app.call('POST', '/connections', {
        body: { kind: 'saml', name: 'Example', metadata_url: url },
      })
      assert.deepEqual([created.status, created.body.entity_id, requestCount], [201, issuer, 1], created.text)
      assert.equal(created.body.metadata_url, undefined)

      // Without the right to use it, no caller makes us call an address.
      const weak = await app.call('POST', '/keys', { body: { name: 'weak', permissions: ['connections:write'] } })
      const { key: weakKey } = weak.body
      for (const query of ['', '?dry_run=true']) {
        for (const [method, path, body] of [
          ['POST', '/connections', { kind: 'saml', name: 'Other', metadata_url: url }],
          ['PATCH', `/connections/${created.body.connection_id}`, { metadata_url: url }],
          [
            'POST',
            '/connections',
            { kind: 'ldap', name: 'Other', servers: [url.replace('http:', 'ldap:')], user_base: 'dc=a' },
          ],
        ] as const) {
          const refused = await app.call(method, path + query, { key: weakKey, body })
          assert.deepEqual(
            [refused.status, refused.body.code, requestCount],
            [403, 'role_not_grantable', 1],
            refused.text,
          )
        }
      }
    })

    it('refuses what cannot be right', async (t) => {
      const app = await start(t, engine, { env })
      const right = { entity_id: issuer, sso_url: ssoUrl, certificates: [key.pem] }
      const outside = await serve(t, () => '<x/>')
      const wrong: [string, Body, string][] = [
        ['entity_id', { ...right, entity_id: undefined }, 'missing_member'],
        ['sso_url', { ...right, sso_url: 'http://idp.example.com/sso' }, 'url_scheme'],
        ['certificates', { ...right, certificates: ['none'] }, 'certificate_malformed'],
        ['certificates', { ...right, certificates: [signingKey(1024).pem] }, 'certificate_weak'],
        ['client_id', { ...right, client_id: 'x' }, 'member_of_another_kind'],
        ['metadata', { metadata: '<x/>' }, 'metadata_unreadable'],
        ['metadata', { metadata: metadataOf([]) }, 'metadata_unreadable'],
        ['metadata', { metadata: `<!DOCTYPE x>${metadataOf([key.pem])}` }, 'metadata_unreadable'],
        ['metadata', { metadata: metadataOf([key.pem]), metadata_url: outside }, 'member_conflict'],
        ['metadata_url', { metadata_url: outside }, 'metadata_unreadable'],
        ['metadata_url', { metadata_url: 'http://idp.example.com/metadata' }, 'url_scheme'],
        ['metadata_url', { metadata_url: 'https://10.0.0.1/metadata' }, 'metadata_unreadable'],
        ['sp_private_key', { ...right, sp_certificate: key.pem }, 'missing_member'],
        ['sp_private_key', { ...right, sp_certificate: key.pem, sp_private_key: pemOf(nextKey) }, 'key_mismatch'],
      ]
      for (const [member, more, code] of wrong) {
        const refused = await app.call('POST', '/connections', { body: { kind: 'saml', name: 'x', ...more } })
        assert.equal(refused.status, 422, `${member} ${code}: ${refused.text}`)
        assert.ok(refused.body.errors[0].pointer.startsWith(`#/${member}`), refused.text)
        assert.equal(refused.body.errors[0].code, code)
      }
      const page = { kind: 'saml', name: 'x', metadata: '<!doctype html><title>Sign in</title>' }
      assert.match(
        (await app.call('POST', '/connections', { body: page })).body.errors[0].detail,
        /^This is a web page,/,
      )
      const unreachable = { kind: 'saml', name: 'x', metadata_url: 'http://127.0.0.1:9/metadata' }
      assert.match(
        (await app.call('POST', '/connections', { body: unreachable })).body.detail,
        /: ECONNREFUSED\. Check the address .* as metadata\.$/,
      )
      const oidc = { kind: 'oidc', name: 'x', issuer, client_id: 'c', metadata: '<x/>' }
      assert.equal(
        (await app.call('POST', '/connections', { body: oidc })).body.errors[0].code,
        'member_of_another_kind',
      )
    })

    it('announces once that a certificate ends within 30 days', async (t) => {
      let now = Date.now()
      const app = await start(t, engine, { env: { ...env, ...mailEnv }, clock: () => now })
      await createUser(app, { username: 'root', role: 'admin', email: 'root@example.com' })
      await createUser(app, { username: 'user', email: 'user@example.com' })
      const { connection_id } = await connect(app, { certificates: [key.pem, nextKey.pem] })
      const announce = async () => {
        now += 86_400_000
        const request = { actor: system, now, requestId: 'test' }
        await app.storage.change('sign_in_connections.announce_certificates', { everyMs: 86_400_000 }, request)
        const records = (await app.call('GET', '/audit?limit=200')).body as {
          action: string
          target: Body
          details: Body
        }[]
        return records.filter(({ action }) => action === 'sign_in_connection.certificate_expiring')
      }
      assert.deepEqual(await announce(), [])
      // The keys may have been made in different seconds.
      now = nextKey.certificate.validToDate.getTime() - 31 * 86_400_000
      const [first, second, ...more] = await announce()
      assert.deepEqual([first?.target.id, second?.target.id, more.length], [connection_id, connection_id, 0])
      assert.deepEqual(
        new Set([first?.details.fingerprint, second?.details.fingerprint]),
        new Set([key.certificate.fingerprint256, nextKey.certificate.fingerprint256]),
      )
      assert.equal((await announce()).length, 2)
      const mails = await mailsOf(app, '&kind=certificate_expiring')
      assert.deepEqual(new Set(mails.map(({ address }) => address)), new Set(['root@example.com']))
      assert.equal(mails.length, 2, 'one for each certificate')
    })

    it('loses its identities with another provider, and keeps them for the next certificate if the caller confirms', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app)
      const jar: Jar = new Map()
      assert.equal((await signIn(app, connection, jar)).status, 303)
      const path = `/connections/${connection.connection_id}`
      const certificates = [key.pem, nextKey.pem]
      const updated = await app.call('PATCH', path, { body: { certificates, keep_identities: true } })
      assert.deepEqual([updated.status, updated.body.identity_count], [200, 1], updated.text)
      assert.equal((await me(app, jar)).status, 200)
      const [record] = (await app.call('GET', '/audit?limit=1')).body
      assert.equal(record.details.identities_kept, true)
      for (const change of [
        { certificates: [nextKey.pem] },
        { entity_id: 'https://other.example' },
        { sso_url: 'https://other.example/sso' },
      ]) {
        const jar: Jar = new Map()
        await signIn(app, connection, jar)
        const endResponse = await app.call('PATCH', path, { body: change })
        assert.deepEqual([endResponse.status, endResponse.body.identity_count], [200, 0], endResponse.text)
        assert.equal((await me(app, jar)).status, 401)
        const back = { certificates: [key.pem], entity_id: issuer, sso_url: ssoUrl }
        assert.equal((await app.call('PATCH', path, { body: back })).status, 200)
      }
    })
  })

  describe(`a sign-in with SAML on ${engine.name}`, () => {
    it('creates a user of a listed domain, then finds them by NameID alone', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app)
      const jar: Jar = new Map()
      const { url, xml, requestId } = await startSignIn(app, connection, jar)
      assert.ok(url.href.startsWith(`${ssoUrl}&SAMLRequest=`))
      assert.match(requestId, /^_[\w-]{43}$/)
      assert.ok(xml.includes(`AssertionConsumerServiceURL="${connection.acs_url}"`) && !xml.includes('ForceAuthn'))
      assert.equal(url.searchParams.get('Signature'), null)
      const back = await signIn(app, connection, jar, {}, '&return_to=%2Freports')
      assert.deepEqual([back.status, back.headers.location], [303, '/reports'], back.text)
      const person = (await me(app, jar)).body
      assert.deepEqual(
        [person.username, person.first_name, person.last_name, person.role],
        ['ada@example.com', 'Ada', 'Lovelace', 'user'],
      )
      const again: Jar = new Map()
      const elsewhere = { attributes: { mail: 'elsewhere@other.example' } }
      assert.equal((await signIn(app, connection, again, elsewhere)).status, 303)
      assert.equal((await me(app, again)).body.user_id, person.user_id)
      const encrypted = { encryptTo: new X509Certificate(connection.sp_certificate) }
      assert.equal((await signIn(app, connection, new Map(), encrypted)).status, 303)
    })

    it('signs its requests if the connection says so', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app, { sign_requests: true })
      const { url } = await startSignIn(app, connection, new Map())
      const [query = '', signature = ''] = url.search.slice('?tenant=1&'.length).split('&Signature=')
      const verifier = createVerify('sha256').update(query)
      assert.equal(verifier.verify(connection.sp_certificate, decodeURIComponent(signature), 'base64'), true)
      assert.match(query, /^SAMLRequest=[^&]+&RelayState=[\w-]{43}&SigAlg=http[^&]+rsa-sha256$/)
    })

    it('links an address only if the administrator says that addresses are verified', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app, { emails_verified: false })
      const user = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      await app.runSql(`UPDATE users SET email_verified = 1 WHERE user_id = '${user.user_id}'`)
      const attributes = { ...ada, email_verified: 'true', emails_verified: 'true' }
      assert.equal((await signIn(app, connection, new Map(), { attributes })).status, 409)
      assert.equal((await failures(app, connection))[0]?.reason, 'email_unverified')
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { emails_verified: true } })
      const jar: Jar = new Map()
      assert.equal((await signIn(app, connection, jar, { attributes })).status, 303)
      assert.equal((await me(app, jar)).body.username, 'ada')
    })

    it('takes attributes under the names that the connection has, and no attribute for what the assertion says', async (t) => {
      const app = await start(t, engine, { env })
      const names = { subject_claim: 'employeeId', email_claim: 'office', first_name_claim: 'vorname' }
      const connection = await connect(app, { ...names, role_claim: 'groups', roles: { staff: 'admin' } })
      const attributes = {
        employeeId: '42',
        office: 'ada@example.com',
        mail: 'eve@example.com',
        vorname: 'Augusta',
        groups: ['x', 'staff'],
      }
      const jar: Jar = new Map()
      await signIn(app, connection, jar, { attributes: { ...attributes, name_id: 'admin', __proto__: 'x' } })
      const person = (await me(app, jar)).body
      assert.deepEqual([person.email, person.first_name, person.role], ['ada@example.com', 'Augusta', 'admin'])
      const [identity] = (await app.call('GET', `/users/${person.user_id}/identities`)).body
      assert.equal(identity.subject, '42')
      const claims = { ...attributes, name_id: 'x', authn_context: mfa, authn_instant: '2026-11-24T12:00:00.000Z' }
      const tried = await app.call('POST', `/connections/${connection.connection_id}/test`, { body: { claims } })
      assert.deepEqual([tried.body.outcome, tried.body.user_id], ['signs_in', person.user_id])
      const parts = Object.fromEntries(
        tried.body.claims.map((one: { claim: string; value: string }) => [one.claim, one.value]),
      )
      assert.deepEqual([parts.employeeId, parts.office, parts.authn_context], ['"42"', '"ada@example.com"', `"${mfa}"`])
    })

    it('takes a transient or absent NameID with subject_claim, which is the subject alone', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app, { subject_claim: 'uid' })
      const attributes = { ...ada, uid: 'u-42' }
      const transient = (xml: string) => xml.replace('format:persistent', 'format:transient')
      const absent = (xml: string) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '')
      const jar: Jar = new Map()
      await signIn(app, connection, jar, { attributes, change: transient })
      const { user_id } = (await me(app, jar)).body
      const again: Jar = new Map()
      await signIn(app, connection, again, { attributes, change: absent })
      assert.equal((await me(app, again)).body.user_id, user_id)
      const [identity] = (await app.call('GET', `/users/${user_id}/identities`)).body
      assert.equal(identity.subject, 'u-42')
      // Without the attribute there is no subject, whatever the NameID is; and a NameID that is named still counts as one.
      assert.equal((await signIn(app, connection, new Map(), { attributes: ada })).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'subject_invalid')
      const named = await connect(app, { name: 'By NameID', subject_claim: 'name_id' })
      assert.equal((await signIn(app, named, new Map(), { attributes, change: transient })).status, 403)
      assert.equal((await failures(app, named))[0]?.reason, 'subject_transient')
    })

    it('offers a key to encrypt with, unless the provider could only use CBC', async (t) => {
      const app = await start(t, engine, { env })
      const offers = async ({ connection_id }: Connection) =>
        /use="encryption"/.test((await app.call('GET', `/connections/${connection_id}/metadata`, { key: null })).text)
      const generic = await connect(app)
      assert.equal(await offers(generic), true)
      assert.equal(await offers(await connect(app, { preset: 'adfs', name: 'AD FS' })), false)
      assert.equal(
        await offers(await connect(app, { preset: 'adfs', name: 'Newer', offer_encryption_key: true })),
        true,
      )
      const changed = await app.call('PATCH', `/connections/${generic.connection_id}`, {
        body: { offer_encryption_key: false },
      })
      assert.deepEqual([changed.status, changed.body.offer_encryption_key], [200, false], changed.text)
      assert.equal(await offers(generic), false)
    })

    it('counts an authentication context as a second factor only if the connection says so', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app)
      const jar: Jar = new Map()
      await signIn(app, connection, jar)
      const headers = { cookie: cookieOf(jar), 'sec-fetch-site': 'same-origin' }
      const added = await app.call('POST', '/me/factors/totp', { key: null, headers, body: { name: 'phone' } })
      const code = await codeOf(added.body.secret, Date.now() - 30_000)
      const confirm = `/me/factors/totp/${added.body.factor_id}/confirm`
      assert.equal((await app.call('POST', confirm, { key: null, headers, body: { code } })).status, 200)
      const isAccepted = async (more: Partial<Parts>) => (await signIn(app, connection, new Map(), more)).status === 200
      assert.equal(await isAccepted({ authnContext: mfa }), true)
      const body = { second_factor: 'provider', acr_values: [mfa] }
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body })
      assert.equal(await isAccepted({ authnContext: mfa }), false)
      assert.equal(await isAccepted({}), true)
      const entra = {
        'http://schemas.microsoft.com/claims/authnmethodsreferences': [
          'x',
          'http://schemas.microsoft.com/claims/multipleauthn',
        ],
      }
      assert.equal(await isAccepted({ attributes: { ...ada, ...entra } }), false)
    })

    it('asks again with ForceAuthn to confirm, and looks at the time of the authentication', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app)
      const jar: Jar = new Map()
      await signIn(app, connection, jar)
      const { xml } = await startSignIn(app, connection, jar, '&confirm')
      assert.match(xml, / ForceAuthn="true"/)
      const old = { authnInstant: new Date(Date.now() - 3_600_000).toISOString() }
      const refused = await signIn(app, connection, jar, old, '&confirm')
      assert.equal(refused.status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'not_recent')
      assert.equal((await signIn(app, connection, jar, {}, '&confirm')).status, 303)
    })

    it('is refused with words for the administrator, and one page for the user', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app)
      const evil: [reason: string, more: Partial<Parts>][] = [
        ['signature_missing', { sign: 'none' }],
        ['signature_invalid', { changeResponse: (xml) => xml.replace('subject-1', 'admin') }],
        ['decryption_failed', { encryptTo: nextKey.certificate }],
        [
          'encryption_refused',
          {
            encryptTo: new X509Certificate(connection.sp_certificate),
            encryption: { method: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' },
          },
        ],
        [
          'destination_wrong',
          { changeResponse: (xml) => xml.replace(/ Destination="[^"]*"/, ' Destination="https://evil.example"') },
        ],
        [
          'recipient_wrong',
          { change: (xml) => xml.replace(/ Recipient="[^"]*"/, ' Recipient="https://evil.example"') },
        ],
        ['audience_wrong', { audience: 'https://other.example' }],
        ['issuer_wrong', { issuer: 'https://other.example' }],
        ['in_response_to_wrong', { requestId: '_another' }],
        ['in_response_to_wrong', { requestId: undefined }],
        ['confirmation_missing', { change: (xml) => xml.replace('cm:bearer', 'cm:holder-of-key') }],
        [
          'expired',
          {
            change: (xml) =>
              xml.replace(/(<saml:Conditions[^>]*) NotOnOrAfter="[^"]*"/, '$1 NotOnOrAfter="2026-01-01T00:00:00Z"'),
          },
        ],
        ['message_forbidden', { changeResponse: (xml) => `<!DOCTYPE x>${xml}` }],
        ['subject_transient', { change: (xml) => xml.replace('format:persistent', 'format:transient') }],
        ['provider_refused', { changeResponse: (xml) => xml.replace('status:Success', 'status:AuthnFailed') }],
      ]
      const pages = new Set<string>()
      for (const [reason, more] of evil) {
        const refused = await signIn(app, connection, new Map(), more)
        assert.equal(refused.status, 403, reason)
        if (reason !== 'provider_refused') pages.add(refused.text.replaceAll(/number: [\w-]+/g, ''))
        const [failure] = await failures(app, connection)
        assert.equal(failure?.reason, reason)
        if (reason === 'audience_wrong') {
          assert.ok(failure.detail.includes('https://other.example'), failure.detail)
          assert.ok(failure.claims.some(({ claim, value }) => claim === 'mail' && value === '"ada@example.com"'))
        }
      }
      assert.equal(pages.size, 1)
      assert.equal((await app.call('GET', '/users?limit=1&count=true')).body.items?.length ?? 0, 0)
    })

    it('cannot be repeated, moved to another browser or connection, or begin at the provider', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app)
      const jar: Jar = new Map()
      const begun = await startSignIn(app, connection, jar)
      const SAMLResponse = encode(respond(partsFor(connection, begun), { key }))
      const fields = { SAMLResponse, RelayState: begun.relayState }
      const stranger: Jar = new Map()
      await startSignIn(app, connection, stranger)
      assert.equal((await post(app, connection, stranger, fields)).status, 400)
      const other = await connect(app, { name: 'Other' })
      assert.equal((await post(app, other, jar, fields)).status, 400)
      const both = await Promise.all([
        post(app, connection, new Map(jar), fields),
        post(app, connection, new Map(jar), fields),
      ])
      assert.deepEqual(both.map(({ status }) => status).sort(), [303, 400])
      assert.equal((await post(app, connection, jar, fields)).status, 400)
      // The same assertion as the answer to another request of the same browser: it answers the first.
      const second = await startSignIn(app, connection, jar)
      assert.equal((await post(app, connection, jar, { SAMLResponse, RelayState: second.relayState })).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'in_response_to_wrong')
      const unsolicited = encode(respond(partsFor(connection, { requestId: undefined as never }), { key }))
      assert.equal((await post(app, connection, new Map(), { SAMLResponse: unsolicited, RelayState: '' })).status, 400)
      assert.equal((await failures(app, connection))[0]?.reason, 'unsolicited')
    })

    it('is tried by an administrator before it goes live, and the assertion counts once', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app, { active: false, allow_unsolicited: true })
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const begun = await startSignIn(app, connection, admin, '&test')
      const xml = respond(partsFor(connection, begun), { key })
      const page = await post(app, connection, admin, { SAMLResponse: encode(xml), RelayState: begun.relayState })
      assert.equal(page.status, 200, page.text)
      assert.match(page.text, /The test is complete[\s\S]*A user would be created[\s\S]*ada@example\.com/)
      assert.equal((await app.call('GET', '/users')).body.length, 1)
      assert.equal((await me(app, admin)).body.username, 'root')
      const forged = await startSignIn(app, connection, admin, '&test')
      const another = respond({ ...partsFor(connection, forged), audience: 'https://other' }, { key })
      const refused = await post(app, connection, admin, {
        SAMLResponse: encode(another),
        RelayState: forged.relayState,
      })
      assert.match(refused.text, /The sign-in would be refused/)
      assert.deepEqual(
        (await failures(app, connection)).map(({ reason }) => reason),
        ['test', 'test'],
      )
    })

    it('may begin at the provider where the connection allows it, once for each assertion', async (t) => {
      const app = await start(t, engine, { env })
      const connection = await connect(app, { allow_unsolicited: true })
      const xml = respond(partsFor(connection, { requestId: undefined as never }), { key })
      // RelayState is a URL at some providers. The browser is not sent there.
      const fields = { SAMLResponse: encode(xml), RelayState: 'https://evil.example/' }
      const jar: Jar = new Map()
      const back = await post(app, connection, jar, fields)
      assert.deepEqual([back.status, back.headers.location], [303, '../../login'], back.text)
      assert.equal((await me(app, jar)).status, 200)
      const again = await post(app, connection, new Map(), fields)
      assert.notEqual(again.status, 303)
      assert.equal((await failures(app, connection))[0]?.reason, 'used_before')
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`two nodes on ${engine.name}`, () => {
    it('share a sign-in with SAML, and an assertion counts once on both', async (t) => {
      const first = await start(t, engine, { env })
      const second = await start(t, engine, { env, beside: first })
      const connection = await connect(first, { allow_unsolicited: true })
      const jar: Jar = new Map()
      const begun = await startSignIn(first, connection, jar)
      const SAMLResponse = encode(respond(partsFor(connection, begun), { key }))
      assert.equal((await post(second, connection, jar, { SAMLResponse, RelayState: begun.relayState })).status, 303)
      assert.equal((await me(first, jar)).body.username, 'ada@example.com')
      const xml = encode(respond(partsFor(connection, { requestId: undefined as never }), { key }))
      const race = [first, second, first, second].map((node) =>
        post(node, connection, new Map(), { SAMLResponse: xml, RelayState: '' }),
      )
      const statuses = (await Promise.all(race)).map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 303).length, 1, statuses.join())
    })
  })
}

function metadataOf(pems: string[]): string {
  const keys = pems.map(
    (pem) =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${pem.replaceAll(/-----[A-Z ]+-----/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  )
  return `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}"><md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/post"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoUrl}"/></md:IDPSSODescriptor></md:EntityDescriptor>`
}

function pemOf({ privateKey }: { privateKey: typeof key.privateKey }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

async function serve(t: TestContext, text: () => string): Promise<string> {
  const { origin } = await serveHttp(t, (_request, response) => response.end(text()))
  return `${origin}/metadata`
}
