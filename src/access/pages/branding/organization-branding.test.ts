import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { personWithPhone } from '../../../../test/factors.ts'
import { type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { unknownId } from '../../../../test/http/access-table.ts'
import { openEveryRoute, type Route } from '../../../../test/http/every-route.ts'
import { startMailing } from '../../../../test/mails/mailing.ts'
import { createOrganization } from '../../../../test/organizations.ts'
import { createPerson, openBrowser, password } from '../../../../test/people.ts'
import { fieldIn, plainBrowser } from '../../../../test/plain-browser.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { eventually } from '../../../../test/webhooks/dispatching.ts'

const logo = (inside: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg viewBox="0 0 8 8">${inside}</svg>`).toString('base64')}`
const square = logo('<path d="M0 0h8v8z"/>')
const other = logo('<path d="M0 0h4v4z"/>')
const browser = { accept: 'text/html', 'accept-language': 'en', 'sec-fetch-site': 'same-origin' }

const page = async (app: Started, path: string, headers: Record<string, string> = {}) =>
  (await app.call('GET', path, { key: null, headers: { ...browser, ...headers } })).text

async function submit(app: Started, path: string, fields: Record<string, string>): Promise<string> {
  const headers = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
  return (await app.call('POST', path, { key: null, headers, body: new URLSearchParams(fields).toString() })).text
}

const env = { ROLLBOOK_PRODUCT_NAME: 'Orchard', ROLLBOOK_RATE_LIMIT: '0' }

const nameIn = (text: string) => /<title>[^<]* · ([^<]*)<\/title>/.exec(text)?.[1]

/** The product is Orchard; Acme has a name, a colour and the verified domain acme.example. */
async function startWithAcme(t: TestContext, engine: Engine) {
  const app = await start(t, engine, { env })
  return { app, ...(await addAcme(app)) }
}

async function addAcme(app: Started) {
  const acme = await createOrganization(app, { name: 'Acme' })
  await app.call('POST', `/organizations/${acme}/domains`, { body: { domain: 'acme.example', verified: true } })
  await app.call('PUT', '/branding', { body: { logo: square, privacy_url: 'https://orchard.example/p' } })
  const path = `/organizations/${acme}/branding`
  const { status, text } = await app.call('PUT', path, { body: { name: 'Acme Reports', accent_color: '#7a1f5c' } })
  assert.equal(status, 200, text)
  return { acme, path }
}

/** The text of every page, and of every problem in place of one, that these routes show; by method and route. */
async function pagesAt(app: Started, routes: readonly Route[], values: Record<string, string>, cookie = '') {
  const headers = { ...browser, cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const found: [string, string | undefined][] = []
  for (const { at, method, url, isPage } of routes) {
    // The documentation is ours.
    if (!isPage || !['GET', 'POST'].includes(method) || url.startsWith('/docs')) continue
    const path = url.replaceAll(/:(\w+)|\*/g, (_, name) => values[name] ?? unknownId)
    const body = method === 'POST' ? { body: '' } : {}
    const { text, headers: sent } = await app.call(method, path, { key: null, headers, ...body })
    if (String(sent['content-type']).startsWith('text/html')) found.push([at, nameIn(text)])
  }
  return found
}

for (const engine of engines) {
  describe(`the branding of an organization on ${engine.name}`, () => {
    it('is read, replaced and removed beside that of the product, with a version, clean images and a record', async (t) => {
      const { app, acme, path } = await startWithAcme(t, engine)
      const read = await app.call('GET', path)
      assert.deepEqual([read.body.name, read.body.logo], ['Acme Reports', null])
      assert.equal(
        (await app.call('GET', path, { headers: { 'if-none-match': String(read.headers.etag) } })).status,
        304,
      )
      assert.equal((await app.call('GET', '/branding')).body.name, null)
      const late = await app.call('PUT', path, { body: {}, headers: { 'if-match': '"99"' } })
      assert.equal(late.body.code, 'precondition_failed')
      assert.equal((await app.call('PUT', path, { body: { accent_color: '#ffff00' } })).status, 422)
      const evil = logo('<script>alert(1)</script><path d="M0 0h8v8z" onclick="x()"/>')
      const { body: dry } = await app.call('PUT', `${path}?dry_run=true`, { body: { logo: evil } })
      assert.doesNotMatch(Buffer.from(dry.logo.split(',')[1], 'base64').toString(), /script|onclick/)
      assert.equal((await app.call('GET', path)).body.name, 'Acme Reports')
      for (const id of ['019a9f3e-0000-7000-8000-000000000000', 'product']) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const { body } = await app.call(method, `/organizations/${id}/branding`, method === 'PUT' ? { body: {} } : {})
          assert.equal(body.code, 'organization_not_found', `${method} ${id}`)
        }
      }
      assert.equal((await app.call('DELETE', `${path}?dry_run=true`)).body.deleted, false)
      assert.equal(nameIn(await page(app, `/login?organization=${acme}`)), 'Acme Reports')
      assert.deepEqual((await app.call('DELETE', path)).body, { organization_id: acme, deleted: true })
      assert.equal(nameIn(await page(app, `/login?organization=${acme}`)), 'Orchard')
      assert.notEqual((await app.call('GET', path)).headers.etag, read.headers.etag)
      const { body: records } = await app.call('GET', `/audit?target=${acme}&action=branding.updated&sort=seq`)
      assert.deepEqual(
        records.map(({ target, changes }: { target: { kind: string }; changes: object }) => [
          target.kind,
          Object.keys(changes).sort(),
        ]),
        [
          ['organization', ['accent_color', 'name']],
          ['organization', ['accent_color', 'name']],
        ],
      )
      const { body: feed } = await app.call('GET', '/events?type=branding.updated')
      assert.deepEqual(
        feed.events.map(({ subject, data }: { subject: string; data: { organization_id?: string } }) => [
          subject,
          data.organization_id,
        ]),
        [
          ['product', undefined],
          [acme, acme],
          [acme, acme],
        ],
      )
    })

    it('is on pages of which Rollbook knows the organization, and what it leaves out is the product’s', async (t) => {
      const { app, acme, path } = await startWithAcme(t, engine)
      const text = await page(app, '/login?login_hint=new%40acme.example')
      assert.equal(nameIn(text), 'Acme Reports')
      assert.match(text, /href="https:\/\/orchard\.example\/p"/, 'of the product')
      const paths = [...text.matchAll(/(?:src|srcset|href)="(branding\/[^"]+)"/g)].map(([, one]) => String(one))
      assert.deepEqual([...new Set(paths.map((one) => one.split('/')[3]))].sort(), ['accent.css', 'logo.svg'])
      for (const one of paths) {
        assert.ok(one.startsWith(`branding/${acme}/`), one)
        const { status, headers } = await app.call('GET', `/${one}`, { key: null })
        assert.equal(status, 200, one)
        assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
        assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'; sandbox")
      }
      assert.equal((await app.call('GET', '/branding/nonsense/x/logo.svg', { key: null })).status, 404)
      // A logo for dark ground of the product does not go with a logo of the organization.
      await app.call('PUT', '/branding', { body: { logo: square, logo_dark: square } })
      await app.call('PUT', path, { body: { name: 'Acme Reports', logo: other } })
      assert.doesNotMatch(await page(app, '/login?login_hint=a%40acme.example'), /<source/)
      assert.equal(nameIn(await page(app, '/login')), 'Orchard')

      const body = {
        kind: 'oidc',
        name: 'Entra',
        issuer: 'https://acme.example',
        client_id: 'a',
        organization_id: acme,
      }
      const { connection_id } = (await app.call('POST', '/connections', { body })).body
      assert.equal(
        nameIn(await page(app, `/connections/${connection_id}/callback?error=access_denied`)),
        'Acme Reports',
      )

      const ada = await createPerson(app, { username: 'ada', organization_id: acme })
      const { cookie } = await openBrowser(app, 'ada')
      for (const own of ['/account', '/change-password']) {
        assert.equal(nameIn(await page(app, own, { cookie })), 'Acme Reports', own)
      }
      await createPerson(app, { username: 'bob' })
      const { cookie: ofBob } = await openBrowser(app, 'bob')
      assert.equal(nameIn(await page(app, '/account', { cookie: ofBob })), 'Orchard')
      const link = await app.call('POST', `/users/${ada.user_id}/password-reset`, { body: { send: false } })
      assert.equal(link.status, 200, link.text)
      const [, token] = /(\/[a-z-]+\/[^/]+)$/.exec(link.body.url) ?? []
      assert.equal(nameIn(await page(app, String(token))), 'Acme Reports')
    })

    it('is on every page of a user of the organization, and on every page of a problem there', async (t) => {
      const { app, routes } = await openEveryRoute(t, engine, env)
      const { acme } = await addAcme(app)
      await createPerson(app, { username: 'ada', organization_id: acme })
      const { cookie } = await openBrowser(app, 'ada')
      const found = await pagesAt(app, routes, {}, cookie)
      for (const at of ['GET /account', 'POST /account/session', 'GET /reset-password/:token']) {
        assert.ok(
          found.some(([one]) => one === at),
          `${at} of ${found.map(([one]) => one).join(', ')}`,
        )
      }
      assert.deepEqual(
        found.filter(([, name]) => name !== 'Acme Reports'),
        [],
      )
      const foreign = { cookie, 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' }
      const refused = await app.call('POST', '/change-password', {
        key: null,
        headers: { ...browser, ...foreign },
        body: '',
      })
      assert.deepEqual([refused.status, nameIn(refused.text)], [403, 'Acme Reports'])
      assert.equal(nameIn(await page(app, '/nothing-here', { cookie })), 'Acme Reports')
      assert.equal(nameIn(await page(app, '/nothing-here')), 'Orchard')
    })

    it('is on every page of a setup link, also when the link has ended', async (t) => {
      const { app, routes } = await openEveryRoute(t, engine, env)
      const { acme } = await addAcme(app)
      const links = `/organizations/${acme}/setup-links`
      const { body } = await app.call('POST', links, { body: { features: ['domains', 'connection', 'provisioning'] } })
      const token = body.url.split('/').at(-1)
      const own = routes.filter(({ url }) => url.startsWith('/setup/:token'))
      const look = async () => {
        const found = await pagesAt(app, own, { token })
        assert.ok(found.length > 5, found.join())
        return [...new Set(found.map(([, name]) => name))]
      }
      assert.deepEqual(await look(), ['Acme Reports'])
      await app.call('DELETE', `${links}/${body.setup_link_id}`)
      assert.deepEqual(await look(), ['Acme Reports'])
    })

    it('is on the second step of a sign-in from the first page to the last, for the browser that took the first step', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { env, clock })
      const { acme } = await addAcme(app)
      await personWithPhone(app, clock(), { username: 'ada', organization_id: acme })
      await personWithPhone(app, clock(), { username: 'bob' })
      for (const [username, name] of [
        ['ada', 'Acme Reports'],
        ['bob', 'Orchard'],
      ] as const) {
        const own = plainBrowser(app)
        const step = await own.post('/login', { username, password })
        const challenge_id = fieldIn(step, 'challenge_id')
        assert.notEqual(challenge_id, '', step.text)
        const wrong = await own.post('/login', { challenge_id, code: '000000' })
        const missing = await own.post('/login', { challenge_id, code: '' })
        assert.deepEqual([wrong.status, missing.status], [401, 422])
        const foreign = await plainBrowser(app).post('/login', { challenge_id, code: '000000' })
        assert.equal(nameIn(foreign.text), 'Orchard')
        await clock.pass(301_000)
        const late = await own.post('/login', { challenge_id, code: '000000' })
        assert.deepEqual(
          [step, wrong, missing, late].map(({ text }) => nameIn(text)),
          Array(4).fill(name),
        )
      }
    })

    it('is shown before it is saved, with what it leaves out from the product', async (t) => {
      const { app, acme } = await startWithAcme(t, engine)
      const preview = (body: object) => app.call('POST', '/branding/preview', { body })
      const branding = { name: 'Acme Figures' }
      const { body } = await preview({ branding, organization_id: acme })
      assert.match(body.page, /href="https:\/\/orchard\.example\/p"/)
      assert.deepEqual([nameIn(body.page), body.branding.privacy_url], ['Acme Figures', null])
      assert.doesNotMatch((await preview({ branding })).body.page, /orchard\.example\/p/)
      const unknown = await preview({ branding, organization_id: unknownId })
      assert.deepEqual([unknown.status, unknown.body.errors?.[0].code], [422, 'organization_unknown'])
    })

    it('does not tell who has an account: only a verified domain leads to it', async (t) => {
      const { app, acme } = await startWithAcme(t, engine)
      await createPerson(app, { username: 'ada', email: 'ada@acme.example', organization_id: acme })
      await createPerson(app, { username: 'eve', email: 'eve@elsewhere.example', organization_id: acme })
      const looks = async (username: string) => {
        const pages = [
          await submit(app, '/login', { username }),
          await submit(app, '/login', { username, password: 'wrong of course' }),
          await submit(app, '/login', { username, password: '' }),
        ]
        return pages.map(nameIn)
      }
      const ofAcme = Array(3).fill('Acme Reports')
      assert.deepEqual(await looks('ada@acme.example'), ofAcme)
      assert.deepEqual(await looks('nobody@ACME.example'), ofAcme)
      for (const username of ['ada', 'eve', 'eve@elsewhere.example', 'nobody', 'x@sub.acme.example']) {
        assert.deepEqual(await looks(username), Array(3).fill('Orchard'), username)
      }
      // A domain that is not verified leads nowhere.
      await app.call('POST', `/organizations/${acme}/domains`, { body: { domain: 'claimed.example' } })
      assert.deepEqual(await looks('ada@claimed.example'), Array(3).fill('Orchard'))
    })

    it('is in the messages to its users, and goes with the organization', async (t) => {
      const app = await startMailing(t, engine)
      const acme = await createOrganization(app, { name: 'Acme' })
      await app.call('PUT', `/organizations/${acme}/branding`, { body: { name: 'Acme Reports' } })
      const [ada, amy, bob] = [
        await createPerson(app, { username: 'ada', email: 'ada@acme.example', organization_id: acme }),
        await createPerson(app, { username: 'amy', email: 'amy@acme.example', organization_id: acme }),
        await createPerson(app, { username: 'bob', email: 'bob@acme.example' }),
      ]
      for (const { user_id } of [ada, bob, amy]) {
        const { status, text } = await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: true } })
        assert.equal(status, 200, text)
      }
      const features = ['domains']
      await app.call('POST', `/organizations/${acme}/setup-links`, { body: { features, email: 'it@acme.example' } })
      app.dispatch()
      await eventually('four messages', () => app.server.received.length === 4)
      const products = app.server.received.map(({ to, source }) => [to[0], /Acme Reports/.test(source)])
      assert.deepEqual(products.toSorted(), [
        ['ada@acme.example', true],
        ['amy@acme.example', true],
        ['bob@acme.example', false],
        ['it@acme.example', true],
      ])
      for (const { user_id } of [ada, amy])
        await app.call('PATCH', `/users/${user_id}`, { body: { organization_id: null } })
      await app.call('DELETE', `/organizations/${acme}`)
      const [left] = await app.runSql(`SELECT count(*) AS n FROM branding WHERE scope = '${acme}'`)
      assert.equal(Number(left?.n), 0)
    })
  })
}
