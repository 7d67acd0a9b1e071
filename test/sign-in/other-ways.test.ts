/**
 * Every way to get a session without a password of ours × policy × factor state: a passkey alone, a company, a directory. And what
 * was given before the policy.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ada,
  type Connection,
  come,
  connect,
  startSignIn as depart,
  env as idpEnv,
  type Jar,
  storeCookies,
} from '../company.ts'
import { addPhone, personWithPasskey } from '../factors.ts'
import { type Answer, engines, type Started } from '../harness.ts'
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts'
import { cookiesOf, createPerson, openBrowser, signIn } from '../people.ts'
import { selfSigned } from '../proxies/certificate.ts'
import { person as entry, findSlapd, people, type Slapd, service, startSlapd } from '../slapd.ts'
import { type End, endOf, endWith, type Policy, policies, startWithProduct } from './ends.ts'

const noSlapd = (await findSlapd()) === undefined ? 'no slapd' : false
let slapd: Slapd | undefined
before(async () => {
  slapd = noSlapd === false ? await startSlapd() : undefined
})
after(() => slapd?.stop())

const here = { host: 'localhost' }
const env = (policy: Policy) => ({ ...idpEnv, ...policies[policy] })
const cookieOf = (jar: Jar) => [...jar].map((pair) => pair.join('=')).join('; ')

/** Where nothing vouches for a second factor. */
const unvouched: Record<(typeof all)[number], Record<'none' | 'totp', End>> = {
  optional: { none: 'in', totp: 'out' },
  required: { none: 'enroll', totp: 'out' },
}

/** What the company says of a sign-in, and whether that is a second factor where the connection may vouch for one. */
const words: Record<string, { said: Record<string, unknown>; counts: boolean }> = {
  'that there were several factors': { said: { amr: ['pwd', 'mfa'] }, counts: true },
  'a context that the connection names': { said: { acr: 'phr' }, counts: true },
  'that there was a password': { said: { amr: ['pwd'] }, counts: false },
  'a context that the connection does not name': { said: { acr: 'other' }, counts: false },
  'neither how nor when, like Google': { said: { auth_time: undefined }, counts: false },
}

async function bySso(app: Started, { idp, connection }: Company, said: Record<string, unknown>): Promise<Jar> {
  const jar: Jar = new Map()
  idp.lies = { claims: said }
  const url = await depart(app, connection, jar)
  idp.expect(url)
  storeCookies(jar, await come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer }))
  return jar
}

type Company = { idp: IdentityProvider; connection: Connection }

function browserOf(app: Started, cookie: string) {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const call = (method: string, path: string, { body }: { body?: unknown } = {}): Promise<Answer> =>
    app.call(method, path, { key: null, headers, ...(body !== undefined && { body }) })
  return { call, cookie, session_id: '' }
}

/** A policy that begins later is tested with the password. */
const all = ['optional', 'required'] as const

