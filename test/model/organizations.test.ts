import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Answer, type Engine, engines, type Started, start } from '../harness.ts'
import { createOrganization } from '../organizations.ts'
import { type Browser, createPerson, openBrowser } from '../people.ts'
import { walks } from '../walks.ts'

/** Everything that can be limited to an organization. */
const manager = [
  'users:read',
  'users:write',
  'users:import',
  'groups:read',
  'groups:write',
  'sessions:write',
  'audit:read',
]
const limited = manager.map((word) => `${word}@organization`)
const env = {
  ROLLBOOK_ROLES: JSON.stringify({ manager: limited, reader: ['users:read'], helper: ['users:read@organization'] }),
}

/** Two organizations, and what belongs to none. */
const homes = ['north', 'south', 'none'] as const
type Home = (typeof homes)[number]
const people = ['chief', 'deputy', 'clerk'] as const

type Known = { id: string; name: string; home: Home }
type World = {
  app: Started
  /** The ids of the two organizations. */
  organizations: Record<Exclude<Home, 'none'>, string>
  users: Known[]
  groups: Known[]
  /** The browser of each organization's chief, who is limited to it, and a key of the organization. */
  browsers: Record<Exclude<Home, 'none'>, Browser>
  keys: Record<Exclude<Home, 'none'>, string>
  /** Where each user or group has been, by id: audit records stay where their target was at that time. */
  formerHomes: Map<string, Set<Home>>
}
type Caller = { home: Exclude<Home, 'none'>; by: 'session' | 'key' }

const at = <T>(list: readonly T[], place: number): T => list[place % list.length] as T

/** One request of a limited caller, which may name what belongs elsewhere. */
type Act = (world: World, own: Exclude<Home, 'none'>) => readonly [method: string, path: string, body?: unknown]

const place = fc.nat({ max: 8 })
const role = fc.constantFrom('user', 'manager', 'helper', 'reader', 'admin')
const user = (world: World, n: number) => at(world.users, n).id
const group = (world: World, n: number) => at(world.groups, n).id
const named = (act: Act, name: string): Act => Object.assign(act, { toString: () => name })

const acts: fc.Arbitrary<Act>[] = [
  fc
    .constantFrom(
      '/users',
      '/users?count=true&limit=2',
      '/users?include=groups',
      '/groups',
      '/statistics',
      '/roles',
      '/audit',
      '/deleted-users',
      '/imports',
      '/users?q=south',
      '/users?sort=username&limit=3',
    )
    .map((path) => named(() => ['GET', path], `GET ${path}`)),
  place.map((n) => named((world) => ['GET', `/users/${user(world, n)}`], `get user ${n}`)),
  place.map((n) => named((world) => ['GET', `/groups/${group(world, n)}`], `get group ${n}`)),
  place.map((n) => named((world) => ['GET', `/groups/${group(world, n)}/members`], `members of ${n}`)),
  place.map((n) => named((world) => ['GET', `/users?group=${group(world, n)}`], `list group ${n}`)),
  fc
    .tuple(place, role)
    .map(([n, one]) => named((world) => ['PATCH', `/users/${user(world, n)}`, { role: one }], `role ${one} for ${n}`)),
  fc
    .tuple(place, fc.boolean())
    .map(([n, active]) =>
      named((world) => ['PATCH', `/users/${user(world, n)}`, { active }], `active ${active} for ${n}`),
    ),
  fc
    .tuple(place, fc.constantFrom(...homes))
    .map(([n, home]) =>
      named(
        (world) => [
          'PATCH',
          `/users/${user(world, n)}`,
          { organization_id: home === 'none' ? null : world.organizations[home] },
        ],
        `move ${n} to ${home}`,
      ),
    ),
  place.map((n) => named((world) => ['DELETE', `/users/${user(world, n)}?dry_run=true`], `delete ${n}, dry`)),
  place.map((n) => named((world) => ['DELETE', `/users/${user(world, n)}/sessions`], `sign ${n} out`)),
  fc
    .tuple(place, place, fc.boolean())
    .map(([g, n, isIn]) =>
      named(
        (world) => [isIn ? 'PUT' : 'DELETE', `/groups/${group(world, g)}/members/${user(world, n)}`],
        `${isIn ? 'add' : 'remove'} ${n}, group ${g}`,
      ),
    ),
  fc
    .tuple(place, fc.option(role))
    .map(([g, one]) =>
      named((world) => ['PATCH', `/groups/${group(world, g)}`, { role: one }], `role ${one} for group ${g}`),
    ),
  fc
    .tuple(place, role)
    .map(([n, one]) =>
      named(
        (world) => [
          'POST',
          '/users/import?mode=update',
          `${JSON.stringify({ username: at(world.users, n).name, role: one })}\n`,
        ],
        `import ${n} as ${one}`,
      ),
    ),
  fc
    .tuple(fc.array(place, { minLength: 1, maxLength: 4 }), fc.constantFrom('activate', 'deactivate'))
    .map(([list, action]) =>
      named(
        (world) => [
          'POST',
          '/users/bulk',
          { select: { user_ids: [...new Set(list.map((n) => user(world, n)))] }, action },
        ],
        `${action} ${list}`,
      ),
    ),
]

