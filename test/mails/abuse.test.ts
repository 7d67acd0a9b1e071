/** Every link, against everything that must end it or must not use it up: one table. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { fulfilRequests } from '../../src/access/sign-in/links/requests.ts'
import { type Answer, type Engine, engines } from '../harness.ts'
import { type Browser, createPerson, openBrowser, password, signIn } from '../people.ts'
import { stoppedClock } from '../stopped-clock.ts'
import { eventually } from '../webhooks/dispatching.ts'
import { type Mailing, startMailing } from './mailing.ts'

const hour = 3_600_000
const chosen = 'a moth in relay seventy'

type Kind = 'invitation' | 'password_reset' | 'verification'
type Holder = { user_id: string; address: string; browser: Browser | undefined }
type Opened = { app: Mailing; clock: ReturnType<typeof stoppedClock> }

const paths = {
  invitation: '/invitation/',
  password_reset: '/reset-password/',
  verification: '/verify-email/',
} as const
const lifetimes = { invitation: 7 * 24 * hour, password_reset: hour, verification: 24 * hour } as const
const kinds = Object.keys(paths) as Kind[]

async function open(t: TestContext, engine: Engine): Promise<Opened> {
  const clock = stoppedClock()
  const app = await startMailing(t, engine, { clock, env: { ROLLBOOK_RATE_LIMIT: '0' } })
  app.dispatch({ before: () => fulfilRequests(app.storage, clock()) })
  return { app, clock }
}

let people = 0

/** A user who can have such a link. One who confirms an address is signed in. */
async function holderOf({ app }: Opened, kind: Kind): Promise<Holder> {
  const username = `holder-${people++}`
  const address = `${username}@example.com`
  if (kind === 'invitation') {
    const { body } = await app.call('POST', '/users', { body: { username, email: address } })
    return { user_id: body.user_id, address, browser: undefined }
  }
  const { user_id } = await createPerson(app, { username, email: address })
  const browser = kind === 'verification' ? await openBrowser(app, username) : undefined
  return { user_id, address, browser }
}

/** Sends a link of this kind, and returns its path from the message. */
async function linkTo({ app }: Opened, kind: Kind, { user_id, address, browser }: Holder): Promise<string> {
  const mine = () =>
    app.server.received.flatMap(({ to, mail }) => {
      const [, path] = /orchard\.example\/auth(\/[a-z-]+\/[\w-]{43})/.exec(mail.text ?? '') ?? []
      return to[0] === address && path?.startsWith(paths[kind]) ? [path] : []
    })
  const before = mine().length
  if (kind === 'invitation') await app.call('POST', `/users/${user_id}/invitation`)
  else if (kind === 'password_reset') await app.call('POST', `/users/${user_id}/password-reset`)
  else assert.equal((await (browser as Browser).call('POST', '/me/email-verification')).status, 202)
  await eventually(`a message to ${address}`, () => mine().length > before)
  return mine().at(-1) as string
}

function post(app: Mailing, path: string, fields: Record<string, string>, browser?: Browser): Promise<Answer> {
  const request = {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  }
  return browser ? browser.call('POST', path, request) : app.call('POST', path, { key: null, ...request })
}

/** Does what the user would do with the link. */
function use({ app }: Opened, kind: Kind, path: string, browser: Browser | undefined): Promise<Answer> {
  return kind === 'verification' ? post(app, path, {}, browser) : post(app, path, { new_password: chosen })
}

const get = ({ app }: Opened, path: string, browser?: Browser) =>
  browser ? browser.call('GET', path) : app.call('GET', path, { key: null })

/** A page that explains itself and does not repeat the link. */
function assertExplains(response: Answer, path: string, why: RegExp): void {
  assert.match(String(response.headers['content-type']), /^text\/html/)
  assert.match(response.text, why)
  assert.match(response.text, /ask an administrator|Sign in|request another link|Use the link|Check that you copied/i)
  assert.equal(response.headers['referrer-policy'], 'no-referrer')
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.ok(!response.text.includes(path.split('/').at(-1) as string), 'the page does not repeat the link')
}

