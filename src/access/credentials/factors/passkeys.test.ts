import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Authenticator, map, type Said } from '../../../../test/authenticator.ts'
import { addPhone, beginSignIn, codeOf } from '../../../../test/factors.ts'
import { type Answer, type Engine, engines, everyEngine, type Started, start } from '../../../../test/harness.ts'
import { type Browser, cookiesOf, createPerson, isSignedIn, openBrowser, type Person } from '../../../../test/people.ts'
import { refuseOrphans, relyingPartyOf } from './relying-party.ts'

const origin = 'https://id.orchard.example'
const env = { ROLLBOOK_PUBLIC_URL: `${origin}/auth`, ROLLBOOK_RATE_LIMIT: '0' }
const startApp = (t: TestContext, engine: Engine, more: Record<string, string> = {}) =>
  start(t, engine, { env: { ...env, ...more } })

type Owner = Person & { browser: Browser; device: Authenticator; factor_id: string }

async function optionsOf(browser: Browser): Promise<Answer['body']> {
  const response = await browser.call('POST', '/me/factors/passkeys/options')
  assert.equal(response.status, 200, response.text)
  return response.body
}

async function addPasskey(browser: Browser, device: Authenticator, name = 'laptop'): Promise<string> {
  const { challenge_id, options } = await optionsOf(browser)
  const body = { challenge_id, passkey: device.create(options), name }
  const response = await browser.call('POST', '/me/factors/passkeys', { body })
  assert.equal(response.status, 201, response.text)
  return response.body.factor_id
}

async function owner(app: Started, device = new Authenticator({ origin })): Promise<Owner> {
  const person = await createPerson(app)
  const browser = await openBrowser(app, person.username)
  return { ...person, browser, device, factor_id: await addPasskey(browser, device) }
}

/** A sign-in without a name: the options, and the cookie of the browser that asked. */
async function startCeremony(app: Started) {
  const response = await app.call('POST', '/sessions/passkey-options', { key: null })
  assert.equal(response.status, 200, response.text)
  return { ...response.body, cookie: cookiesOf(response) }
}

function send(app: Started, body: object, cookie: string): Promise<Answer> {
  return app.call('POST', '/sessions', { key: null, body, headers: { cookie } })
}

async function alone(app: Started, device: Authenticator, altered: Partial<Said> = {}): Promise<Answer> {
  const { options, cookie } = await startCeremony(app)
  return send(app, { passkey: device.get(options, altered) }, cookie)
}

async function afterPassword(app: Started, { username, device }: Owner, altered: Partial<Said> = {}): Promise<Answer> {
  const { challenge_id, cookie, ...rest } = await beginSignIn(app, username)
  const { options } = rest as unknown as Answer['body']
  return send(app, { challenge_id, passkey: device.get(options, altered) }, cookie)
}

/** Another session of the same user. */
async function openBrowserWith(app: Started, { device }: Owner): Promise<Pick<Browser, 'call'>> {
  const headers = { cookie: cookiesOf(await alone(app, device)), 'sec-fetch-site': 'same-origin' }
  return { call: (method, path, request = {}) => app.call(method, path, { ...request, key: null, headers }) }
}

const outcome = ({ status, body }: Answer) => [status, body.code]

