import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordsOf } from '../../../../test/audit-records.ts'
import { type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { actAs, reason, startImpersonation } from '../../../../test/impersonation.ts'
import { mailEnv } from '../../../../test/mails/mailing.ts'
import {
  type Browser,
  browserAfter,
  cookiesOf,
  createPerson,
  isSignedIn,
  openBrowser,
  password,
  setCookies,
} from '../../../../test/people.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { timestamp } from '../../../lib/instant.ts'

const [minute, hour] = [60_000, 3_600_000]
const roles = {
  support: ['users:read', 'users:impersonate'],
  analyst: ['reports:read'],
  helper: ['users:read', 'users:write', 'groups:write'],
}
const env = { ROLLBOOK_ROLES: JSON.stringify(roles), ROLLBOOK_RATE_LIMIT: '0' }

async function tokenOf({ call }: Browser): Promise<string> {
  const response = await call('POST', '/token')
  assert.equal(response.status, 200, response.text)
  return response.body.access_token
}

const claimsIn = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
const cookieIn = (browser: Browser) => /rollbook=([^;]+)/.exec(browser.cookie)?.[1] ?? ''
const isIn = (app: Started, jwt: string) =>
  app
    .call('GET', '/me', { key: null, headers: { authorization: `Bearer ${jwt}` } })
    .then(({ status }) => status === 200)

function open(t: Parameters<typeof start>[0], engine: Engine) {
  const clock = stoppedClock()
  return start(t, engine, { env, clock }).then((app) => ({ app, clock }))
}

for (const engine of engines) {
  describe(`impersonation on ${engine.name}`, () => {
    it('says who acts in the session, GET /me, access tokens, introspection and identity headers alike', async (t) => {
      const { app, clock } = await open(t, engine)
      const grace = await createPerson(app, { username: 'grace', role: 'admin' })
      const ada = await createPerson(app, { username: 'ada' })
      const own = await openBrowser(app, 'grace')
      const act = { sub: grace.user_id, username: 'grace' }
      const until = timestamp(clock() + hour)
      const begun = await startImpersonation(own, ada.user_id)
      assert.equal(begun.status, 201, begun.text)
      assert.deepEqual(
        [begun.body.user_id, begun.body.act, begun.body.expires_at, begun.headers.location],
        [ada.user_id, act, until, `/auth/sessions/${begun.body.session_id}`],
      )
      const [session = '', ownCookie = ''] = setCookies(begun.headers)
      assert.match(session, /^rollbook=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.match(ownCookie, /^rollbook-own=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)

      const acting = browserAfter(app, begun)
      const me = (await acting.call('GET', '/me')).body
      assert.deepEqual([me.username, me.act, me.act_until], ['ada', act, until])
      const jwt = await tokenOf(acting)
      assert.deepEqual([claimsIn(jwt).sub, claimsIn(jwt).act], [ada.user_id, act])
      for (const token of [jwt, cookieIn(acting)]) {
        const { body } = await app.call('POST', '/introspect', { body: { token } })
        assert.deepEqual([body.active, body.sub, body.act], [true, ada.user_id, act])
      }
      const { headers } = await acting.call('GET', '/verify/forward-auth')
      assert.deepEqual(
        ['remote-user', 'remote-user-id', 'remote-actor', 'remote-actor-id'].map((name) => headers[name]),
        ['ada', ada.user_id, 'grace', grace.user_id],
      )
      // The user's own session has no such claim.
      const usual = await own.call('GET', '/verify/forward-auth')
      assert.deepEqual([usual.headers['remote-user'], usual.headers['remote-actor']], ['grace', ''])
      assert.ok(!('act' in (await own.call('GET', '/me')).body))
      assert.ok(!('act' in claimsIn(await tokenOf(own))))

      // The user sees it among their sessions.
      const { body: sessions } = await (await openBrowser(app, 'ada')).call('GET', '/sessions')
      assert.deepEqual(
        sessions.map((one: { act?: unknown }) => one.act),
        [undefined, act],
      )
      const user = (await app.call('GET', `/users/${ada.user_id}`)).body
      assert.equal(user.last_login_at, timestamp(clock()), 'of the sign-in above')
    })

    it('is no sign-in of the user, and ends in the own session of the administrator', async (t) => {
      const { app } = await open(t, engine)
      const { own, ada, acting } = await actAs(app)
      assert.equal((await app.call('GET', `/users/${ada.user_id}`)).body.last_login_at, null)
      const stopped = await acting.call('DELETE', '/sessions/current')
      assert.equal(stopped.status, 200, stopped.text)
      assert.deepEqual(stopped.body, { session_id: acting.session_id, revoked: true })
      assert.equal(cookiesOf(stopped), `rollbook=${cookieIn(own)}; rollbook-own=`)
      assert.equal(await isSignedIn(acting), false)
      assert.equal((await own.call('GET', '/me')).body.username, 'grace')
    })

    it('returns to no session but that from which it began', async (t) => {
      const { app } = await open(t, engine)
      const { acting } = await actAs(app)
      await createPerson(app, { username: 'eve' })
      const planted = `rollbook=${cookieIn(acting)}; rollbook-own=${cookieIn(await openBrowser(app, 'eve'))}`
      const stopped = await acting.call('DELETE', '/sessions/current', { headers: { cookie: planted } })
      assert.equal(cookiesOf(stopped), 'rollbook=; rollbook-own=')
    })

    it('is recorded for the administrator and the user, with the reason, and so is what it was refused', async (t) => {
      const { app } = await open(t, engine)
      const { grace, ada, acting } = await actAs(app)
      assert.equal((await acting.call('PATCH', '/me', { body: { first_name: 'X' } })).status, 403)
      await acting.call('DELETE', '/sessions/current')
      const byGrace = (await app.call('GET', `/audit?actor=${grace.user_id}`)).body
      const aboutAda = (await app.call('GET', `/users/${ada.user_id}/audit`)).body
      type Shown = { action: string; actor: object; details: Record<string, unknown>; code: string | null }
      for (const list of [byGrace, aboutAda] as Shown[][]) {
        const of = (action: string) => list.find((one) => one.action === action)
        const { actor, details } = of('user.impersonated') ?? {}
        assert.deepEqual({ ...actor, session_id: '' }, actorOf(grace, { session_id: '' }))
        assert.deepEqual([details?.session_id, details?.reason], [acting.session_id, reason])
        const acts = actorOf(grace, { session_id: acting.session_id, acts_as: ada.user_id })
        assert.deepEqual(
          [of('authorization.refused')?.actor, of('authorization.refused')?.code],
          [acts, 'not_while_impersonating'],
        )
        assert.deepEqual(of('session.ended')?.actor, acts)
      }
      const { body } = await app.call('GET', '/events?type=session.created')
      const [event] = body.events.filter(({ subject }: { subject: string }) => subject === acting.session_id)
      assert.deepEqual(event.data.act, { sub: grace.user_id })
    })

    it('needs its permission, a session of one’s own, recent authentication and a reason', async (t) => {
      const { app, clock } = await open(t, engine)
      const ada = await createPerson(app, { username: 'ada' })
      await createPerson(app, { username: 'grace', role: 'support' })
      await createPerson(app, { username: 'helper', role: 'helper' })
      const grace = await openBrowser(app, 'grace')
      const before = await recordsOf(app)
      const path = `/users/${ada.user_id}/impersonation`
      const body = { reason }
      const refused = async (
        response: Promise<{ status: number; body: { code: string } }>,
        status: number,
        code: string,
      ) => assert.deepEqual([(await response).status, (await response).body.code], [status, code])

      await refused(app.call('POST', path, { body }), 403, 'user_required')
      const authorization = `Bearer ${await tokenOf(grace)}`
      await refused(app.call('POST', path, { key: null, headers: { authorization }, body }), 403, 'user_required')
      await refused(startImpersonation(await openBrowser(app, 'helper'), ada.user_id), 403, 'permission_denied')
      for (const bad of [{}, { reason: '' }, { reason: ' \n ' }, { reason: 'x'.repeat(501) }, { reason, seconds: 9 }]) {
        await refused(startImpersonation(grace, ada.user_id, bad), 422, 'validation_failed')
      }
      await refused(startImpersonation(grace, '019a9f3e-0000-7000-8000-000000000000'), 404, 'user_not_found')
      const me = (await grace.call('GET', '/me')).body
      await refused(startImpersonation(grace, me.user_id), 409, 'user_not_impersonable')
      const above = await createPerson(app, { role: 'analyst' })
      await refused(startImpersonation(grace, above.user_id), 403, 'user_outranks_caller')
      const deleted = await createPerson(app)
      await app.call('PATCH', `/users/${deleted.user_id}`, { body: { active: false } })
      await refused(startImpersonation(grace, deleted.user_id), 409, 'user_not_impersonable')
      await clock.pass(11 * minute)
      await refused(startImpersonation(grace, ada.user_id), 403, 'reauthentication_required')
      const created = (await recordsOf(app)).slice(before.length)
      assert.ok(!created.some(({ action }) => action === 'user.impersonated'))
      assert.deepEqual(await app.runSql('SELECT session_id FROM sessions WHERE begun_from IS NOT NULL'), [])
    })

    it('begins from no other impersonation, and a dry run begins none', async (t) => {
      const { app } = await open(t, engine)
      const { own, ada, acting } = await actAs(app, { role: 'support' })
      const other = await createPerson(app)
      const chained = await startImpersonation(acting, other.user_id)
      assert.deepEqual([chained.status, chained.body.code], [403, 'not_while_impersonating'])
      const path = `/users/${ada.user_id}/impersonation?dry_run=true`
      const dry = await own.call('POST', path, { body: { reason } })
      assert.deepEqual([dry.status, dry.body.user_id, setCookies(dry.headers)], [200, ada.user_id, []])
      assert.equal((await app.call('GET', `/users/${ada.user_id}/sessions`)).body.length, 1)
    })

    it('gives the same session for the same Idempotency-Key', async (t) => {
      const { app } = await open(t, engine)
      const { own, ada } = await actAs(app)
      const headers = { 'idempotency-key': 'twice' }
      const path = `/users/${ada.user_id}/impersonation`
      const [first, again] = [
        await own.call('POST', path, { headers, body: { reason } }),
        await own.call('POST', path, { headers, body: { reason } }),
      ]
      assert.deepEqual([again.status, again.body, cookiesOf(again)], [201, first.body, cookiesOf(first)])
      assert.equal(again.headers['idempotency-replayed'], 'true')
    })

    const ends: Record<string, (app: Started, acting: Awaited<ReturnType<typeof actAs>>) => Promise<unknown>> = {
      'the session of the administrator': (_, { own }) => own.call('DELETE', '/sessions/current'),
      'all sessions of the administrator': (app, { grace }) => app.call('DELETE', `/users/${grace.user_id}/sessions`),
      'the password of the administrator': (app, { grace }) =>
        app.call('POST', `/users/${grace.user_id}/password`, { body: { password: 'a moth in relay seventy' } }),
      'the administrator, who is disabled': (app, { grace }) =>
        app.call('PATCH', `/users/${grace.user_id}`, { body: { active: false } }),
      'the administrator, who is deleted': (app, { grace }) => app.call('DELETE', `/users/${grace.user_id}`),
      'the role of the administrator': (app, { grace }) =>
        app.call('PATCH', `/users/${grace.user_id}`, { body: { role: 'helper' } }),
      'all sessions of the user': (app, { ada }) => app.call('DELETE', `/users/${ada.user_id}/sessions`),
      'the session, by the user': async (app, { ada, acting }) =>
        (await openBrowser(app, ada.username)).call('DELETE', `/sessions/${acting.session_id}`),
      'the user, who is disabled': (app, { ada }) =>
        app.call('PATCH', `/users/${ada.user_id}`, { body: { active: false } }),
      'the user, who is deleted': (app, { ada }) => app.call('DELETE', `/users/${ada.user_id}`),
      'the password of the user': async (app, { ada }) =>
        (await openBrowser(app, ada.username)).call('POST', '/me/password', {
          body: { current_password: password, new_password: 'a moth in relay seventy' },
        }),
    }
    it('ends at once with what it depends on, for tokens too', async (t) => {
      const { app } = await open(t, engine)
      await createPerson(app, { username: 'root', role: 'admin' })
      for (const [index, [what, end]] of Object.entries(ends).entries()) {
        const people = await actAs(app, { username: `ada-${index}` }, `grace-${index}`)
        const jwt = await tokenOf(people.acting)
        assert.deepEqual([await isSignedIn(people.acting), await isIn(app, jwt)], [true, true], what)
        const response = (await end(app, people)) as { status: number; text: string }
        assert.equal(response.status, 200, `${what} ${response.text}`)
        assert.deepEqual([await isSignedIn(people.acting), await isIn(app, jwt)], [false, false], what)
        const left = await app.runSql('SELECT session_id FROM sessions WHERE begun_from IS NOT NULL')
        assert.deepEqual(left, [], what)
        const { body } = await app.call('GET', '/events?type=session.ended')
        assert.ok(
          body.events.some(({ subject }: { subject: string }) => subject === people.acting.session_id),
          what,
        )
      }
    })

    it('ends when the administrator loses the permission through a group, or the user gains more', async (t) => {
      const { app } = await open(t, engine)
      const group = async (role: string, user_id: string) => {
        const { group_id } = (await app.call('POST', '/groups', { body: { name: role, role } })).body
        assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
        return group_id as string
      }
      const grace = await createPerson(app, { username: 'grace' })
      const ada = await createPerson(app, { username: 'ada' })
      const supporters = await group('support', grace.user_id)
      const own = await openBrowser(app, 'grace')
      const first = browserAfter(app, await startImpersonation(own, ada.user_id))
      const jwt = await tokenOf(first)
      assert.equal((await app.call('DELETE', `/groups/${supporters}/members/${grace.user_id}`)).status, 200)
      assert.deepEqual([await isSignedIn(first), await isIn(app, jwt), await isSignedIn(own)], [false, false, true])

      // Given back, the permission does not revive it.
      assert.equal((await app.call('PUT', `/groups/${supporters}/members/${grace.user_id}`)).status, 200)
      assert.equal(await isSignedIn(first), false)
      const second = browserAfter(app, await startImpersonation(own, ada.user_id))
      assert.equal(await isSignedIn(second), true)
      await group('analyst', ada.user_id)
      assert.equal(await isSignedIn(second), false)
    })

    it('lasts an hour however it is used, and keeps the own session alive meanwhile', async (t) => {
      const clock = stoppedClock()
      const idle = { ...env, ROLLBOOK_SESSION_IDLE_SECONDS: '1200' }
      const app = await start(t, engine, { env: idle, clock })
      const { own, acting } = await actAs(app)
      for (let passed = 0; passed < 59; passed += 10) {
        assert.equal(await isSignedIn(acting), true, `after ${passed} minutes`)
        await clock.pass(10 * minute - 1)
      }
      assert.equal(await isSignedIn(acting), true)
      await clock.pass(minute)
      assert.equal(await isSignedIn(acting), false)
      assert.equal(await isSignedIn(own), true)
      // The sign-in page gives the browser its own session back.
      const page = await app.call('GET', '/login', { key: null, headers: { cookie: acting.cookie } })
      assert.deepEqual([page.status, page.headers.location], [303, 'login'])
      assert.equal(cookiesOf(page), `rollbook=${cookieIn(own)}; rollbook-own=`)
    })

    it('does not outlast the own session', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_SESSION_SECONDS: '1800' }, clock })
      const { own, acting } = await actAs(app)
      const { act_until } = (await acting.call('GET', '/me')).body
      assert.equal(act_until, timestamp(clock() + 30 * minute))
      await clock.pass(30 * minute)
      assert.deepEqual([await isSignedIn(acting), await isSignedIn(own)], [false, false])
    })

    it('ends with a sign-out, which leaves no session in the browser', async (t) => {
      const { app } = await open(t, engine)
      const { own, acting } = await actAs(app)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const out = await acting.call('POST', '/logout', { headers: form, body: '' })
      assert.deepEqual([out.status, cookiesOf(out)], [303, 'rollbook=; rollbook-own='])
      assert.deepEqual([await isSignedIn(acting), await isSignedIn(own)], [false, false])
    })

    it('is shown on each page that such a session reaches, and on no other, with a button that gives the own session back', async (t) => {
      const { app } = await open(t, engine)
      const { own, ada, acting } = await actAs(app)
      const headers = { accept: 'text/html' }
      const pages = ['login', 'logout', 'change-password', 'confirm', 'add-factor', 'link', 'forgot-password', 'docs']
      for (const path of [...pages, 'reset-password/unknown', 'docs/']) {
        const { text } = await acting.call('GET', `/${path}`, { headers })
        const up = path.includes('/') ? '../' : ''
        assert.ok(text.includes('<strong>grace</strong>, you act as <strong>ada</strong> until'), `${path} ${text}`)
        assert.ok(text.includes(`<form method="post" action="${up}exit">`), path)
        assert.doesNotMatch((await own.call('GET', `/${path}`, { headers })).text, /acting/, path)
      }
      const unknown = await acting.call('GET', '/anything/else', { headers })
      assert.match(unknown.text, /you act as [\s\S]*action="\/auth\/exit"[\s\S]*Page not found/)
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
      const refused = await acting.call('POST', '/change-password', { headers: form, body: 'current_password=x' })
      assert.equal(refused.status, 403)
      assert.match(refused.text, /action="exit"/)

      const foreign = { ...form, 'sec-fetch-site': 'cross-site' }
      assert.equal((await acting.call('POST', '/exit', { headers: foreign, body: '' })).status, 403)
      assert.equal(await isSignedIn(acting), true)
      const out = await acting.call('POST', '/exit', { headers: form, body: '' })
      assert.deepEqual([out.status, out.headers.location], [303, `console/users/${ada.user_id}`])
      assert.equal(cookiesOf(out), `rollbook=${cookieIn(own)}; rollbook-own=`)
      assert.deepEqual([await isSignedIn(acting), await isSignedIn(own)], [false, true])
      const { body } = await app.call('GET', `/users/${ada.user_id}/audit?action=session.ended`)
      assert.deepEqual(body[0].actor.acts_as, ada.user_id)

      // Pressed again, in the administrator's own session, which stays.
      const again = await own.call('POST', '/exit', { headers: form, body: '' })
      assert.deepEqual([again.status, setCookies(again.headers), await isSignedIn(own)], [303, [], true])
    })

    it('shows a user who must change the password or add a factor, which the administrator cannot do', async (t) => {
      const policy = { ...env, ROLLBOOK_SECOND_FACTOR: '{"user":"required"}' }
      const app = await start(t, engine, { env: policy })
      const { acting, ada } = await actAs(app)
      await app.call('POST', `/users/${ada.user_id}/password`, { body: { password, must_change: true } })
      const again = await openBrowser(app, 'grace')
      const second = browserAfter(app, await startImpersonation(again, ada.user_id))
      assert.equal(await isSignedIn(acting), false)
      const { status, body } = await second.call('GET', '/me')
      assert.deepEqual([status, body.username], [200, 'ada'])
      const change = { current_password: password, new_password: 'a moth in relay seventy' }
      const refused = await second.call('POST', '/me/password', { body: change })
      assert.equal(refused.body.code, 'not_while_impersonating')
    })

    it('is told to the user by email, with the reason', async (t) => {
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      const { ada } = await actAs(app)
      const rows = await app.runSql(`SELECT kind, data FROM mails WHERE user_id = '${ada.user_id}'`)
      assert.equal(rows.length, 1)
      const { administrator, reason: reasonText } = JSON.parse(String(rows[0]?.data))
      assert.deepEqual([rows[0]?.kind, administrator, reasonText], ['impersonated', 'grace', reason])
    })
  })
}

function actorOf({ user_id, username }: { user_id: string; username: string }, members: object) {
  return { kind: 'user', id: user_id, name: username, key_id: null, ...members }
}
