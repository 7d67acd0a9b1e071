// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Engine, engines, start } from '../harness.ts'
import { createPerson } from '../people.ts'
import { walks } from '../walks.ts'
import {
  Bulk,
  type Change,
  ChangeRole,
  ChangeUser,
  CreateGroup,
  DeleteAndRestore,
  DeleteGroup,
  DeleteUserDry,
  ImportRow,
  ScimActive,
  ScimMembers,
  SetMember,
  SignIn,
  Together,
  UpdateGroup,
} from './commands.ts'
import { checkAll, checkLists, type Service } from './invariants.ts'
import { type Actor, initialRoles, type Model, type ModelUser } from './model.ts'

const { support } = initialRoles
const env = { ROLLBOOK_ROLES: JSON.stringify({ support }) }
const stored = ['auditor', 'root'] as const
const names = ['ada', 'bob', 'cy', 'dora']

class Look implements fc.AsyncCommand<Model, Service> {
  check = () => true
  run = (model: Model, real: Service) => checkLists(model, real)
  toString = () => 'look()'
}

const actor = fc.constantFrom<Actor>('root', 'root', 'clerk', 'clerk', 'clerk', 0, 1, 2)
const place = fc.nat({ max: 3 })
const role = fc.constantFrom('user', 'admin', 'support', 'auditor', 'root')
const groupRole = fc.constantFrom(null, 'support', 'root', 'root', 'auditor')
const permissions = fc.constantFrom(['*'], ['audit:read'], [], ['roles:write', 'users:read', 'groups:read'])
const name = fc.constantFrom('North', 'South', 'support', 'root')
const userChange = fc.record({ role, active: fc.boolean() }, { requiredKeys: [] })
const groupChange = fc.record({ name, role: groupRole }, { requiredKeys: [] })
const newGroup = fc.record({ name, role: groupRole })
const changes: fc.Arbitrary<Change>[] = [
  fc.tuple(actor, place, userChange).map((input) => new ChangeUser(...input)),
  fc.tuple(actor, place).map((input) => new DeleteUserDry(...input)),
  fc.tuple(actor, newGroup).map((input) => new CreateGroup(...input)),
  fc.tuple(actor, place, groupChange).map((input) => new UpdateGroup(...input)),
  fc.tuple(actor, place).map((input) => new DeleteGroup(...input)),
  fc.tuple(actor, place, place, fc.boolean()).map((input) => new SetMember(...input)),
  fc.tuple(actor, place, place, fc.constant(true)).map((input) => new SetMember(...input)),
  fc
    .tuple(
      actor,
      place,
      fc.option(role, { nil: undefined }),
      fc.option(fc.array(place, { maxLength: 2 }), { nil: undefined }),
    )
    .map((input) => new ImportRow(...input)),
]
changes.push(fc.tuple(actor, fc.constantFrom(...stored), permissions).map((input) => new ChangeRole(...input)))
const places = fc.array(place, { minLength: 1, maxLength: 3 })
const bulkAction = fc.oneof(
  fc.constantFrom({ action: 'activate' }, { action: 'deactivate' }, { action: 'deactivate' } as const),
  role.map((one) => ({ action: 'set_role', role: one }) as const),
)
changes.push(
  fc.tuple(place, fc.boolean()).map((input) => new ScimActive(...input)),
  fc.tuple(place, fc.constantFrom('add', 'remove', 'replace'), places).map((input) => new ScimMembers(...input)),
)
const commands = fc.commands(
  [
    ...changes,
    fc.tuple(actor, places, bulkAction).map((input) => new Bulk(...input)),
    fc.tuple(actor, place).map((input) => new DeleteAndRestore(...input)),
    place.map((one) => new SignIn(one)),
    place.map((one) => new SignIn(one)),
    fc.array(fc.oneof(...changes), { minLength: 2, maxLength: 4 }).map((list) => new Together(list)),
    fc.constant(new Look()),
  ],
  { maxCommands: 24, size: 'max' },
)