/** What callers of the whole service do meanwhile. */
const outside: fc.Arbitrary<Act>[] = [
  fc
    .tuple(fc.nat({ max: 2 }), place)
    .map(([g, n]) =>
      named((world) => ['PUT', `/groups/${group(world, g)}/members/${user(world, n)}`], `guest ${n} of ${g}`),
    ),
  fc
    .tuple(place, fc.constantFrom(...homes))
    .map(([n, home]) =>
      named(
        (world) => [
          'PATCH',
          `/users/${user(world, n)}`,
          { organization_id: home === 'none' ? null : world.organizations[home] },
        ],
        `root moves ${n} to ${home}`,
      ),
    ),
  fc
    .tuple(fc.constantFrom('north', 'south'), fc.boolean())
    .map(([home, active]) =>
      named(
        (world) => ['PATCH', `/organizations/${world.organizations[home as 'north']}`, { active }],
        `${home} ${active}`,
      ),
    ),
]

type Snapshot = { users: Map<string, string>; groups: Map<string, string>; administrators: number }
type Listed = { user_id: string; username: string; organization_id?: string; role: string; active: boolean }

/** All that callers of the whole service see, except what a look itself changes. */
async function snapshotOf({
  app,
  organizations,
  formerHomes,
}: World): Promise<Snapshot & { homeOf: Map<string, Home> }> {
  const homeOf = new Map<string, Home>()
  const whose = (id: string | undefined): Home =>
    id === organizations.north ? 'north' : id === organizations.south ? 'south' : 'none'
  const { body: users } = await app.call('GET', '/users')
  const { body: groups } = await app.call('GET', '/groups')
  const snapshot: Snapshot = { users: new Map(), groups: new Map(), administrators: 0 }
  for (const { last_login_at: _, updated_at: __, ...one } of users as (Listed & Record<string, unknown>)[]) {
    homeOf.set(one.user_id, whose(one.organization_id))
    snapshot.users.set(one.user_id, JSON.stringify(one))
    if (one.role === 'admin' && one.active) snapshot.administrators++
  }
  for (const { updated_at: _, member_count: __, guest_count: ___, ...one } of groups) {
    homeOf.set(one.group_id, whose(one.organization_id))
    const { body: members } = await app.call('GET', `/groups/${one.group_id}/members`)
    const outsiders = members
      .filter(({ user_id }: Listed) => homeOf.get(user_id) !== whose(one.organization_id))
      .map(({ user_id }: Listed) => user_id)
    const all = members.map(({ user_id }: Listed) => user_id).sort()
    // Of a group of the own organization, the guests must stay as they are.
    snapshot.groups.set(one.group_id, JSON.stringify({ ...one, all, guests: outsiders.sort() }))
  }
  for (const [id, home] of homeOf) formerHomes.set(id, (formerHomes.get(id) ?? new Set()).add(home))
  return { ...snapshot, homeOf }
}

function send(world: World, { home, by }: Caller, [method, path, body]: ReturnType<Act>): Promise<Answer> {
  const headers = typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {}
  const request = { ...(body !== undefined && { body }), headers }
  return by === 'key'
    ? world.app.call(method, path, { ...request, key: world.keys[home] })
    : world.browsers[home].call(method, path, request)
}

/** A step of a caller who is limited to an organization. */
class Limited implements fc.AsyncCommand<object, World> {
  readonly caller: Caller
  readonly act: Act
  constructor(caller: Caller, act: Act) {
    this.caller = caller
    this.act = act
  }
  check = () => true
  async run(_: object, world: World): Promise<void> {
    const { home } = this.caller
    const before = await snapshotOf(world)
    const request = this.act(world, home)
    const response = await send(world, this.caller, request)
    const after = await snapshotOf(world)
    const what = `${this.toString()}: ${response.status} ${response.text}`
    for (const kind of ['users', 'groups'] as const) {
      for (const [id, text] of before[kind])
        if (before.homeOf.get(id) !== home) assert.equal(after[kind].get(id), text, `changed outside: ${what}`)
      for (const id of after[kind].keys())
        if (!before[kind].has(id)) assert.equal(after.homeOf.get(id), home, `created outside: ${what}`)
    }
    for (const [id, text] of before.groups) {
      const now = after.groups.get(id)
      if (now !== undefined) assert.deepEqual(JSON.parse(now).guests, JSON.parse(text).guests, `guests: ${what}`)
    }
    assert.ok(after.administrators > 0, 'an active administrator of the service is left')
    // What the caller has named itself may be repeated.
    const said = JSON.stringify(request)
    for (const one of [...world.users, ...world.groups]) {
      if (before.homeOf.get(one.id) === home) continue
      if (request[1].startsWith('/audit') && world.formerHomes.get(one.id)?.has(home)) continue
      if (!said.includes(one.id)) assert.ok(!response.text.includes(one.id), `learns of ${one.name}: ${what}`)
      if (!said.includes(one.name)) assert.ok(!response.text.includes(one.name), `learns of ${one.name}: ${what}`)
    }
    const other = world.organizations[home === 'north' ? 'south' : 'north']
    if (!said.includes(other)) assert.ok(!response.text.includes(other), `learns of the other organization: ${what}`)
  }
  toString = () => `${this.act} by the ${this.caller.by} of ${this.caller.home}`
}

