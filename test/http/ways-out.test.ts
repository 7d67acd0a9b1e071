/** Every pair of states that hold a session: some route leads out of each, by the words of the refusals alone. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginSignIn, codeOf, finishSignIn, type Phone, personWithPhone } from '../factors.ts'
import { type Answer, engines, type Started, start } from '../harness.ts'
import { type Browser, browserAfter, cookiesOf, createPerson, password, signIn } from '../people.ts'

const env = { ROLLBOOK_SECOND_FACTOR: '{"group:Bound":"required"}', ROLLBOOK_RATE_LIMIT: '0' }
const later = 'difference engine no. 2'

type State = {
  /** Whether the policy requires a factor that this session has not shown, and whether there is one. */
  factor: 'free' | 'first' | 'existing'
  /** `refused`: temporary, and a connection refuses it. */
  password: 'own' | 'temporary' | 'refused'
  age: 'fresh' | 'stale'
}

const states: State[] = (['free', 'first', 'existing'] as const).flatMap((factor) =>
  (['own', 'temporary', 'refused'] as const).flatMap((kind) =>
    (['fresh', 'stale'] as const).map((age) => ({ factor, password: kind, age })),
  ),
)
const nameOf = (state: State) => Object.values(state).join(', ')

/** Whose password is refused, and whose last sign-in is too long ago to add a factor, can only sign in again. */
const needsNewSession = (state: State) =>
  state.factor === 'first' && state.password === 'refused' && state.age === 'stale'

type Held = State & { name: string; browser: Browser; phone: Phone | undefined; user_id: string }

/** A session in each state, of which nothing is cached yet. */
async function holdEach(app: Started, clock: { now: number }): Promise<Held[]> {
  const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Bound' } })).body
  const glass = await createPerson(app, { username: 'glass', role: 'admin' })
  const held: Held[] = []
  for (const [i, state] of states.entries()) {
    const domain = state.password === 'refused' ? 'refused.example' : 'other.example'
    const members = { username: `held-${i}`, email: `held-${i}@${domain}`, role: 'admin' }
    const isExisting = state.factor === 'existing'
    const person = isExisting ? await personWithPhone(app, clock.now, members) : await createPerson(app, members)
    const { user_id, username } = person
    const phone = 'phone' in person ? (person.phone as Phone) : undefined
    if (state.factor !== 'free') await app.call('PUT', `/groups/${group_id}/members/${user_id}`)
    if (state.password !== 'own') {
      await app.call('POST', `/users/${user_id}/password`, { body: { password, must_change: true } })
    }
    const signedIn = isExisting
      ? await finishSignIn(app, await beginSignIn(app, username), {
          code: codeOf(phone?.secret ?? '', clock.now + 30_000),
        })
      : await signIn(app, username)
    assert.equal(signedIn.status, 201, signedIn.text)
    const browser = browserAfter(app, signedIn)
    const ago = `'${new Date(clock.now - 3_600_000).toISOString()}'`
    const isStale = state.age === 'stale'
    // As of a company that does not report when it authenticated the user.
    const authTime = state.password === 'refused' ? "'1970-01-01T00:00:00.000Z'" : isStale ? ago : 'auth_time'
    await app.runSql(
      `UPDATE sessions SET amr = 'pwd', auth_time = ${authTime}, created_at = ${isStale ? ago : 'created_at'}
       WHERE session_id = '${browser.session_id}'`,
    )
    held.push({ ...state, name: nameOf(state), browser, phone, user_id })
  }
  clock.now += 60_000
  const connection = { kind: 'oidc', name: 'Company', issuer: 'https://id.example.com', client_id: 'c' }
  const refusing = {
    domains: ['refused.example'],
    passwords: 'refused_for_domains',
    password_exceptions: [glass.user_id],
  }
  const created = await app.call('POST', '/connections', { body: { ...connection, ...refusing } })
  assert.equal(created.status, 201, created.text)
  return held
}

const named = (text: string) => [...text.matchAll(/\b(?:GET|POST|DELETE) \/[\w/-]+/g)].map(([way]) => way)

/** Does what a refusal names; a further refusal names what comes before. Returns whether the session was given up. */
async function follow(person: Held, refused: Answer, clock: { now: number }, depth = 0): Promise<boolean> {
  const { browser, phone, name } = person
  assert.equal(refused.status, 403, `${name}: ${refused.text}`)
  assert.ok(depth < 4, `${name}: in circles at ${refused.text}`)
  const ways = named(refused.body.detail)
  const code = () => codeOf(phone?.secret ?? '', clock.now)
  const wanted = ways.find((way) => (phone === undefined ? true : way !== 'POST /me/factors/totp'))
  switch (wanted) {
    case 'POST /me/factors/totp': {
      const begun = await browser.call('POST', '/me/factors/totp')
      if (begun.status !== 201) return follow(person, begun, clock, depth + 1)
      const { factor_id, secret } = begun.body
      const path = `/me/factors/totp/${factor_id}/confirm`
      const confirmed = await browser.call('POST', path, { body: { code: codeOf(secret, clock.now) } })
      assert.equal(confirmed.status, 200, `${name}: ${confirmed.text}`)
      person.phone = { factor_id, secret }
      return false
    }
    case 'POST /sessions/current/reauthentication': {
      const body = phone === undefined ? { password } : { code: code() }
      const confirmed = await browser.call('POST', '/sessions/current/reauthentication', { body })
      if (confirmed.status === 200) {
        clock.now += 30_000
        return false
      }
      assert.deepEqual([confirmed.body.code, needsNewSession(person)], ['password_refused', true], confirmed.text)
      assert.match(confirmed.body.detail, /sign in there again/)
      return true
    }
    case 'POST /me/password': {
      const body = { current_password: password, new_password: later }
      const changed = await browser.call('POST', '/me/password', { body })
      if (changed.status !== 200) return follow(person, changed, clock, depth + 1)
      return false
    }
    default:
      assert.fail(`${name}: no way is named in ${refused.text}`)
  }
}