/** What is wrong with a response whose signature is right. */
const alterations: Record<string, Partial<Said>> = {
  type: { type: 'webauthn.create' },
  challenge: { challenge: Buffer.alloc(48, 7).toString('base64url') },
  origin: { origin: 'https://id.orchard.example.evil.example' },
  'scheme of the origin': { origin: 'http://id.orchard.example' },
  'port of the origin': { origin: `${origin}:8443` },
  rpIdHash: { rpId: 'orchard.example' },
  'flag UP': { flags: 4 },
  crossOrigin: { crossOrigin: true },
  'crossOrigin as a text': { crossOrigin: 'true' },
  'crossOrigin with topOrigin': { crossOrigin: true, topOrigin: 'https://evil.example' },
  'topOrigin alone': { topOrigin: 'https://evil.example' },
  'flag BE': { flags: 1 | 4 | 8 },
  'flag BS without BE': { flags: 1 | 4 | 16 },
  'bytes after the authenticator data': { extra: 3 },
  'tokenBinding of an unknown kind': { tokenBinding: { status: 'broken' } },
  'tokenBinding as a text': { tokenBinding: 'present' },
  'origin of a parent domain': { origin: 'https://orchard.example' },
  'origin of a related domain that is not listed': { origin: 'https://pear.example' },
  'origin with a path': { origin: `${origin}/` },
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const point = (x: unknown, y: unknown, ...more: unknown[]) => map(1, 2, 3, -7, -1, 1, -2, x, -3, y, ...more)
const edwards = (x: unknown) => map(1, 1, 3, -8, -1, 6, -2, x)
const modulus = (n: Buffer, e: Buffer) => map(1, 3, 3, -257, -1, n, -2, e)
/** The generator of P-256 (SEC 2 §2.4.2) and an odd number of 2048 bits. */
const gx = bytes('6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296')
const gy = bytes('4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5')
const n = Buffer.alloc(256, 255)
const e = bytes('010001')

/** Public keys (RFC 9053 §7) with which no signature can be verified, or with which anyone's can. */
const unusableKeys: Record<string, Buffer> = {
  'a point that is not on the curve': point(gx, gx),
  'the point at infinity': point(Buffer.alloc(32), Buffer.alloc(32)),
  'an x above the field': point(Buffer.alloc(32, 255), gy),
  'a short x': point(gx.subarray(1), gy),
  'a long y': point(gx, Buffer.concat([Buffer.alloc(1), gy])),
  'a compressed point': point(gx, true),
  'no y': map(1, 2, 3, -7, -1, 1, -2, gx),
  'an x that is a text': point(gx.toString('hex'), gy),
  'an EC key without a curve': map(1, 2, 3, -7, -2, gx, -3, gy),
  'an EC key of P-384 for ES256': map(1, 2, 3, -7, -1, 2, -2, gx, -3, gy),
  'an EC key of secp256k1 for ES256': map(1, 2, 3, -7, -1, 8, -2, gx, -3, gy),
  'an EC key for RS256': map(1, 2, 3, -257, -1, 1, -2, gx, -3, gy),
  'an EC key for EdDSA': map(1, 2, 3, -8, -1, 1, -2, gx, -3, gy),
  'an OKP key for ES256': map(1, 1, 3, -7, -1, 6, -2, gx),
  'an RSA key for ES256': map(1, 3, 3, -7, -1, n, -2, e),
  'an RSA key for EdDSA': map(1, 3, 3, -8, -1, n, -2, e),
  'a key of an unknown type': map(1, 4, 3, -7, -1, 1, -2, gx, -3, gy),
  'a key without a type': map(3, -7, -1, 1, -2, gx, -3, gy),
  'X25519 for EdDSA': map(1, 1, 3, -8, -1, 4, -2, gx),
  'no point of Ed25519': edwards(bytes(`02${'00'.repeat(31)}`)),
  'a y above the field of Ed25519': edwards(Buffer.alloc(32, 255)),
  'a short key of Ed25519': edwards(gx.subarray(1)),
  'the neutral element of Ed25519': edwards(bytes(`01${'00'.repeat(31)}`)),
  'a point of order 2': edwards(bytes(`ec${'ff'.repeat(30)}7f`)),
  'a point of order 4': edwards(Buffer.alloc(32)),
  'a point of order 8': edwards(bytes('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')),
  'another point of order 8': edwards(bytes('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa')),
  'a modulus of 1024 bits': modulus(n.subarray(128), e),
  'an even modulus': modulus(Buffer.concat([n.subarray(1), Buffer.of(254)]), e),
  'no modulus': modulus(Buffer.alloc(0), e),
  'the exponent 1': modulus(n, Buffer.of(1)),
  'an even exponent': modulus(n, Buffer.of(4)),
  'no exponent': modulus(n, Buffer.alloc(0)),
  'a modulus of 8200 bits': modulus(Buffer.alloc(1025, 255), e),
}

for (const engine of everyEngine) {
  describe(`a passkey that several users add at once on ${engine.name}`, () => {
    it('belongs to one of them', async (t) => {
      const app = await startApp(t, engine)
      const users = await Promise.all([1, 2, 3, 4, 5].map(() => createPerson(app)))
      const device = new Authenticator({ origin })
      const requests = []
      for (const { username } of users) {
        const browser = await openBrowser(app, username)
        const { challenge_id, options } = await optionsOf(browser)
        requests.push({ browser, body: { challenge_id, passkey: device.create(options) } })
      }
      const answers = await Promise.all(
        requests.map(({ browser, body }) => browser.call('POST', '/me/factors/passkeys', { body })),
      )
      const found = answers.map(({ status, body }) => [status, body.errors?.[0].code]).sort()
      assert.deepEqual(found, [[201, undefined], ...Array(4).fill([422, 'already_added'])])
      assert.equal((await app.runSql('SELECT factor_id FROM factors')).length, 1)
    })
  })
}

for (const engine of engines) {
  describe(`passkeys on ${engine.name}`, () => {
    it('are added, listed with what browsers need, renamed and removed', async (t) => {
      const app = await startApp(t, engine)
      const device = new Authenticator({ origin, isSynced: true, aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' })
      const { username, user_id } = await createPerson(app)
      const browser = await openBrowser(app, username)
      const { challenge_id, options } = await optionsOf(browser)
      assert.deepEqual([options.rp, options.user.name], [{ id: 'id.orchard.example', name: 'Rollbook' }, username])
      assert.deepEqual(options.authenticatorSelection, {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'preferred',
      })
      const body = { challenge_id, passkey: device.create(options) }
      const dry = await browser.call('POST', '/me/factors/passkeys?dry_run=true', { body })
      assert.deepEqual([dry.status, dry.body.name], [200, 'Bitwarden'], dry.text)
      const added = await browser.call('POST', '/me/factors/passkeys', { body })
      assert.equal(added.status, 201, added.text)
      const { factor_id, passkey } = added.body
      const credential_id = device.id.toString('base64url')
      assert.deepEqual(passkey, {
        credential_id,
        rp_id: 'id.orchard.example',
        transports: ['internal', 'hybrid'],
        aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349',
        backup_eligible: true,
        backed_up: true,
      })
      const { amr } = (await browser.call('GET', '/sessions')).body[0]
      assert.deepEqual(amr, ['pwd', 'pop', 'user', 'mfa'])

      const renamed = await browser.call('PATCH', `/me/factors/${factor_id}`, { body: { name: 'Vault' } })
      assert.deepEqual([renamed.status, renamed.body.name], [200, 'Vault'])
      const listed = (await app.call('GET', `/users/${user_id}/factors`)).body
      assert.deepEqual(listed.passkey_accounts, [
        {
          rp_id: 'id.orchard.example',
          user_handle: options.user.id,
          name: username,
          display_name: username,
          credential_ids: [credential_id],
        },
      ])
      // Sent back with their transports, so that the same one is not added twice.
      const next = await optionsOf(browser)
      const known = { type: 'public-key', id: credential_id, transports: ['internal', 'hybrid'] }
      assert.deepEqual(next.options.excludeCredentials, [known])
      const twice = await browser.call('POST', '/me/factors/passkeys', {
        body: { passkey: device.create(next.options) },
      })
      assert.deepEqual([twice.status, twice.body.errors[0].code], [422, 'already_added'])

      assert.equal((await browser.call('DELETE', `/me/factors/${factor_id}`)).status, 200)
      const unknown = await alone(app, device)
      assert.deepEqual(outcome(unknown), [401, 'sign_in_failed'])
      assert.deepEqual(unknown.body.unknown_passkey, { rp_id: 'id.orchard.example', credential_id })
    })

    it('sign in alone, after the password, and confirm, with every algorithm that is offered', async (t) => {
      const app = await startApp(t, engine)
      for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
        const person = await owner(app, new Authenticator({ origin, algorithm }))
        const { device, browser, user_id } = person
        const first = await alone(app, device)
        assert.deepEqual([first.status, first.body.user_id, first.body.amr], [201, user_id, ['pop', 'user', 'mfa']])
        const second = await afterPassword(app, person)
        assert.deepEqual([second.status, second.body.amr], [201, ['pwd', 'pop', 'user', 'mfa']], second.text)
        const begun = await browser.call('POST', '/sessions/current/reauthentication/passkey-options')
        assert.equal(begun.status, 200, begun.text)
        const body = { passkey: device.get(begun.body.options) }
        const confirm = () => browser.call('POST', '/sessions/current/reauthentication', { body })
        assert.equal((await confirm()).status, 200)
        assert.deepEqual(outcome(await confirm()), [403, 'confirmation_failed'])
        const token = await app.call('POST', '/token', { key: null, headers: { cookie: cookiesOf(first), origin } })
        const [, payload = ''] = token.body.access_token.split('.')
        assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).acr, 'aal2')
      }
    })

    it('must verify their owner when they are alone, and need not after the password', async (t) => {
      const app = await startApp(t, engine)
      const person = await owner(app)
      assert.deepEqual(outcome(await alone(app, person.device, { flags: 1 })), [401, 'sign_in_failed'])
      const after = await afterPassword(app, person, { flags: 1 })
      assert.deepEqual([after.status, after.body.amr], [201, ['pwd', 'pop', 'user', 'mfa']], after.text)
    })

    it('are refused at enrollment with any field altered', async (t) => {
      const app = await startApp(t, engine)
      const { username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      for (const [name, altered] of Object.entries(alterations)) {
        if (name === 'flag BE') continue
        const { challenge_id, options } = await optionsOf(browser)
        const flags = altered.flags === undefined ? {} : { flags: altered.flags | 64 }
        const type = name === 'type' ? { type: 'webauthn.get' } : {}
        const passkey = new Authenticator({ origin }).create(options, { ...altered, ...flags, ...type })
        const { status, body } = await browser.call('POST', '/me/factors/passkeys', { body: { challenge_id, passkey } })
        assert.deepEqual([name, status, body.errors?.[0].code], [name, 422, 'bad_passkey'])
      }
      const { challenge_id, options } = await optionsOf(browser)
      const other = new Authenticator({ origin, algorithm: 'ES384' }).create(options)
      const foreign = { ...new Authenticator({ origin }).create(options), id: 'AAAA', rawId: 'AAAA' }
      for (const passkey of [other, foreign]) {
        const reply = await browser.call('POST', '/me/factors/passkeys', { body: { challenge_id, passkey } })
        assert.deepEqual([reply.status, reply.body.errors?.[0].code], [422, 'bad_passkey'])
      }
      assert.deepEqual((await browser.call('GET', '/me/factors')).body.factors, [])
    })

    it('are refused at enrollment with a key that could never sign in', async (t) => {
      const app = await startApp(t, engine)
      const { username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      const { challenge_id, options } = await optionsOf(browser)
      const device = new Authenticator({ origin })
      for (const [name, cose] of Object.entries(unusableKeys)) {
        device.cose = cose
        const body = { challenge_id, passkey: device.create(options) }
        const reply = await browser.call('POST', '/me/factors/passkeys', { body })
        assert.deepEqual([name, reply.status, reply.body.errors?.[0].code], [name, 422, 'bad_passkey'])
        assert.match(reply.body.errors[0].detail, /could never sign in|does not fit/)
      }
      assert.deepEqual((await browser.call('GET', '/me/factors')).body.factors, [])
    })

    it('are refused with any field altered, alone and after the password', async (t) => {
      const app = await startApp(t, engine)
      const person = await owner(app)
      for (const [name, altered] of Object.entries(alterations)) {
        assert.deepEqual([name, (await alone(app, person.device, altered)).status], [name, 401])
        assert.deepEqual([name, (await afterPassword(app, person, altered)).status], [name, 401])
        await app.runSql('DELETE FROM sign_in_throttles')
      }
      const { options, cookie } = await startCeremony(app)
      const right = person.device.get(options) as { id: string; response: Record<string, string> }
      const flip = (text: string) => `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`
      const { response } = right
      const wrong = [
        { ...right, response: { ...response, signature: flip(response.signature ?? '') } },
        { ...right, response: { ...response, authenticatorData: flip(response.authenticatorData ?? '') } },
        { ...right, response: { ...response, userHandle: Buffer.alloc(16).toString('base64url') } },
        { ...right, response: { ...response, userHandle: null } },
        { ...right, rawId: flip(right.id) },
        { ...right, id: flip(right.id), rawId: flip(right.id) },
      ]
      for (const passkey of wrong.slice(0, 4)) assert.equal((await send(app, { passkey }, cookie)).status, 401)
      const again = await startCeremony(app)
      for (const passkey of wrong.slice(4)) {
        assert.equal((await send(app, { challenge_id: again.challenge_id, passkey }, again.cookie)).status, 401)
      }
      await app.call('DELETE', `/users/${person.user_id}/lock`)
      assert.equal((await alone(app, person.device)).status, 201)
    })

    it('belong to one challenge, browser and user', async (t) => {
      const app = await startApp(t, engine)
      const [ada, eve] = [await owner(app), await owner(app)]
      // The handle of another user, and of a confirmation or a sign-in that was begun elsewhere.
      const mine = await startCeremony(app)
      const assertion = ada.device.get(mine.options) as { response: object }
      const swapped = { ...assertion, response: { ...assertion.response, userHandle: eve.device.userHandle } }
      assert.equal((await send(app, { passkey: swapped }, mine.cookie)).status, 401)
      const [one, other] = [await startCeremony(app), await startCeremony(app)]
      const passkey = ada.device.get(one.options)
      const mixed = await send(app, { challenge_id: other.challenge_id, passkey }, other.cookie)
      assert.equal(mixed.status, 401, mixed.text)
      const path = '/sessions/current/reauthentication'
      const confirming = (await ada.browser.call('POST', `${path}/passkey-options`)).body
      const body = { passkey: ada.device.get(confirming.options) }
      assert.equal((await eve.browser.call('POST', path, { body })).status, 403, 'in the session of another user')
      const again = await openBrowserWith(app, ada)
      assert.equal((await again.call('POST', path, { body })).status, 403, 'in another session')
      assert.equal((await send(app, body, one.cookie)).status, 401, 'as a sign-in')
      assert.equal((await ada.browser.call('POST', path, { body })).status, 200)
      const enrolling = (await optionsOf(ada.browser)).options
      const replayed = { passkey: ada.device.get({ ...enrolling, rpId: enrolling.rp.id }) }
      assert.equal((await ada.browser.call('POST', path, { body: replayed })).status, 403, 'for an enrollment')
    })

    it('have a counter that must move on', async (t) => {
      const app = await startApp(t, engine)
      const { device } = await owner(app)
      assert.equal((await alone(app, device, { counter: 7 })).status, 201)
      for (const counter of [7, 6, 0]) {
        assert.deepEqual([counter, (await alone(app, device, { counter })).status], [counter, 401])
      }
      assert.equal((await alone(app, device, { counter: 8 })).status, 201)
    })

    it('give one session for one challenge, in the browser that asked, within five attempts', async (t) => {
      const app = await startApp(t, engine)
      const person = await owner(app)
      const { options, cookie, challenge_id } = await startCeremony(app)
      const body = { challenge_id, passkey: person.device.get(options) }
      const elsewhere = await startCeremony(app)
      assert.deepEqual(outcome(await send(app, body, elsewhere.cookie)), [401, 'challenge_expired'])
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(app, body, cookie)))
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      assert.deepEqual(outcome(await send(app, body, cookie)), [401, 'challenge_expired'])

      const guessed = await startCeremony(app)
      const wrong = { passkey: person.device.get(guessed.options, { origin: 'https://evil.example' }) }
      const refused = await Promise.all(Array.from({ length: 20 }, () => send(app, wrong, guessed.cookie)))
      const evaluated = refused.filter(({ body: { code } }) => code === 'sign_in_failed').length
      assert.ok(evaluated >= 1 && evaluated <= 5, `${evaluated} attempts were evaluated`)
    })

    it('of another user do not finish a sign-in', async (t) => {
      const app = await startApp(t, engine)
      const [ada, eve] = [await owner(app), await owner(app)]
      const reply = await afterPassword(app, { ...ada, device: eve.device })
      assert.deepEqual(outcome(reply), [401, 'second_factor_failed'])
      const { challenge_id, options } = await optionsOf(eve.browser)
      const stolen = { challenge_id, passkey: new Authenticator({ origin }).create(options) }
      const added = await ada.browser.call('POST', '/me/factors/passkeys', { body: stolen })
      assert.deepEqual([added.status, added.body.errors?.[0].code], [422, 'challenge_expired'])
    })

    it('of disabled, deleted and reset users are refused', async (t) => {
      const app = await startApp(t, engine)
      const [disabled, deleted, lost] = [await owner(app), await owner(app), await owner(app)]
      await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
      await app.call('DELETE', `/users/${deleted.user_id}`)
      const reset = await app.call('DELETE', `/users/${lost.user_id}/factors`)
      assert.deepEqual([reset.status, reset.body.removed], [200, 1])
      for (const { device } of [disabled, deleted, lost]) {
        assert.deepEqual(outcome(await alone(app, device)), [401, 'sign_in_failed'])
      }
      assert.equal(await isSignedIn(lost.browser), false)
      // Restored with the factor: the password alone is not enough.
      assert.equal((await app.call('POST', `/users/${deleted.user_id}/restore`)).status, 200)
      assert.equal((await alone(app, deleted.device)).status, 201)
    })

    it('stand beside one-time codes, and a session without a factor may add the first one only', async (t) => {
      const app = await startApp(t, engine, { ROLLBOOK_SECOND_FACTOR: 'required' })
      const { username } = await createPerson(app)
      const [here, there] = [await openBrowser(app, username), await openBrowser(app, username)]
      const begun = await optionsOf(there)
      await addPasskey(here, new Authenticator({ origin }))
      const late = { passkey: new Authenticator({ origin }).create(begun.options) }
      assert.equal((await there.call('POST', '/me/factors/passkeys', { body: late })).status, 401)
      const phone = await addPhone(here, Date.now())
      const challenge = await beginSignIn(app, username)
      assert.deepEqual(challenge.methods, ['passkey', 'totp'])
      const code = codeOf(phone.secret, Date.now() + 30_000)
      const done = await send(app, { challenge_id: challenge.challenge_id, code }, challenge.cookie)
      assert.equal(done.status, 201, done.text)
    })

    it('keep their domain: a start with another one fails unless both are listed', async (t) => {
      const app = await startApp(t, engine)
      const person = await owner(app)
      const moved = { productName: 'Orchard', publicUrl: 'https://login.pear.example/auth' }
      await assert.rejects(
        refuseOrphans(app.storage.db, relyingPartyOf({ ...moved, passkeyRpId: undefined, passkeyOrigins: undefined })),
        {
          name: 'ConfigError',
          message:
            /passkeys for id\.orchard\.example.*ROLLBOOK_PASSKEY_RP_ID=login\.pear\.example,id\.orchard\.example/,
        },
      )
      const both = ['login.pear.example', 'id.orchard.example']
      await refuseOrphans(app.storage.db, relyingPartyOf({ ...moved, passkeyRpId: both, passkeyOrigins: undefined }))
      // Two processes cannot share a store of SQLite.
      if (engine.name === 'SQLite') return
      const other = { ...env, ROLLBOOK_PUBLIC_URL: moved.publicUrl }
      await assert.rejects(start(t, engine, { env: other, beside: app }), { name: 'ConfigError' })
      const listed = { ...other, ROLLBOOK_PASSKEY_RP_ID: both.join(',') }
      const next = await start(t, engine, { env: listed, beside: app })
      const reply = await afterPassword(next, person, { origin: 'https://login.pear.example' })
      assert.equal(reply.status, 201, reply.text)
    })

    it('are not possible where the public URL is an address', async (t) => {
      const app = await startApp(t, engine, { ROLLBOOK_PUBLIC_URL: 'https://192.0.2.7/auth' })
      const reply = await app.call('POST', '/sessions/passkey-options', { key: null })
      assert.deepEqual(outcome(reply), [409, 'passkeys_unavailable'])
    })
  })
}
