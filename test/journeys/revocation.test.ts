/**
 * Random lives of people, their sessions, access tokens and keys, played against a model that knows which credentials
 * must hold after each step: at once on the node that made the change, within a second on the other one.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Engine, engines, type Started, start } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { cookiesOf, createPerson, signIn } from '../people.ts'

const roles = ['user', 'support', 'analyst']
const ROLLBOOK_ROLES = JSON.stringify({ support: ['users:read'], analyst: ['reports:read'] })

type Person = {
  user_id: string
  username: string
  password: string
  role: string
  active: boolean
  exists: boolean
  /** Refused sign-ins; more than a few would be throttled. */
  refusals: number
  /** Counted up when all that was issued to this person ends. */
  epoch: number
}
type Session = { owner: Person; session_id: string; cookie: string; isEnded: boolean }
type Key = { key_id: string; key: string; isEnded: boolean }
type Token = { jwt: string; of: Session | Key; epoch: number; isEnded: boolean }
type World = { app: Started; people: Person[]; sessions: Session[]; keys: Key[]; tokens: Token[] }

const sameOrigin = { 'sec-fetch-site': 'same-origin' }
const byCookie = ({ cookie }: Session) => ({ key: null, headers: { cookie, ...sameOrigin } })
const byBearer = (text: string) => ({ key: null, headers: { authorization: `Bearer ${text}` } })

const holdsSession = ({ owner, isEnded: ended }: Session): boolean => owner.exists && owner.active && !ended
function holdsToken({ of, epoch, isEnded: ended }: Token): boolean {
  if (ended) return false
  return 'owner' in of ? holdsSession(of) && of.owner.epoch === epoch : !of.isEnded
}

function endEverythingOf({ sessions }: World, person: Person, except?: Session): void {
  person.epoch++
  for (const session of sessions) if (session.owner === person && session !== except) session.isEnded = true
}

let passwords = 0
const newPassword = () => `correct horse battery ${++passwords}`

type Step = { name: string; run(world: World, pick: <T>(list: readonly T[]) => T | undefined): Promise<void> }

async function change(world: World, method: string, path: string, body?: unknown): Promise<void> {
  const response = await world.app.call(method, path, { body })
  assert.equal(response.status, 200, response.text)
}

const present = ({ people }: World) => people.filter(({ exists }) => exists)
const open = ({ sessions }: World) => sessions.filter(holdsSession)

const steps: Step[] = [
  {
    name: 'sign in',
    async run(world, pick) {
      const owner = pick(world.people)
      if (owner === undefined || owner.refusals >= 3) return
      const response = await signIn(world.app, owner.username, owner.password)
      assert.equal(response.status, owner.exists && owner.active ? 201 : 401, response.text)
      if (response.status !== 201) {
        owner.refusals++
        return
      }
      world.sessions.push({ owner, session_id: response.body.session_id, cookie: cookiesOf(response), isEnded: false })
    },
  },
  {
    name: 'take a token for a session',
    async run(world, pick) {
      const session = pick(open(world))
      if (session === undefined) return
      const response = await world.app.call('POST', '/token', byCookie(session))
      assert.equal(response.status, 200, response.text)
      world.tokens.push({ jwt: response.body.access_token, of: session, epoch: session.owner.epoch, isEnded: false })
    },
  },
  {
    name: 'make a key',
    async run(world) {
      const { body } = await world.app.call('POST', '/keys', { body: { name: 'k', permissions: ['users:read'] } })
      world.keys.push({ key_id: body.key_id, key: body.key, isEnded: false })
    },
  },
  {
    name: 'take a token for a key',
    async run(world, pick) {
      const key = pick(world.keys.filter(({ isEnded: ended }) => !ended))
      if (key === undefined) return
      const { body } = await world.app.call('POST', '/token', { key: key.key })
      world.tokens.push({ jwt: body.access_token, of: key, epoch: 0, isEnded: false })
    },
  },
  {
    name: 'disable or enable',
    async run(world, pick) {
      const person = pick(present(world))
      if (person === undefined) return
      await change(world, 'PATCH', `/users/${person.user_id}`, { active: !person.active })
      person.active = !person.active
      if (!person.active) endEverythingOf(world, person)
    },
  },
  {
    name: 'change the role',
    async run(world, pick) {
      const person = pick(present(world))
      const role = pick(roles)
      if (person === undefined || role === undefined) return
      await change(world, 'PATCH', `/users/${person.user_id}`, { role })
      if (role !== person.role) endEverythingOf(world, person)
      person.role = role
    },
  },
  {
    name: 'set a password',
    async run(world, pick) {
      const person = pick(present(world))
      if (person === undefined) return
      const password = newPassword()
      if (passwords % 2 === 0) await change(world, 'PATCH', `/users/${person.user_id}`, { password })
      else await change(world, 'POST', `/users/${person.user_id}/password`, { password })
      person.password = password
      endEverythingOf(world, person)
    },
  },
  {
    name: 'change the own password',
    async run(world, pick) {
      const session = pick(open(world))
      if (session === undefined) return
      const body = { current_password: session.owner.password, new_password: newPassword() }
      const response = await world.app.call('POST', '/me/password', { ...byCookie(session), body })
      assert.equal(response.status, 200, response.text)
      session.owner.password = body.new_password
      endEverythingOf(world, session.owner, session)
    },
  },
  {
    name: 'sign out',
    async run(world, pick) {
      const session = pick(open(world))
      if (session === undefined) return
      assert.equal((await world.app.call('DELETE', '/sessions/current', byCookie(session))).status, 200)
      session.isEnded = true
    },
  },
  {
    name: 'end a session from outside, or all of them',
    async run(world, pick) {
      const session = pick(open(world))
      if (session === undefined) return
      const { user_id } = session.owner
      if (pick([true, false])) {
        await change(world, 'DELETE', `/users/${user_id}/sessions/${session.session_id}`)
        session.isEnded = true
      } else {
        await change(world, 'DELETE', `/users/${user_id}/sessions`)
        for (const other of world.sessions) if (other.owner === session.owner) other.isEnded = true
      }
    },
  },
  {
    name: 'revoke a token',
    async run(world, pick) {
      const token = pick(world.tokens.filter(holdsToken))
      if (token === undefined) return
      await change(world, 'POST', '/revoke', { token: token.jwt })
      token.isEnded = true
    },
  },
  {
    name: 'revoke a key',
    async run(world, pick) {
      const key = pick(world.keys.filter(({ isEnded: ended }) => !ended))
      if (key === undefined) return
      await change(world, 'DELETE', `/keys/${key.key_id}`)
      key.isEnded = true
    },
  },
  {
    name: 'delete',
    async run(world, pick) {
      const person = pick(present(world))
      if (person === undefined) return
      await change(world, 'DELETE', `/users/${person.user_id}`)
      person.exists = false
    },
  },
]