const fieldIn = (text: string, field: string) => new RegExp(`name="${field}" value="([^"]*)"`).exec(text)?.[1]

for (const engine of engines) {
  describe(`a session that is held on ${engine.name}`, () => {
    it('reads itself and signs out in every state, and gets out by what the refusals name', async (t) => {
      const clock = { now: Date.now() }
      const app = await start(t, engine, { env, clock: () => clock.now })
      const counts = { held: 0, free: 0, again: 0 }
      for (const person of await holdEach(app, clock)) {
        const { browser, name } = person
        const me = await browser.call('GET', '/me')
        assert.equal(me.status, 200, `${name}: ${me.text}`)
        const first = person.factor !== 'free'
        const second = person.password === 'temporary'
        assert.deepEqual([me.body.must_add_factor, me.body.must_change_password], [first, second], name)
        assert.equal((await browser.call('DELETE', '/sessions/current?dry_run=true')).status, 200, name)
        let probe = await browser.call('GET', '/users')
        counts[probe.status === 200 ? 'free' : 'held']++
        assert.equal(probe.status === 200, !first && !second, `${name}: ${probe.text}`)
        if (first && second) assert.equal(probe.body.code, 'factor_required', name)
        let isOver = false
        for (let steps = 0; probe.status !== 200 && !isOver; steps++) {
          assert.ok(steps < 6, `${name}: ${probe.text}`)
          assert.ok(named(probe.body.detail).includes('DELETE /sessions/current'), probe.text)
          isOver = await follow(person, probe, clock)
          probe = await browser.call('GET', '/users')
        }
        assert.equal(isOver, needsNewSession(person), name)
        if (isOver) counts.again++
        assert.equal((await browser.call('DELETE', '/sessions/current')).status, 200, name)
      }
      assert.deepEqual(counts, { held: 14, free: 4, again: 1 })
    })

    it('gets out on the pages without scripts, and can sign out on each of them', async (t) => {
      const clock = { now: Date.now() }
      const app = await start(t, engine, { env, clock: () => clock.now })
      for (const person of await holdEach(app, clock)) {
        const { browser, name, phone } = person
        const form = { 'content-type': 'application/x-www-form-urlencoded' }
        const seen: string[] = []
        let place = '/login?return_to=%2Freports'
        let current = await browser.call('GET', place)
        const post = (path: string, fields: Record<string, string>) =>
          browser.call('POST', path, { headers: form, body: `${new URLSearchParams(fields)}` })
        for (let steps = 0; place !== '/reports'; steps++) {
          assert.ok(steps < 20, `${name}: ${seen.join(' ')}`)
          if (current.status === 303) {
            place = new URL(String(current.headers.location), `http://x${place}`).pathname
            const { search } = new URL(String(current.headers.location), `http://x${place}`)
            if (place === '/reports') break
            place = place.replace(/^\/auth/, '')
            current = await browser.call('GET', place + search)
            continue
          }
          seen.push(place)
          assert.ok(current.status < 400, `${name} at ${place}: ${current.status} ${current.text}`)
          const returnTo = fieldIn(current.text, 'return_to')
          const back: Record<string, string> = returnTo === undefined ? {} : { return_to: returnTo }
          const factor_id = fieldIn(current.text, 'factor_id')
          const next = /<a class="action" href="([^"]+)"/.exec(current.text)?.[1]
          if (place === '/add-factor' && factor_id !== undefined) {
            const secret = /<code class="key">([A-Z2-7 ]+)<\/code>/.exec(current.text)?.[1]?.replaceAll(' ', '') ?? ''
            person.phone = { factor_id, secret }
            current = await post('/add-factor', { ...back, factor_id, code: codeOf(secret, clock.now) })
            assert.match(current.text, /<ul class="codes" id="codes">/, name)
          } else if (next !== undefined) {
            current = { ...current, status: 303, headers: { location: next.replaceAll('&amp;', '&') } }
          } else {
            assert.match(current.text, /action="logout"/, `${name}: ${place}`)
            if (place === '/add-factor') current = await post('/add-factor', back)
            else if (place === '/confirm' && needsNewSession(person)) break
            else if (place === '/confirm') {
              const code = codeOf((person.phone ?? phone)?.secret ?? '', clock.now)
              current = await post('/confirm', { ...back, ...(person.phone ? { code } : { password }) })
              clock.now += 30_000
            } else {
              assert.equal(place, '/change-password', name)
              const fields = { current_password: password, new_password: later, new_password_again: later }
              current = await post('/change-password', { ...back, ...fields })
            }
          }
        }
        const isHeld = person.factor !== 'free' || person.password === 'temporary'
        assert.equal(seen.length > 0, isHeld, `${name}: ${seen}`)
        const [factorAt, passwordAt] = [seen.indexOf('/add-factor'), seen.indexOf('/change-password')]
        if (person.factor === 'first' && person.password === 'temporary') assert.ok(factorAt < passwordAt, `${seen}`)
        assert.equal(passwordAt >= 0, person.password === 'temporary', `${name}: ${seen}`)
        const refused = await browser.call('GET', '/change-password')
        if (person.password === 'refused' && !needsNewSession(person))
          assert.match(refused.text, /You do not need a password/)
        assert.ok(cookiesOf(await post('/logout', {})) !== '', name)
      }
    })
  })
}