/** A step of a caller of the whole service, who may be refused as always. */
class Outside implements fc.AsyncCommand<object, World> {
  readonly act: Act
  constructor(act: Act) {
    this.act = act
  }
  check = () => true
  async run(_: object, world: World): Promise<void> {
    const [method, path, body] = this.act(world, 'north')
    const { status, text } = await world.app.call(method, path, body === undefined ? {} : { body })
    assert.ok(status < 500, text)
    assert.ok((await snapshotOf(world)).administrators > 0)
  }
  toString = () => String(this.act)
}

const caller = fc.record({
  home: fc.constantFrom('north' as const, 'south' as const),
  by: fc.constantFrom('session' as const, 'key' as const),
})
const limitedStep = fc.tuple(caller, fc.oneof(...acts)).map((input) => new Limited(...input))
const commands = fc.commands(
  [limitedStep, limitedStep, limitedStep, fc.oneof(...outside).map((act) => new Outside(act))],
  {
    maxCommands: 12,
    size: 'max',
  },
)

async function serve(t: Parameters<typeof start>[0], engine: Engine): Promise<World> {
  const app = await start(t, engine, { env })
  const world = { app, users: [], groups: [], formerHomes: new Map() } as unknown as World
  await createPerson(app, { username: 'root-admin', role: 'admin' })
  world.organizations = { north: await createOrganization(app), south: await createOrganization(app) }
  world.browsers = {} as World['browsers']
  world.keys = {} as World['keys']
  for (const home of homes) {
    const organization_id = home === 'none' ? undefined : world.organizations[home]
    for (const name of people) {
      const username = `${home}-${name}`
      const { user_id } = await createPerson(app, { username, role: 'user' })
      world.users.push({ id: user_id, name: username, home })
    }
    const name = `Team of ${home}`
    const { body } = await app.call('POST', '/groups', { body: { name, ...(organization_id && { organization_id }) } })
    world.groups.push({ id: body.group_id, name, home })
    if (home === 'none' || organization_id === undefined) continue
    const key = { name: `key-${home}`, permissions: limited, organization_id }
    const created = await app.call('POST', '/keys', { body: key })
    assert.equal(created.status, 201, created.text)
    world.keys[home] = created.body.key
  }
  return world
}

/** Brings everything back to where it was. */
async function beginAnew(world: World): Promise<void> {
  const { app, organizations } = world
  for (const id of Object.values(organizations)) {
    const { status, text } = await app.call('PATCH', `/organizations/${id}`, { body: { active: true } })
    assert.equal(status, 200, text)
  }
  for (const { id, name, home } of world.users) {
    const organization_id = home === 'none' ? null : organizations[home]
    const role = name.endsWith('-chief') && home !== 'none' ? 'manager' : 'user'
    const { status, text } = await app.call('PATCH', `/users/${id}`, { body: { role, active: true, organization_id } })
    assert.equal(status, 200, text)
  }
  for (const [n, { id }] of world.groups.entries()) {
    const { status, text } = await app.call('PATCH', `/groups/${id}`, { body: { role: null } })
    assert.equal(status, 200, text)
    for (const one of world.users) await app.call('DELETE', `/groups/${id}/members/${one.id}`)
    // A member of the own organization, and a guest.
    for (const member of [n * people.length + 1, (n * people.length + 4) % 9])
      await app.call('PUT', `/groups/${id}/members/${world.users[member]?.id}`)
  }
  for (const home of ['north', 'south'] as const) world.browsers[home] = await openBrowser(app, `${home}-chief`)
}

/** Several tests, because a run ends when none has finished for five minutes. */
const walksInTest = 20
const wanted = walks(40)

for (const engine of engines) {
  describe(`callers who are limited to an organization on ${engine.name}`, () => {
    for (let from = 0; from < wanted; from += walksInTest) {
      const numRuns = Math.min(walksInTest, wanted - from)
      it(`learn of nothing outside and change nothing there, whatever moves meanwhile, on walks ${from + 1} to ${from + numRuns}`, async (t) => {
        const world = await serve(t, engine)
        const property = fc.asyncProperty(commands, async (list) => {
          await beginAnew(world)
          await fc.asyncModelRun(() => ({ model: {}, real: world }), list)
        })
        await fc.assert(property, { numRuns, endOnFailure: true })
      })
    }
  })
}
