/** What must hold after every step: an administrator, permissions with a source, and nothing that was revoked. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Started } from '../harness.ts'
import { administrators, type Model, type ModelUser, permissionsOf, sourcesOf } from './model.ts'

export type Service = {
  app: Started
  /** Another node of the same store, if the engine allows several; else the same one. */
  other: Started
  clerkKey: string
  /** Belongs to a provisioning connection. */
  idpKey: string
  check(model: Model): Promise<void>
}

/** So long may pass until another node knows what was revoked. */
const promisedMs = 1000
/** A machine with other load may take the whole second for one request. */
const leastTries = 20

/** Asks again until the answer is right, or the promised time is over. */
async function soon(
  request: () => Promise<Answer>,
  isRight: (response: Answer) => boolean,
  what: string,
): Promise<void> {
  const begun = performance.now()
  for (let tries = 1; ; tries++) {
    const response = await request()
    if (isRight(response)) return
    const isOver = performance.now() - begun > promisedMs && tries >= leastTries
    assert.ok(!isOver, `${what}: ${response.status} ${response.text}`)
    await sleep(10)
  }
}

function askWith(app: Started, path: string, headers: Record<string, string>): Promise<Answer> {
  return app.call('GET', path, { key: null, headers })
}

const ofBrowser = (cookie: string) => ({ cookie, 'sec-fetch-site': 'same-origin' })

/** If the user has been signed out by a change: the cookie and the token are refused. */
export async function checkEnded(user: ModelUser, { app, other }: Service): Promise<void> {
  const { browser, token, username, isEnded } = user
  Object.assign(user, { isEnded: false })
  if (!isEnded || browser === undefined) return
  Object.assign(user, { browser: undefined, token: undefined })
  assert.equal((await askWith(app, '/me', ofBrowser(browser.cookie))).status, 401, `${username} is signed in`)
  await soon(
    () => askWith(other, '/me', ofBrowser(browser.cookie)),
    ({ status }) => status === 401,
    `${username} there`,
  )
  const isRefused = ({ status }: Answer) => status === 401
  await soon(() => askWith(other, '/me', { authorization: `Bearer ${token}` }), isRefused, `the token of ${username}`)
}

export async function checkAll(model: Model, { app, other }: Service): Promise<void> {
  assert.ok(administrators(model).length > 0, 'an active administrator is left')
  for (const user of model.users) {
    const { browser, token } = user
    if (browser === undefined) continue
    checkSources(model, user, await askWith(app, '/me', ofBrowser(browser.cookie)))
    const held = permissionsOf(model, user)
    const isSame = ({ body }: Answer) => sameSet(body.permissions ?? [], held)
    await soon(() => askWith(other, '/me', ofBrowser(browser.cookie)), isSame, `${user.username} on the other node`)
    const mayRead = held.includes('*') || held.includes('groups:read')
    const read = await askWith(app, '/groups?limit=1', ofBrowser(browser.cookie))
    assert.equal(read.status, mayRead ? 200 : 403, user.username)
    const isNoMore = ({ status }: Answer) => mayRead || status !== 200
    await soon(() => askWith(other, '/groups?limit=1', { authorization: `Bearer ${token}` }), isNoMore, 'an old token')
  }
}

const sameSet = (a: readonly string[], b: readonly string[]) => [...a].sort().join() === [...b].sort().join()

type Source = { role: string; group: { name: string } | null }

/** Each permission has a source, and each source is one that the model knows. */
function checkSources(model: Model, user: ModelUser, { status, text, body }: Answer): void {
  assert.equal(status, 200, text)
  assert.ok(sameSet(body.permissions, permissionsOf(model, user)), `${user.username}: ${text}`)
  const told = (list: readonly { role: string; group: string | null }[]) =>
    list.map(({ role, group }) => `${role} by ${group}`).sort()
  for (const { permission, sources } of body.permission_sources as { permission: string; sources: Source[] }[]) {
    const known = sourcesOf(model, user).filter(({ role }) =>
      (model.roles[role] ?? []).some((one) => one === permission || one === '*'),
    )
    const listedSources = sources.map(({ role, group }) => ({ role, group: group?.name ?? null }))
    assert.deepEqual(told(listedSources), told(known), `${permission} of ${user.username}`)
    assert.ok(sources.length > 0, `${permission} of ${user.username} has a source`)
  }
}

/** The lists show what the model has, and what the store keeps twice agrees. */
export async function checkLists(model: Model, { app }: Service): Promise<void> {
  const listedUsers = (await app.call('GET', '/users?include=groups')).body
  const expected = model.users.map(({ user_id, role, active }) => {
    const groups = model.groups.filter(({ members }) => [...members].some((one) => one.user_id === user_id))
    return { user_id, role, active, groups: groups.map(({ name }) => name).sort() }
  })
  type Shown = { user_id: string; role: string; active: boolean; groups: string[] }
  const listed = (listedUsers as Shown[]).map(({ user_id, role, active, groups }) => ({
    user_id,
    role,
    active,
    groups: groups.toSorted(),
  }))
  assert.deepEqual(
    listed,
    expected.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)),
  )
  const groups = (await app.call('GET', '/groups?sort=created_at')).body as {
    group_id: string
    role: string
    member_count: number
  }[]
  const counted = groups.map(({ group_id, role, member_count }) => `${group_id} ${role} ${member_count}`).sort()
  assert.deepEqual(
    counted,
    model.groups.map(({ group_id, role, members }) => `${group_id} ${role} ${members.size}`).sort(),
  )
  for (const { user_id, group_roles } of await app.runSql('SELECT user_id, group_roles FROM users')) {
    const user = model.users.find((one) => one.user_id === user_id) as ModelUser
    const held = sourcesOf(model, user).flatMap(({ role, group }) => (group === null ? [] : [role]))
    assert.deepEqual(String(group_roles).split(' ').filter(Boolean), [...new Set(held)].sort(), user.username)
  }
}

type Role = { role: string; permissions: string[] }

/** Makes the model what the service shows, and forgets the sessions that are over. */
export async function readAgain(model: Model, { app }: Service): Promise<void> {
  const users = (await app.call('GET', '/users?include=groups')).body
  for (const user of model.users) {
    const { role, active, managed_by } = users.find(({ user_id }: ModelUser) => user_id === user.user_id)
    Object.assign(user, { role, active, isManaged: managed_by !== undefined })
    if (user.browser === undefined) continue
    const { status } = await askWith(app, '/me', ofBrowser(user.browser.cookie))
    if (status === 401) Object.assign(user, { browser: undefined, token: undefined })
  }
  const { body: roles } = await app.call('GET', '/roles')
  model.roles = Object.fromEntries(roles.map(({ role, permissions }: Role) => [role, permissions]))
  const { body: groups } = await app.call('GET', '/groups')
  model.groups = groups.map(({ group_id, name, role }: Model['groups'][number]) => {
    const isMember = ({ user_id }: ModelUser) =>
      users.some((one: { user_id: string; groups: string[] }) => one.user_id === user_id && one.groups.includes(name))
    return { group_id, name, role, members: new Set(model.users.filter(isMember)) }
  })
}