type Ending = {
  name: string
  act(opened: Opened, kind: Kind, holder: Holder, path: string): Promise<unknown>
  why: RegExp
  of?: readonly Kind[]
}

const endings: Ending[] = [
  { name: 'was used', act: (opened, kind, { browser }, path) => use(opened, kind, path, browser), why: /used already/ },
  { name: 'has expired', act: async ({ clock }, kind) => clock.pass(lifetimes[kind]), why: /has expired/ },
  { name: 'was replaced', act: linkTo, why: /newer message was sent at \d\d:\d\d \(UTC\)/ },
  {
    name: 'is for a former address',
    act: ({ app }, _, { user_id }) =>
      app.call('PATCH', `/users/${user_id}`, { body: { email: `${user_id}@example.com` } }),
    why: /email address was changed/,
  },
  {
    name: 'is older than the password',
    act: ({ app }, _, { user_id }) => app.call('POST', `/users/${user_id}/password`, { body: { password: chosen } }),
    why: /password was changed/,
  },
  {
    name: 'is of a disabled user',
    act: ({ app }, _, { user_id }) => app.call('PATCH', `/users/${user_id}`, { body: { active: false } }),
    why: /account was disabled/,
  },
  {
    name: 'is of a user who was disabled and enabled',
    async act({ app }, _, { user_id }) {
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      await app.call('PATCH', `/users/${user_id}`, { body: { active: true } })
    },
    why: /account was disabled/,
  },
  {
    name: 'is of a deleted user',
    act: ({ app }, _, { user_id }) => app.call('DELETE', `/users/${user_id}`),
    why: /account was disabled/,
  },
  {
    name: 'is of a restored user',
    async act({ app }, _, { user_id }) {
      await app.call('DELETE', `/users/${user_id}`)
      assert.equal((await app.call('POST', `/users/${user_id}/restore`)).status, 200)
    },
    why: /account was disabled/,
  },
  {
    name: 'is older than a sign-in',
    act: ({ app }, _, { address }) => signIn(app, address, password),
    why: /signed in since/,
    of: ['password_reset'],
  },
  {
    name: 'was withdrawn',
    act: ({ app }, _, { user_id }) => app.call('DELETE', `/users/${user_id}/invitation`),
    why: /was withdrawn/,
    of: ['invitation'],
  },
]