for (const engine of engines) {
  describe(`ways without a password of ours on ${engine.name}`, () => {
    it('a passkey is enough if it verified its owner, or after the password', async (t) => {
      for (const policy of all) {
        const app = await startWithProduct(t, engine, { env: env(policy) })
        // Beside the last administrator, who cannot be deleted.
        await createPerson(app, { role: 'admin' })
        const { username, user_id, device } = await personWithPasskey(app, { role: 'admin' })
        const alone = async (altered = {}) => {
          const begun = await app.call('POST', '/sessions/passkey-options', { key: null, headers: here })
          const passkey = device.get(begun.body.options, altered)
          const headers = { ...here, cookie: cookiesOf(begun) }
          return app.call('POST', '/sessions', { key: null, headers, body: { passkey } })
        }
        const afterPassword = async (altered = {}) => {
          const begun = await signIn(app, username, undefined, here)
          assert.deepEqual([begun.status, begun.body.methods], [401, ['passkey']], begun.text)
          assert.equal(await endOf(app, begun), 'out', `the password alone, ${policy}`)
          const { challenge_id, options } = begun.body
          const headers = { ...here, cookie: cookiesOf(begun) }
          const body = { challenge_id, passkey: device.get(options, altered) }
          return app.call('POST', '/sessions', { key: null, headers, body })
        }
        const unverified = { flags: 1 }
        assert.equal(await endOf(app, await alone()), 'in', policy)
        assert.equal(await endOf(app, await alone(unverified)), 'out', policy)
        assert.equal(await endOf(app, await afterPassword()), 'in', policy)
        assert.equal(await endOf(app, await afterPassword(unverified)), 'in', policy)
        assert.equal((await app.call('DELETE', `/users/${user_id}`)).status, 200)
        assert.equal(await endOf(app, await alone()), 'out', `deleted, ${policy}`)
        assert.equal((await app.call('POST', `/users/${user_id}/restore`)).status, 200)
        assert.equal(await endOf(app, await alone()), 'in', `restored, ${policy}`)
      }
    })

    it('a company counts as a second factor if it says so, and if its connection may vouch for one', async (t) => {
      const idp = await startIdentityProvider(t)
      for (const policy of all) {
        const app = await startWithProduct(t, engine, { env: env(policy) })
        const trusting = { trusted_domains: ['example.com'], provisioning_domains: ['example.com'] }
        const connection = await connect(app, idp, { ...trusting, second_factor: 'provider', acr_values: ['phr'] })
        const company = { idp, connection }
        const path = `/connections/${connection.connection_id}`
        for (const state of ['none', 'totp'] as const) {
          const claims = { ...ada, sub: state, email: `${state}@example.com` }
          const strong = cookieOf(await bySso(app, company, { ...claims, amr: ['mfa'] }))
          if (state === 'totp') await addPhone(browserOf(app, strong), Date.now())
          for (const [what, { said, counts }] of Object.entries(words)) {
            const found = await endWith(app, cookieOf(await bySso(app, company, { ...claims, ...said })))
            const expected = counts ? 'in' : unvouched[policy][state]
            assert.equal(found, expected, `${what}, ${policy}, ${state}`)
          }
          await app.call('PATCH', path, { body: { second_factor: 'own' } })
          const stateResponse = await app.call('GET', path)
          assert.notEqual(stateResponse.body.second_factor, 'provider', stateResponse.text)
          const found = await endWith(app, cookieOf(await bySso(app, company, { ...claims, amr: ['mfa'], acr: 'phr' })))
          assert.equal(found, unvouched[policy][state], `may not vouch, ${policy}, ${state}`)
          await app.call('PATCH', path, { body: { second_factor: 'provider' } })
        }
      }
    })

    it('the password of a directory is one factor, like ours', { skip: noSlapd }, async (t) => {
      for (const policy of all) {
        const app = await startWithProduct(t, engine, { env: env(policy) })
        const created = await app.call('POST', '/connections', {
          body: {
            kind: 'ldap',
            name: 'Directory',
            servers: [slapd?.secureUrl],
            ca_certificate: selfSigned.cert,
            bind_dn: service.dn,
            bind_password: service.password,
            user_base: people,
            emails_verified: true,
            provisioning_domains: ['example.com'],
          },
        })
        assert.equal(created.status, 201, created.text)
        const enter = (username: string) => {
          const body = { connection_id: created.body.connection_id, username, password: entry(username).password }
          return app.call('POST', '/sessions', { key: null, body })
        }
        const first = await enter('ada')
        assert.equal(await endWith(app, cookiesOf(first)), unvouched[policy].none, policy)
        await addPhone(browserOf(app, cookiesOf(first)), Date.now())
        const next = await enter('ada')
        assert.deepEqual([next.status, next.body.code], [401, 'second_factor_required'], next.text)
        assert.equal(await endWith(app, cookiesOf(next)), unvouched[policy].totp, policy)
      }
    })

    it('an access token from before the policy is worth no more than its session', async (t) => {
      const policy = { ROLLBOOK_SECOND_FACTOR: '{"group:Staff":"required"}' }
      const app = await startWithProduct(t, engine, { env: policy })
      const person = await createPerson(app, { role: 'admin' })
      const { call } = await openBrowser(app, person.username)
      const { access_token } = (await call('POST', '/token')).body
      const headers = { authorization: `Bearer ${access_token}` }
      const codes = () =>
        Promise.all(
          ['/users', '/me', '/verify/nginx'].map(async (path) => {
            const { status, body, headers: got } = await app.call('GET', path, { key: null, headers })
            return status < 300 ? 'in' : (got['rollbook-code'] ?? body.code)
          }),
        )
      assert.deepEqual([...new Set(await codes())], ['in'])
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Staff' } })).body
      await app.call('PUT', `/groups/${group_id}/members/${person.user_id}`)
      assert.deepEqual([...new Set(await codes())], ['credential_invalid'])
      const again = await call('POST', '/token')
      assert.equal(again.body.code, 'factor_required', again.text)
    })
  })
}
