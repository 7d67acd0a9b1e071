import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { come, env, failures, type Jar, me, signedIn, signIn, startSignIn } from '../../../../test/company.ts'
import { engines, start } from '../../../../test/harness.ts'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'

for (const engine of engines) {
  describe(`a sign-in with GitHub on ${engine.name}`, () => {
    it('goes by the id, and by the primary address if GitHub has verified it', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env })
      let user: unknown = { id: 7, login: 'ada', name: 'Ada Lovelace', email: 'boss@example.com' }
      let emails: unknown = [
        { email: 'other@example.com', primary: false, verified: true },
        { email: 'ada@example.com', primary: true, verified: true },
      ]
      let token: unknown = { access_token: 'gho_1', token_type: 'bearer' }
      const sent: string[] = []
      const json = (body: () => unknown): NonNullable<typeof idp.lies.handlers>[string] => {
        return (request, response) => {
          request.setEncoding('utf8').on('data', (text: string) => sent.push(text))
          request.once('end', () => response.end(JSON.stringify(body())))
          request.resume()
        }
      }
      idp.lies = {
        handlers: {
          '/login/oauth/access_token': json(() => token),
          '/api/v3/user': json(() => user),
          '/api/v3/user/emails': json(() => emails),
        },
      }
      const created = await app.call('POST', '/connections', {
        body: {
          ...{
            kind: 'github',
            name: 'GitHub',
            github_url: `${idp.issuer}/`,
            client_id: 'Iv1',
            client_secret: 'shared',
          },
          provisioning_domains: ['example.com'],
        },
      })
      assert.equal(created.status, 201, created.text)
      const connection = created.body
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar)
      assert.equal(url.pathname, '/login/oauth/authorize')
      assert.deepEqual(
        [url.searchParams.get('code_challenge_method'), url.searchParams.get('redirect_uri')],
        ['S256', connection.redirect_uri],
      )
      const done = await come(app, connection, jar, { state: url.searchParams.get('state') })
      assert.equal(done.status, 303, done.text)
      const verifier = new URLSearchParams(sent[0]).get('code_verifier') ?? ''
      const hash = await crypto.subtle.digest('SHA-256', Buffer.from(verifier))
      assert.equal(Buffer.from(hash).toString('base64url'), url.searchParams.get('code_challenge'))
      const person = (await me(app, jar)).body
      assert.deepEqual([person.email, person.first_name, person.last_name], ['ada@example.com', 'Ada', 'Lovelace'])

      // The login changes hands, the id does not.
      user = { id: 8, login: 'ada', name: null }
      emails = [{ email: 'ada2@example.com', primary: true, verified: false }]
      assert.equal((await signIn(app, idp, connection)).status, 409)
      assert.equal((await failures(app, connection))[0]?.reason, 'email_unverified')
      emails = [{ email: 'ada2@example.com', primary: true, verified: 'true' }]
      assert.equal((await signIn(app, idp, connection)).status, 409)
      user = { id: '7', login: 'ada' }
      assert.equal((await signIn(app, idp, connection)).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'subject_invalid')
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const test = await startSignIn(app, connection, admin, '&test')
      user = { id: 7, login: 'ada' }
      const tested = await come(app, connection, admin, { state: test.searchParams.get('state') })
      assert.match(tested.text, /The test is complete[\s\S]*ada@example\.com signs in/)
      user = { id: 7, login: 'countess' }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      token = { error: 'bad_verification_code' }
      assert.equal((await signIn(app, idp, connection)).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'code_refused')
      assert.doesNotMatch(JSON.stringify(await failures(app, connection)), /gho_1|shared/)

      const right: Record<string, unknown> = {
        token: { access_token: 'gho_1' },
        user: { id: 9, login: 'new' },
        emails: [],
      }
      for (const value of [
        null,
        [],
        [null],
        '',
        5,
        true,
        {},
        'javascript:alert(1)',
        { id: null },
        { id: 1e300 },
        { id: {} },
      ]) {
        for (const member of ['token', 'user', 'emails'] as const) {
          const profile: Record<string, unknown> = { ...right, [member]: value }
          token = profile.token
          user = profile.user
          emails = profile.emails
          const { status } = await signIn(app, idp, connection)
          assert.equal(status, 403, `${member}: ${JSON.stringify(value)}`)
        }
      }
      for (const status of [500, 502, 429]) {
        const down = (_: unknown, response: ServerResponse) => void response.writeHead(status).end('<html>')
        idp.lies = { handlers: { '/login/oauth/access_token': down } }
        assert.equal((await signIn(app, idp, connection)).status, 503)
        assert.equal((await failures(app, connection))[0]?.reason, 'provider_unreachable')
      }
    })
  })
}