for (const engine of engines) {
  describe(`a link that is misused on ${engine.name}`, () => {
    for (const { name, act, why, of = kinds } of endings) {
      it(`is refused, with a page that says what to do, if it ${name}`, async (t) => {
        const opened = await open(t, engine)
        for (const kind of of) {
          const holder = await holderOf(opened, kind)
          const path = await linkTo(opened, kind, holder)
          await act(opened, kind, holder, path)
          const before = (await opened.app.call('GET', `/users/${holder.user_id}`)).text
          for (const response of [
            await get(opened, path, holder.browser),
            await use(opened, kind, path, holder.browser),
          ]) {
            assert.equal(response.status, 410, `${kind} ${name}`)
            assertExplains(response, path, why)
          }
          const after = (await opened.app.call('GET', `/users/${holder.user_id}`)).text
          assert.deepEqual(withoutInstance(after), withoutInstance(before), `${kind} ${name}`)
        }
      })
    }

    it('is refused for another purpose and with a changed character, and is still good', async (t) => {
      const opened = await open(t, engine)
      for (const kind of kinds) {
        const holder = await holderOf(opened, kind)
        const path = await linkTo(opened, kind, holder)
        const token = path.slice(-43)
        const wrong = kinds
          .filter((other) => other !== kind)
          .map((other) => [other, `${paths[other]}${token}`] as const)
        for (const at of [0, 21, 42]) {
          const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
          wrong.push([kind, `${paths[kind]}${changed}`])
        }
        wrong.push([kind, `${paths[kind]}${token.slice(1)}`], [kind, `${paths[kind]}${token}A`])
        for (const [other, bad] of wrong) {
          const response = await use(opened, other, bad, holder.browser)
          assert.equal(response.status, 404, bad)
          assertExplains(response, bad, /incomplete or very old/)
        }
        assert.equal((await use(opened, kind, path, holder.browser)).status, 200, kind)
      }
    })

    it('is not repeated, logged or passed on by the response to a mistyped path', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      const path = await linkTo(opened, 'password_reset', await holderOf(opened, 'password_reset'))
      for (const bad of [`${path}/`, `/${path}`, `${path}/x`, `${path}%ff`, `/x${path}`, `${path}?a=1`]) {
        for (const method of ['GET', 'POST', 'PUT']) {
          const headers = { referer: `http://orchard.example/auth${path}`, 'sec-fetch-site': 'same-origin' }
          const response = await app.call(method, bad, { key: null, headers })
          if (response.status === 200) continue
          assert.ok(response.status >= 400 && response.status < 500, `${method} ${bad}: ${response.status}`)
          assert.equal(response.headers['referrer-policy'], 'no-referrer', `${method} ${bad}`)
          assert.ok(!response.text.includes(path.slice(-43)), `${method} ${bad}`)
        }
      }
      assert.ok(!app.logLines().join('\n').includes(path.slice(-43)))
      assert.equal((await use(opened, 'password_reset', path, undefined)).status, 200)
    })

    it('shows no username that mail programs would make a link of', async (t) => {
      const opened = await open(t, engine)
      const body = { username: 'http://evil.example/x', email: 'grace@example.com', invite: 'true' }
      assert.equal((await opened.app.call('POST', '/users', { body })).status, 201)
      await eventually('the message', () => opened.app.server.received.length === 1)
      const { source = '', mail } = opened.app.server.received[0] ?? {}
      assert.ok(!source.includes('evil'), source)
      assert.match(mail?.text ?? '', /Your username is grace@example\.com\./)
    })

    it('does nothing for another user, whatever they send with it', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      const other = await createPerson(app, { username: 'mallory', email: 'mallory@example.com' })
      const mallory = await openBrowser(app, 'mallory')
      for (const kind of ['invitation', 'password_reset'] as const) {
        const holder = await holderOf(opened, kind)
        const path = await linkTo(opened, kind, holder)
        const fields = { new_password: chosen, username: 'mallory', user_id: other.user_id }
        assert.equal((await post(app, path, fields, mallory)).status, 200)
        assert.equal((await signIn(app, holder.address, chosen)).status, 201, 'the link is bound to its user')
        assert.equal((await signIn(app, 'mallory', password)).status, 201)
      }
      const holder = await holderOf(opened, 'verification')
      const path = await linkTo(opened, 'verification', holder)
      for (const browser of [mallory, undefined]) {
        for (const response of [await get(opened, path, browser), await post(app, path, {}, browser)]) {
          assert.equal(response.status, 403)
          assertExplains(response, path, /Sign in first/)
        }
      }
      assert.equal((await app.call('GET', `/users/${holder.user_id}`)).body.email_verified, undefined)
      assert.equal((await use(opened, 'verification', path, holder.browser)).status, 200)
    })

    it('changes nothing by GET and HEAD, nor by forms without what a user types', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      for (const kind of kinds) {
        const holder = await holderOf(opened, kind)
        const path = await linkTo(opened, kind, holder)
        await app.dispatch().stop()
        const before = await app.runSql('SELECT * FROM user_links ORDER BY link_id')
        for (let round = 0; round < 3; round++) {
          await get(opened, path)
          await app.call('HEAD', path, { key: null })
          await post(app, path, {})
          await post(app, path, { new_password: '', new_password_again: '', username: 'x', code: '' })
        }
        assert.deepEqual(await app.runSql('SELECT * FROM user_links ORDER BY link_id'), before)
        assert.equal((await use(opened, kind, path, holder.browser)).status, 200, kind)
      }
    })
  })
}

/** A refusal names its request. */
function withoutInstance(text: string): unknown {
  const { instance: _, last_login_at: __, ...rest } = JSON.parse(text)
  return rest
}