async function serve(t: Parameters<typeof start>[0], engine: Engine): Promise<Service & { users: Model['users'] }> {
  const app = await start(t, engine, { env })
  const other = engine.name === 'PostgreSQL' ? await start(t, engine, { env, beside: app }) : app
  const people = []
  for (const role of stored) {
    await app.call('POST', '/roles', { body: { role, permissions: initialRoles[role] } })
  }
  for (const username of names) people.push(await createPerson(app, { username }))
  const { key } = (await app.call('POST', '/keys', { body: { name: 'clerk', permissions: support } })).body
  const idp = { name: 'idp', profile: 'strict' }
  const { connection_id } = (await app.call('POST', '/provisioning', { body: idp })).body
  const permissions = [...support, 'scim:write']
  const idpKey = (await app.call('POST', '/keys', { body: { name: 'idp', permissions, connection_id } })).body.key
  const service = { app, other, clerkKey: key, idpKey, check: (model: Model) => checkAll(model, service) }
  return {
    ...service,
    users: people.map(({ user_id, username }) => ({ user_id, username, role: 'user', active: true })),
  }
}

/** An administrator by a group, perhaps another one, a member of the staff, and nobody: brought about by changes, as caches expect. */
async function beginAnew(service: Service, users: Model['users'], isByGroupAlone: boolean): Promise<Model> {
  const { app } = service
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await app.call(method, path, body === undefined ? {} : { body })
    assert.ok(response.status < 300, response.text)
    return response.body
  }
  for (const role of stored) await call('PATCH', `/roles/${role}`, { permissions: initialRoles[role] })
  const model: Model = {
    roles: initialRoles,
    users: users.map((user, n) => ({ ...user, role: n === 0 ? 'admin' : 'user' })),
    groups: [],
  }
  const [first, second, third] = model.users as [ModelUser, ModelUser, ModelUser]
  await call('PATCH', `/users/${first.user_id}?override=true`, { role: first.role, active: true })
  for (const { group_id } of await call('GET', '/groups')) await call('DELETE', `/groups/${group_id}`)
  for (const { user_id, role } of model.users.slice(1))
    await call('PATCH', `/users/${user_id}?override=true`, { role, active: true })
  for (const [name, role, member] of [
    ['North', 'root', second],
    ['South', 'support', third],
  ] as const) {
    const { group_id } = await call('POST', '/groups', { name, role })
    await call('PUT', `/groups/${group_id}/members/${member.user_id}`)
    model.groups.push({ group_id, name, role, members: new Set([member]) })
  }
  if (isByGroupAlone) {
    await call('PATCH', `/users/${first.user_id}`, { role: 'user' })
    first.role = 'user'
  }
  for (const user of model.users) {
    user.isManaged = (await call('GET', `/users/${user.user_id}`)).managed_by !== undefined
  }
  for (const n of [0, 1]) await new SignIn(n).run(model, service)
  return model
}

/** Several tests, because a run ends when none has finished for five minutes. */
const walksInTest = 50
const wanted = walks(200)

for (const engine of engines) {
  describe(`users, groups and their permissions on ${engine.name}`, () => {
    for (let from = 0; from < wanted; from += walksInTest) {
      const numRuns = Math.min(walksInTest, wanted - from)
      const which = `${from + 1} to ${from + numRuns}`
      it(`follow the model: always an administrator, no permission without a source, whatever roles permit, on walks ${which}`, async (t) => {
        const { users, ...service } = await serve(t, engine)
        const property = fc.asyncProperty(commands, fc.boolean(), async (list, isByGroupAlone) => {
          const model = await beginAnew(service, users, isByGroupAlone)
          await fc.asyncModelRun(() => ({ model, real: service }), list)
        })
        await fc.assert(property, { numRuns, endOnFailure: true })
      })
    }
  })
}
