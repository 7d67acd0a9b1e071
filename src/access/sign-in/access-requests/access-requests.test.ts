import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../../test/audit-records.ts'
import { follow } from '../../../../test/events/directory.ts'
import { type Answer, createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { mailEnv, mailsOf } from '../../../../test/mails/mailing.ts'
import { createPerson } from '../../../../test/people.ts'
import { type StoppedClock, stoppedClock } from '../../../../test/stopped-clock.ts'
import { makeKey } from '../../../../test/tokens/parts.ts'
import { system } from '../../../core/actor.ts'
import { plainBrand } from '../../../core/brand.ts'
import { messageOf } from '../../../record/mails/sending/message.ts'
import { loadTemplates } from '../../../record/mails/templates/templates.ts'
import { newToken, tokenHashOf } from '../../../record/mails/tokens.ts'
import { fulfilEntered } from './entry.ts'
import { pruneRequests } from './retention.ts'

const env = {
  ...mailEnv,
  ROLLBOOK_ACCESS_REQUESTS: 'on',
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
  ROLLBOOK_ROLES: JSON.stringify({ support: ['users:read', 'users:write'] }),
}
const dayMs = 86_400_000

type Open = { app: Started; clock: StoppedClock }

async function open(t: TestContext, engine: Engine): Promise<Open> {
  const clock = stoppedClock()
  return { app: await start(t, engine, { env, clock }), clock }
}

function post(app: Started, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return app.call('POST', path, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
  })
}

/** Each address from a network of its own, unless the test says otherwise. */
let networks = 0
function enter({ app }: Open, email: string, from = `198.51.${(++networks >> 8) % 256}.${networks % 256}`) {
  return post(app, '/request-access', { email }, { 'x-forwarded-for': from })
}

const fulfil = ({ app, clock }: Open) => fulfilEntered(app.storage, clock())
const kindsTo = async ({ app }: Open, address: string) =>
  (await mailsOf(app, `&address=${encodeURIComponent(address)}`)).map(({ kind }) => kind).reverse()

/** Enters an address and returns the path of the link that its message brings. */
async function linkTo(opened: Open, email: string): Promise<string> {
  assert.equal((await enter(opened, email)).status, 200)
  await fulfil(opened)
  return linkOf(opened, email)
}

/** What the sender of messages does: a new token for each sending. */
async function linkOf({ app }: Open, email: string): Promise<string> {
  const [row] = await app.runSql(
    `SELECT link_id FROM mails WHERE address = '${email}' AND link_id IS NOT NULL ORDER BY mail_id DESC`,
  )
  assert.ok(row, 'there is a message with a link')
  const token = newToken()
  await app.runSql(
    `INSERT INTO link_tokens (token_hash, link_id, mailed) VALUES ('${tokenHashOf(token)}', '${row.link_id}', 1)`,
  )
  return `/request-access/${token}`
}

async function requestAccess(opened: Open, email: string, fields: Record<string, string> = {}): Promise<string> {
  const sent = await post(opened.app, await linkTo(opened, email), { reason: 'I am new.', ...fields })
  assert.match(sent.text, /Your request was sent/)
  const { body } = await opened.app.call('GET', `/access-requests?q=${encodeURIComponent(email)}`)
  return body[0].request_id
}

const decide = ({ app }: Open, id: string, body: object, request: { key?: string } = {}, query = '') =>
  app.call('POST', `/access-requests/${id}/decision${query}`, { body, ...request })

const withoutAddress = ({ status, text, headers }: Answer) => {
  const { date: _, 'x-request-id': __, ...rest } = headers
  return { status, text, headers: rest }
}

