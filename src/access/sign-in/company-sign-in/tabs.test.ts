/** Several sign-ins of one browser, pages that are loaded again, and visitors who never come back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ada,
  browser,
  type Connection,
  come,
  company,
  companyDomains,
  connect,
  get,
  type Jar,
  me,
  signedIn,
  startSignIn,
  storeCookies,
} from '../../../../test/company.ts'
import { engines, onlyPostgres } from '../../../../test/harness.ts'

type Tab = { to: Connection; url: URL }

const place = '&return_to=/reports'

for (const engine of engines) {
  describe(`a browser with several sign-ins on ${engine.name}`, () => {
    it('finishes each of them, whatever the others did meanwhile', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const second = await connect(app, idp, { name: 'Second', ...companyDomains })
      const jar: Jar = new Map()
      const tabs: Tab[] = []
      for (const to of [connection, connection, second]) {
        tabs.push({ to, url: await startSignIn(app, to, jar, `&return_to=/tab-${tabs.length}`) })
      }
      const finish = ({ to, url }: Tab) => {
        idp.expect(url)
        return come(app, to, jar, { state: url.searchParams.get('state'), iss: idp.issuer })
      }
      const places: [number, string | undefined][] = []
      for (const tab of tabs.slice(0, 2).toReversed()) {
        const { status, headers } = await finish(tab)
        places.push([status, headers.location])
      }
      assert.deepEqual(places, [
        [303, '/tab-1'],
        [303, '/tab-0'],
      ])
      assert.equal((await me(app, jar)).body.email, ada.email)
      const [{ count }] = (await app.runSql('SELECT count(*) AS count FROM sessions')) as [{ count: number }]
      assert.equal(Number(count), 1, 'the later one replaces the session of the browser')
      // Signing out in one tab does not end what another one began.
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      storeCookies(jar, await app.call('POST', '/logout', { key: null, headers: { ...browser, cookie } }))
      assert.equal((await me(app, jar)).status, 401)
      assert.equal((await finish(tabs[2] as Tab)).headers.location, '/tab-2')
    })

    it('goes on when the end of a sign-in is loaded again, and signs no one in by it', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar, place)
      idp.expect(url)
      const back = { state: url.searchParams.get('state'), iss: idp.issuer }
      const withoutSession: Jar = new Map(jar)
      assert.equal((await come(app, connection, jar, back)).headers.location, '/reports')
      const exchanges = idp.exchanges.length
      const again = await come(app, connection, jar, back)
      assert.deepEqual([again.status, again.headers.location], [303, '/reports'])
      // The session's cookie was lost with the first response.
      const lost = await come(app, connection, withoutSession, back)
      assert.equal(lost.status, 400)
      assert.match(lost.text, /finished already/)
      assert.ok(
        lost.text.includes(`connection=${connection.connection_id}&amp;return_to=%2Freports`),
        'it starts again',
      )
      assert.equal((await come(app, connection, new Map(), back)).status, 400, 'another browser')
      assert.equal(idp.exchanges.length, exchanges)

      // Confirming and linking are loaded again as well.
      const before = await signedIn(app, 'lovelace')
      idp.lies = { claims: { sub: 'subject-2' } }
      const cookie = [...before].map(([name, value]) => `${name}=${value}`).join('; ')
      const body = { connection_id: connection.connection_id, return_to: '/linked' }
      const started = await app.call('POST', '/me/identities', { key: null, headers: { ...browser, cookie }, body })
      storeCookies(before, started)
      const linkUrl = new URL(started.body.authorization_url)
      idp.expect(linkUrl)
      const linkBack = { state: linkUrl.searchParams.get('state'), iss: idp.issuer }
      for (const when of ['first', 'again']) {
        assert.equal((await come(app, connection, before, linkBack)).headers.location, '/linked', when)
      }
    })

    it('does not say that it is finished when it was refused', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar = await signedIn(app, 'other', { email: 'other@example.com' })
      const url = await startSignIn(app, connection, jar, `&confirm${place}`)
      idp.expect(url)
      const back = { state: url.searchParams.get('state'), iss: idp.issuer }
      assert.equal((await come(app, connection, jar, back)).status, 403)
      assert.equal((await come(app, connection, jar, back)).status, 400)
    })

    it('uses nothing up and starts nothing by HEAD', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar)
      idp.expect(url)
      const path = `/connections/${connection.connection_id}/callback`
      const query = new URLSearchParams({ code: 'a-code', state: url.searchParams.get('state') ?? '', iss: idp.issuer })
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const changes = app.storage.change
      const created: string[] = []
      app.storage.change = ((name: string, ...rest: [never, never]) => {
        created.push(name)
        return changes.call(app.storage, name as never, ...rest)
      }) as typeof changes
      for (const address of [`${path}?${query}`, `/login?connection=${connection.connection_id}`]) {
        const head = await app.call('HEAD', address, { key: null, headers: { ...browser, cookie } })
        assert.equal(head.status, 405, address)
        assert.equal(head.headers['set-cookie'], undefined)
      }
      assert.deepEqual([created, idp.exchanges.length], [[], 0])
      assert.equal((await get(app, `${path}?${query}`, jar)).status, 303)
    })
  })

  describe(`visitors who never come back on ${engine.name}`, () => {
    it('leave a limited number of rows for each network: the newest', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const years = (n: number) => `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.${String(n).padStart(3, '0')}Z`
      const rows = Array.from({ length: 510 }, (_, n) => n)
      const pending = rows.map(
        (n) => `('old-${n}', 'c', 'b', 'sign_in', '${years(n)}', '2999-01-01T00:00:00.000Z', '127.0.0.1')`,
      )
      const requested = rows.map(
        (n) =>
          `('0000-${String(n).padStart(3, '0')}', 'sign_in', 'b', '', 0, 0, '', '2999-01-01T00:00:00.000Z', '127.0.0.1')`,
      )
      const columns = 'state_hash, connection_id, browser_hash, purpose, started_at, expires_at, network'
      await app.runSql(`INSERT INTO pending_sign_ins (${columns}) VALUES ${pending}`)
      await app.runSql(
        `INSERT INTO challenges (challenge_id, purpose, browser_hash, amr, credentials_version, attempts, created_at, expires_at, network) VALUES ${requested}`,
      )
      await app.runSql("UPDATE pending_sign_ins SET network = '192.0.2.1' WHERE state_hash = 'old-0'")
      const count = async (table: string) => {
        const [row] = (await app.runSql(`SELECT count(*) AS count FROM ${table} WHERE network = '127.0.0.1'`)) as [
          { count: number },
        ]
        return Number(row.count)
      }
      const jar: Jar = new Map()
      const url = await startSignIn(app, connection, jar)
      const passkey = await app.call('POST', '/sessions/passkey-options', { key: null, headers: browser })
      assert.equal(passkey.status, 200, passkey.text)
      assert.deepEqual([await count('pending_sign_ins'), await count('challenges')], [500, 500])
      assert.deepEqual(
        await app.runSql(
          "SELECT state_hash FROM pending_sign_ins WHERE state_hash IN ('old-0', 'old-1', 'old-509') ORDER BY started_at",
        ),
        [{ state_hash: 'old-0' }, { state_hash: 'old-509' }],
      )
      idp.expect(url)
      const back = { state: url.searchParams.get('state'), iss: idp.issuer }
      assert.equal((await come(app, connection, jar, back)).status, 303)
      assert.equal(await count('pending_sign_ins'), 499, 'a finished sign-in does not count')
    })
  })
}

for (const engine of onlyPostgres) {
  describe('first sign-ins at once on PostgreSQL', () => {
    it('create one user, sign in in every tab, and leave no failure', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const jars: Jar[] = Array.from({ length: 6 }, () => new Map())
      const urls: URL[] = []
      for (const jar of jars) urls.push(await startSignIn(app, connection, jar))
      // The code of each says for which of them it is.
      idp.lies.token = (claims, provider) => {
        const code = Number(provider.exchanges.at(-1)?.get('code'))
        return provider.sign({ ...claims, nonce: urls[code]?.searchParams.get('nonce') })
      }
      const answers = await Promise.all(
        jars.map((jar, n) =>
          come(app, connection, jar, {
            code: String(n),
            state: urls[n]?.searchParams.get('state') ?? '',
            iss: idp.issuer,
          }),
        ),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        [303, 303, 303, 303, 303, 303],
      )
      const people = await Promise.all(jars.map(async (jar) => (await me(app, jar)).body.user_id))
      assert.equal(new Set(people).size, 1)
      assert.deepEqual((await app.call('GET', `/connections/${connection.connection_id}/failures`)).body, [])
      // Another way creates the user at the same moment.
      for (let n = 0; n < 5; n++) {
        const email = `user${n}@example.com`
        idp.lies = { claims: { ...ada, sub: email, email } }
        const jar: Jar = new Map()
        const url = await startSignIn(app, connection, jar)
        idp.expect(url)
        const [back] = await Promise.all([
          come(app, connection, jar, { state: url.searchParams.get('state'), iss: idp.issuer }),
          app.call('POST', '/users', { body: { username: email, email } }),
        ])
        assert.equal(back.status, 303, back.text)
      }
    })
  })
}