/** What is accepted although it must not be, or refused although it holds. */
async function differences(node: Started, { sessions, keys, tokens }: World): Promise<string[]> {
  const found: string[] = []
  const look = async (what: string, path: string, request: object, holds: boolean) => {
    const { status } = await node.call('GET', path, request)
    if ((status !== 401) !== holds) found.push(`${what} ${holds ? 'refused' : 'accepted'} (${status})`)
  }
  for (const session of sessions) await look('session', '/me', byCookie(session), holdsSession(session))
  for (const { key, isEnded: ended } of keys) await look('key', '/users?limit=1', { key }, !ended)
  for (const token of tokens) await look('token', '/users?limit=1', byBearer(token.jwt), holdsToken(token))
  return found
}

async function live(world: World, other: Started | undefined, choices: readonly number[]): Promise<void> {
  const revokedIds: string[] = []
  let at = 0
  const pick = <T>(list: readonly T[]): T | undefined => list[(choices[at++ % choices.length] ?? 0) % list.length]
  for (const _ of choices) {
    const step = pick(steps) as Step
    revokedIds.push(step.name)
    await step.run(world, pick)
    assert.deepEqual(await differences(world.app, world), [], revokedIds.join(', '))
    if (other === undefined) continue
    const agrees = async () => (await differences(other, world)).length === 0
    await waitUntil(`the other node agrees after: ${revokedIds.join(', ')}`, 1000, agrees)
  }
}

async function newWorld(app: Started): Promise<World> {
  const people: Person[] = []
  for (let i = 0; i < 2; i++) {
    const password = newPassword()
    const { user_id, username, role } = await createPerson(app, { password })
    people.push({ user_id, username, role, password, active: true, exists: true, refusals: 0, epoch: 0 })
  }
  return { app, people, sessions: [], keys: [], tokens: [] }
}

async function play(t: Parameters<typeof start>[0], engine: Engine): Promise<void> {
  const env = { ROLLBOOK_ROLES, ROLLBOOK_RATE_LIMIT: '0' }
  const app = await start(t, engine, { env })
  const other = app.database && (await start(t, engine, { env, beside: app }))
  const choices = fc.array(fc.nat({ max: 5039 }), { minLength: 25, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(choices, async (numbers) => live(await newWorld(app), other, numbers)),
    // A step is a handful of real requests, some with a password to hash; a failure names its steps as it is.
    { numRuns: 4, endOnFailure: true },
  )
}

for (const engine of engines) {
  describe(`after any sequence of events for users on ${engine.name}`, () => {
    it('all valid credentials are accepted, and only those', (t) => play(t, engine))
  })
}