for (const engine of engines) {
  describe(`asking for access on ${engine.name}`, () => {
    it('is not there while it is switched off', async (t) => {
      const app = await start(t, engine, { env: mailEnv })
      const id = '019a9f3e-0000-7000-8000-000000000000'
      for (const [method, path, body] of [
        ['GET', '/access-requests', undefined],
        ['GET', `/access-requests/${id}`, undefined],
        ['POST', `/access-requests/${id}/decision`, {}],
        ['GET', '/request-access', undefined],
        ['POST', '/request-access', undefined],
        ['GET', `/request-access/${newToken()}`, undefined],
        ['POST', `/request-access/${newToken()}`, undefined],
      ] as const) {
        const response = await app.call(method, path, body && { body })
        assert.deepEqual([response.status, response.body?.code], [404, 'not_enabled'], `${method} ${path}`)
      }
      const page = await app.call('GET', '/request-access', { key: null, headers: { accept: 'text/html' } })
      assert.match(page.text, /Page not found/)
      assert.doesNotMatch((await app.call('GET', '/login', { key: null })).text, /request-access/)
      assert.match(
        (await (await open(t, engine)).app.call('GET', '/login', { key: null })).text,
        /href="request-access"/,
      )
    })

    it('leads from an address to a request, and from an approval to an invited user with role, groups and attributes', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      for (const body of [
        { name: 'team', label: 'Team', type: 'enum', options: ['Red', 'Blue'], required: true },
        { name: 'agreed', label: 'Agreed', type: 'boolean', required: true, editable_by: 'user' },
        { name: 'nickname', type: 'string' },
      ])
        assert.equal((await app.call('POST', '/attributes', { body })).status, 201)
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Staff' } })).body
      const root = {
        username: 'root',
        role: 'admin',
        email: 'root@example.com',
        attributes: { team: 'Red', agreed: true },
      }
      assert.equal((await app.call('POST', '/users', { body: root })).status, 201)
      const path = await linkTo(opened, 'Ada@Example.com')
      const form = await app.call('GET', path, { key: null })
      assert.match(form.text, /name="attributes\.agreed"[\s\S]*name="attributes\.team"[\s\S]*<option value="Blue">/)
      assert.doesNotMatch(form.text, /nickname/)
      const missing = await post(app, path, { first_name: 'Ada', reason: ' ', 'attributes.team': 'Green' })
      assert.equal(missing.status, 422)
      assert.match(
        missing.text,
        /Agreed: enter a value[\s\S]*Team: this value is not accepted[\s\S]*Say why you need access/,
      )
      assert.match(missing.text, /value="Ada"/)
      assert.deepEqual((await app.call('GET', '/access-requests')).body, [], 'nothing waits yet')
      const fields = { first_name: 'Ada', last_name: 'L.', 'attributes.team': 'Blue', 'attributes.agreed': 'true' }
      assert.equal((await post(app, path, { ...fields, reason: 'I joined\nthe team.' })).status, 200)
      const [waiting] = (await app.call('GET', '/access-requests?state=waiting&q=joined ADA@')).body
      assert.deepEqual(
        [waiting.email, waiting.reason, waiting.attributes, waiting.state, waiting.locale, waiting.user_id],
        ['Ada@Example.com', 'I joined the team.', { team: 'Blue', agreed: true }, 'waiting', 'en', null],
      )
      assert.deepEqual((await app.call('GET', '/users?q=ada')).body, [], 'a request is no user')
      assert.deepEqual(await kindsTo(opened, 'root@example.com'), ['access_requests'])

      const approval = { decision: 'approve', role: 'support', groups: ['staff'], username: 'ada' }
      const dry = await decide(opened, waiting.request_id, approval, {}, '?dry_run=true')
      assert.deepEqual([dry.status, dry.body.state, dry.body.invitation.sent], [200, 'approved', false], dry.text)
      const approved = await decide(opened, waiting.request_id, approval)
      assert.deepEqual([approved.status, approved.body.state, approved.body.invitation.sent], [200, 'approved', true])
      const { user_id } = approved.body
      const user = (await app.call('GET', `/users/${user_id}`)).body
      assert.deepEqual(
        [user.username, user.email, user.role, user.invited, user.has_password, user.email_verified, user.attributes],
        ['ada', 'Ada@Example.com', 'support', true, false, true, { team: 'Blue', agreed: true }],
      )
      assert.deepEqual(
        (await app.call('GET', `/users/${user_id}/groups`)).body.map((one: { group_id: string }) => one.group_id),
        [group_id],
      )
      assert.deepEqual(await kindsTo(opened, 'Ada@Example.com'), ['access_request', 'invitation'])
      const records = (await recordsOf(app)).filter(({ action }) => action.startsWith('access_request'))
      assert.deepEqual(
        records.map(({ action, actor }) => [action, actor.kind]),
        [
          ['access_request.entered', 'anonymous'],
          ['access_request.created', 'anonymous'],
          ['access_request.approved', 'api_key'],
        ],
      )
      assert.ok(!JSON.stringify(records).includes('xample.com'), 'the records name no address')
      const events = (await follow(app)).filter(({ type }) => type.includes('access_request'))
      assert.deepEqual(
        events.map(({ type, subject }) => [type, subject]),
        [
          ['access_request.created', waiting.request_id],
          ['access_request.approved', waiting.request_id],
        ],
      )
      const again = await decide(opened, waiting.request_id, { decision: 'decline' })
      assert.deepEqual([again.status, again.body.code], [409, 'access_request_decided'])
      // The link of a decided request.
      for (const dead of [await app.call('GET', path, { key: null }), await post(app, path, { reason: 'Again.' })]) {
        assert.equal(dead.status, 410)
        assert.match(dead.text, /Your request was decided/)
      }
    })

    it('answers known, unknown, waiting, declined and unreachable addresses alike, and tells only the mailbox', async (t) => {
      const opened = await open(t, engine)
      const { app, clock } = opened
      await createPerson(app, { username: 'known', email: 'known@example.com' })
      const { user_id } = await createPerson(app, { username: 'off', email: 'off@example.com' })
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      await requestAccess(opened, 'waiting@example.com')
      await decide(opened, await requestAccess(opened, 'declined@example.com'), {
        decision: 'decline',
        reason: 'Staff only.',
      })
      await clock.pass(3_600_001)
      const names = ['unknown', 'known', 'off', 'waiting', 'declined', 'mäx']
      const answers: unknown[] = []
      for (const name of names) answers.push(withoutAddress(await enter(opened, `${name}@example.com`)))
      for (const response of answers) assert.deepEqual(response, answers[0])
      await fulfil(opened)
      const kinds = await Promise.all(names.map(async (name) => (await kindsTo(opened, `${name}@example.com`)).at(-1)))
      assert.deepEqual(kinds, [
        'access_request',
        'access_known',
        'access_known',
        'access_waiting',
        'access_declined',
        undefined,
      ])
      assert.equal((await app.call('GET', '/access-requests?state=waiting')).body.length, 1)
    })

    it('survives a thousand requests of one network, and of many networks for one address', async (t) => {
      const opened = await open(t, engine)
      const statuses: number[] = []
      for (let n = 0; n < 25; n++) statuses.push((await enter(opened, `n${n}@example.com`, '203.0.113.7')).status)
      assert.deepEqual([statuses.filter((one) => one === 200).length, statuses.at(-1)], [20, 429])
      for (const n of [1, 2]) assert.equal((await enter(opened, `s${n}@example.com`, `2001:db8:1:${n}::1`)).status, 200)
      const counts = await opened.app.runSql(
        "SELECT throttle_key, failures FROM sign_in_throttles WHERE throttle_key LIKE 'access:2001%' ORDER BY failures DESC",
      )
      assert.deepEqual(
        [counts.length, Number(counts[0]?.failures)],
        [3, 2],
        'the networks of a site count together, too',
      )
      await fulfil(opened)
      for (let n = 0; n < 12; n++) assert.equal((await enter(opened, 'victim@example.com')).status, 200)
      await fulfil(opened)
      assert.deepEqual(await kindsTo(opened, 'victim@example.com'), ['access_request', 'access_request'])
      const [{ count } = { count: 0 }] = await opened.app.runSql(
        "SELECT count(*) AS count FROM access_requests WHERE email = 'victim@example.com'",
      )
      assert.equal(Number(count), 1)
    })

    it('needs more than a scanner, works once, and sends approvers one message an hour', async (t) => {
      const opened = await open(t, engine)
      const { app, clock } = opened
      await createPerson(app, { username: 'boss', role: 'support', email: 'boss@example.com' })
      await createPerson(app, { username: 'other', email: 'other@example.com' })
      const path = await linkTo(opened, 'ada@example.com')
      const second = await linkOf(opened, 'ada@example.com')
      for (let n = 0; n < 3; n++) assert.equal((await app.call('GET', path, { key: null })).status, 200)
      assert.equal((await post(app, path, {})).status, 422)
      assert.deepEqual((await app.call('GET', '/access-requests')).body, [])
      const both = await Promise.all([path, second].map((one) => post(app, one, { reason: 'Please.' })))
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 410])
      assert.match((await app.call('GET', path, { key: null })).text, /waiting for a decision/)
      assert.equal((await app.call('GET', '/access-requests')).body.length, 1)
      await app.runSql("UPDATE mails SET status = 'sent' WHERE kind = 'access_requests'")
      for (const name of ['b', 'c', 'd', 'e']) await requestAccess(opened, `${name}@example.com`)
      assert.deepEqual(await kindsTo(opened, 'boss@example.com'), ['access_requests', 'access_requests'])
      const [later] = (await mailsOf(app, '&address=boss@example.com')).map((mail) => mail.next_attempt_at)
      assert.equal(later, new Date(clock() + 3_600_000).toISOString(), 'the second waits and stands for all others')
      assert.deepEqual(await kindsTo(opened, 'other@example.com'), [])
    })

    it('refuses hostile texts, and shows the rest as text', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      const path = await linkTo(opened, 'eve@example.com')
      for (const reason of ['a\u202eb', 'a\u0000b', 'zero\u200bwidth', 'x'.repeat(501), '\u2066']) {
        const refused = await post(app, path, { reason })
        assert.equal(refused.status, 422, JSON.stringify(reason))
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      const huge = `reason=${'x'.repeat(10_000_000)}`
      assert.equal((await app.call('POST', path, { key: null, body: huge, headers: form })).status, 413)
      assert.equal((await post(app, path, { reason: 'ok', first_name: '\u202eevE' })).status, 422)
      const reason = '<script>alert(1)</script> =HYPERLINK("https://evil.example") https://evil.example'
      const again = await post(app, path, { reason, first_name: '<b>', last_name: 'x'.repeat(257) })
      assert.equal(again.status, 422)
      assert.doesNotMatch(again.text, /<script>alert|<b>/)
      assert.equal((await post(app, path, { reason })).status, 200)
      const [request] = (await app.call('GET', '/access-requests')).body
      assert.equal(request.reason, reason)
      const hidden = await decide(opened, request.request_id, { decision: 'decline', reason: 'a\u202eb' })
      assert.equal(hidden.status, 422)
      await decide(opened, request.request_id, { decision: 'decline', reason: '<img src=x> & "more"' })
      const [row] = await app.runSql("SELECT kind, locale, data, expires_at FROM mails WHERE kind = 'access_declined'")
      const parts = { templates: loadTemplates(undefined, 'en'), config: app.config, brand: plainBrand('Orchard') }
      const { html, text } = messageOf(row as Parameters<typeof messageOf>[0], undefined, parts)
      assert.match(text, /Reason: <img src=x> & "more"/)
      assert.match(html, /&lt;img src=x&gt; &amp; &quot;more&quot;/)
      for (const email of ['', 'nobody', 'a@b@c', `${'a'.repeat(300)}@example.com`, 'a\u202e@example.com']) {
        assert.equal((await enter(opened, email)).status, 422, email)
      }
      const across = await post(app, '/request-access', { email: 'a@example.com' }, { 'sec-fetch-site': 'cross-site' })
      assert.equal(across.status, 403)
    })

    it('is decided by those who may create that user, once, and with a reason why not', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      const { key } = await makeKey(app, ['users:read', 'users:write'])
      const { key: reader } = await makeKey(app, ['users:read'])
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Bosses', role: 'admin' } })).body
      const id = await requestAccess(opened, 'ada@example.com')
      const refusals: [object, { key?: string }, number, string][] = [
        [{ decision: 'approve' }, { key: reader }, 403, 'permission_denied'],
        [{ decision: 'approve', role: 'admin' }, { key }, 403, 'role_not_grantable'],
        [{ decision: 'approve', groups: [group_id] }, { key }, 403, 'permission_denied'],
        [{ decision: 'approve', role: 'nobody' }, {}, 422, 'validation_failed'],
        [{ decision: 'approve', groups: ['None'] }, {}, 404, 'group_not_found'],
        [{ decision: 'approve', reason: 'x' }, {}, 422, 'validation_failed'],
        [{ decision: 'decline', role: 'user' }, {}, 422, 'validation_failed'],
        [{ decision: 'approve', attributes: { unknown: 1 } }, {}, 422, 'validation_failed'],
      ]
      const { key: grouper } = await makeKey(app, ['users:read', 'users:write', 'groups:write'])
      refusals.push([{ decision: 'approve', groups: ['bosses'] }, { key: grouper }, 403, 'role_not_grantable'])
      for (const [body, by, status, code] of refusals) {
        const refused = await decide(opened, id, body, by)
        assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(body))
      }
      assert.equal((await app.call('GET', `/access-requests/${id}`)).body.state, 'waiting')
      assert.deepEqual((await app.call('GET', '/users?q=ada')).body, [])
      const raced = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          decide(opened, id, n % 2 === 0 ? { decision: 'approve' } : { decision: 'decline', reason: 'No.' }, { key }),
        ),
      )
      const won = raced.filter(({ status }) => status === 200)
      assert.equal(won.length, 1)
      for (const { status, body } of raced.filter((one) => !won.includes(one)))
        assert.deepEqual([status, body.code], [409, 'access_request_decided'])
      const { state } = won[0]?.body ?? {}
      assert.equal((await app.call('GET', '/users?q=ada')).body.length, state === 'approved' ? 1 : 0)

      const grown = await requestAccess(opened, 'grown@example.com')
      const { user_id } = await createUser(app, { username: 'grown', email: 'Grown@example.com' })
      const request = (await app.call('GET', `/access-requests/${grown}`)).body
      assert.deepEqual([request.state, request.existing_user_id], ['waiting', user_id])
      const late = await decide(opened, grown, { decision: 'approve', username: 'other' })
      assert.deepEqual([late.status, late.body.code], [409, 'email_taken'])
      const path = await linkTo(opened, 'soon@example.com')
      await createUser(app, { username: 'soon', email: 'soon@example.com' })
      const known = await post(app, path, { reason: 'x' })
      assert.equal(known.status, 409)
      assert.match(known.text, /You have an account already/)
    })

    it('gives no password to people whose company signs them in, and says so', async (t) => {
      const opened = await open(t, engine)
      const { app } = opened
      const connection = { kind: 'oidc', issuer: 'https://idp.example', client_id: 'x', client_secret: 'y' }
      const connections = [
        { ...connection, name: 'Acme', domains: ['acme.example'] },
        {
          ...connection,
          name: 'Made There',
          domains: ['made.example'],
          trusted_domains: ['made.example'],
          provisioning_domains: ['made.example'],
        },
      ]
      for (const body of connections) assert.equal((await app.call('POST', '/connections', { body })).status, 201)
      await enter(opened, 'ada@made.example')
      await fulfil(opened)
      assert.deepEqual(await kindsTo(opened, 'ada@made.example'), ['access_company'])
      const path = await linkTo(opened, 'ada@acme.example')
      assert.match((await app.call('GET', path, { key: null })).text, /You will sign in with Acme/)
      await post(app, path, { reason: 'x' })
      const [request] = (await app.call('GET', '/access-requests')).body
      assert.equal(request.company, 'Acme')
      const approved = await decide(opened, request.request_id, { decision: 'approve' })
      assert.deepEqual([approved.status, approved.body.invitation], [200, undefined], approved.text)
      const { invited, has_password } = (await app.call('GET', `/users/${approved.body.user_id}`)).body
      assert.deepEqual([invited === true, has_password], [false, false])
      assert.deepEqual(await kindsTo(opened, 'ada@acme.example'), ['access_request', 'access_company'])
    })

    it('expires after 30 days, is deleted 30 days after its end, and with its user', async (t) => {
      const opened = await open(t, engine)
      const { app, clock } = opened
      const request = () => ({ actor: system, now: clock(), requestId: 'test' })
      const unused = await linkTo(opened, 'unused@example.com')
      const old = await requestAccess(opened, 'old@example.com')
      await clock.pass(dayMs)
      const dead = await app.call('GET', unused, { key: null })
      assert.deepEqual([dead.status, /It has expired/.test(dead.text)], [410, true])
      await clock.pass(29 * dayMs)
      const get = async (id: string) => (await app.call('GET', `/access-requests/${id}`)).body
      assert.equal((await get(old)).state, 'expired')
      assert.deepEqual((await app.call('GET', '/access-requests?state=waiting')).body, [])
      assert.equal((await app.call('GET', '/access-requests?state=expired')).body.length, 1)
      assert.equal((await decide(opened, old, { decision: 'approve' })).body.code, 'access_request_decided')
      for (let n = 0; n < 2; n++) await pruneRequests(app.storage, request())
      const records = (await recordsOf(app)).filter(({ action }) => action === 'access_request.expired')
      assert.equal(records.length, 1)
      assert.equal((await app.call('GET', unused, { key: null })).status, 404)
      await clock.pass(1000)
      const fresh = await requestAccess(opened, 'old@example.com', { first_name: 'Olga' })
      const { user_id } = (await decide(opened, fresh, { decision: 'approve' })).body
      await clock.pass(30 * dayMs - 500)
      await pruneRequests(app.storage, request())
      assert.equal((await get(fresh)).user_id, user_id)
      assert.equal((await get(old)).code, 'access_request_not_found', 'it ended before the other was decided')
      await app.call('DELETE', `/users/${user_id}?purge=true`)
      assert.equal((await get(fresh)).code, 'access_request_not_found')
      const left = (await app.stored()).toString('latin1')
      const rows = await app.runSql("SELECT * FROM mails WHERE address LIKE 'old@%'")
      assert.deepEqual([rows, left.includes('Olga') && engine.name === 'PostgreSQL'], [[], false])
    })
  })
}
