/** What may happen to users and groups, on the service and in the model. */
import assert from 'node:assert/strict'
import type fc from 'fast-check'
import { patchOpUrn } from '../../src/scim/protocol/urns.ts'
import type { Answer } from '../harness.ts'
import { openBrowser } from '../people.ts'
import { checkEnded, readAgain, type Service } from './invariants.ts'
import { type Actor, Judge, type Model, type ModelGroup, type ModelUser, withGroup, withUser } from './model.ts'

type Request = readonly [method: string, path: string, body?: unknown]

/** Sends a request as the actor. */
function send(
  { app, clerkKey, idpKey }: Service,
  model: Model,
  actor: Actor,
  [method, path, body]: Request,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = { ...(body !== undefined && { body }), headers }
  const browser = typeof actor === 'number' ? model.users[actor]?.browser : undefined
  if (browser !== undefined) return browser.call(method, path, request)
  const keys = { clerk: clerkKey, idp: idpKey }
  return app.call(method, path, actor === 'clerk' || actor === 'idp' ? { ...request, key: keys[actor] } : request)
}

/** One change: refused for a reason that the rules give, or done, and then the model does the same. */
export abstract class Change implements fc.AsyncCommand<Model, Service> {
  readonly actor: Actor
  abstract readonly permission: string
  constructor(actor: Actor) {
    this.actor = actor
  }
  abstract request(model: Model): Request
  /** Adds the faults to the judge. Returns how the model changes without one. */
  abstract plan(model: Model, judge: Judge): (response: Answer) => void
  abstract name(): string

  check(model: Readonly<Model>): boolean {
    if (typeof this.actor === 'number' && model.users[this.actor]?.browser === undefined) return false
    return this.isPossible(model)
  }
  isPossible(_model: Readonly<Model>): boolean {
    return true
  }

  /** Returns the code of the refusal, if it was refused. */
  async send(model: Model, real: Service): Promise<{ response: Answer; code: string | undefined }> {
    const response = await send(real, model, this.actor, this.request(model))
    return { response, code: response.status < 300 ? undefined : (response.body.code ?? String(response.status)) }
  }

  async run(model: Model, real: Service): Promise<void> {
    const judge = new Judge(model, this.actor)
    const apply = judge.may(this.permission) ? this.plan(model, judge) : undefined
    const { response: answer, code } = await this.send(model, real)
    const faults = apply === undefined ? ['permission_denied'] : judge.faults
    if (faults.length > 0) assert.ok(faults.includes(code ?? ''), `${code}, not one of ${faults}: ${answer.text}`)
    else {
      assert.equal(code, undefined, answer.text)
      apply?.(answer)
      for (const user of model.users) await checkEnded(user, real)
    }
    await real.check(model)
  }
  toString(): string {
    return `${this.name()} by ${this.actor}`
  }
}

/** A change of the user's own role, or the end of their account, ends what they are signed in with. */
function setUser(user: ModelUser, change: Partial<Pick<ModelUser, 'role' | 'active'>>): void {
  const isEnd = (change.role ?? user.role) !== user.role || (user.active && change.active === false)
  Object.assign(user, change)
  user.isEnded = isEnd
}

const at = <T>(list: readonly T[], place: number): T => list[place % list.length] as T

export class ChangeUser extends Change {
  readonly permission = 'users:write'
  readonly place: number
  readonly change: { role?: string; active?: boolean }
  constructor(actor: Actor, place: number, change: { role?: string; active?: boolean }) {
    super(actor)
    this.place = place
    this.change = change
  }
  request = (model: Model) => ['PATCH', `/users/${at(model.users, this.place).user_id}`, this.change] as const
  plan(model: Model, judge: Judge) {
    const user = at(model.users, this.place)
    judge.changes(user).leaves(withUser(model, user, this.change))
    const { role = user.role, active = user.active } = this.change
    if (role !== user.role) judge.grants(role)
    if (active !== user.active && user.isManaged) judge.faults.push('managed_elsewhere')
    return () => setUser(user, this.change)
  }
  name = () => `change user ${this.place} ${JSON.stringify(this.change)}`
}

export class DeleteUserDry extends Change {
  readonly permission = 'users:write'
  readonly place: number
  constructor(actor: Actor, place: number) {
    super(actor)
    this.place = place
  }
  request = (model: Model) => ['DELETE', `/users/${at(model.users, this.place).user_id}?dry_run=true`] as const
  plan(model: Model, judge: Judge) {
    const user = at(model.users, this.place)
    judge.changes(user).leaves(withUser(model, user, { active: false }))
    if (user.isManaged) judge.faults.push('managed_elsewhere')
    return () => {}
  }
  name = () => `delete user ${this.place}, dry`
}

export class CreateGroup extends Change {
  readonly permission = 'groups:write'
  readonly group: { name: string; role: string | null }
  constructor(actor: Actor, group: { name: string; role: string | null }) {
    super(actor)
    this.group = group
  }
  override isPossible = ({ groups }: Readonly<Model>) => !groups.some(({ name }) => name === this.group.name)
  request = () => ['POST', '/groups', this.group] as const
  plan(model: Model, judge: Judge) {
    judge.touches(this.group)
    return ({ body }: Answer) => void model.groups.push({ ...this.group, group_id: body.group_id, members: new Set() })
  }
  name = () => `create group ${JSON.stringify(this.group)}`
}

abstract class ChangeOfGroup extends Change {
  readonly permission = 'groups:write'
  readonly place: number
  constructor(actor: Actor, place: number) {
    super(actor)
    this.place = place
  }
  override isPossible(model: Readonly<Model>): boolean {
    return model.groups.length > 0
  }
  group(model: Model): ModelGroup {
    return at(model.groups, this.place)
  }
}

export class UpdateGroup extends ChangeOfGroup {
  readonly change: { name?: string; role?: string | null }
  constructor(actor: Actor, place: number, change: { name?: string; role?: string | null }) {
    super(actor, place)
    this.change = change
  }
  override isPossible(model: Readonly<Model>): boolean {
    const { name } = this.change
    return (
      super.isPossible(model) && !model.groups.some((one) => one.name === name && one !== this.group(model as Model))
    )
  }
  request = (model: Model) => ['PATCH', `/groups/${this.group(model).group_id}`, this.change] as const
  plan(model: Model, judge: Judge) {
    const group = this.group(model)
    const next = { ...group, ...this.change }
    judge.touches(group)
    if (next.name !== group.name || next.role !== group.role) {
      judge
        .touches(next)
        .changes(...group.members)
        .leaves(withGroup(model, group, this.change))
    }
    return () => void Object.assign(group, this.change)
  }
  name = () => `update group ${this.place} ${JSON.stringify(this.change)}`
}

export class DeleteGroup extends ChangeOfGroup {
  request = (model: Model) => ['DELETE', `/groups/${this.group(model).group_id}`] as const
  plan(model: Model, judge: Judge) {
    const group = this.group(model)
    judge
      .touches(group)
      .changes(...group.members)
      .leaves(withGroup(model, group, undefined))
    return () => {
      model.groups = model.groups.filter((one) => one !== group)
    }
  }
  name = () => `delete group ${this.place}`
}

export class SetMember extends ChangeOfGroup {
  readonly user: number
  readonly isMember: boolean
  constructor(actor: Actor, place: number, user: number, isMember: boolean) {
    super(actor, place)
    this.user = user
    this.isMember = isMember
  }
  request(model: Model) {
    const { user_id } = at(model.users, this.user)
    return [this.isMember ? 'PUT' : 'DELETE', `/groups/${this.group(model).group_id}/members/${user_id}`] as const
  }
  plan(model: Model, judge: Judge) {
    const [group, user] = [this.group(model), at(model.users, this.user)]
    const members = new Set(group.members)
    if (this.isMember) members.add(user)
    else members.delete(user)
    judge
      .touches(group)
      .changes(user)
      .leaves(withGroup(model, group, { members }))
    return () => {
      group.members = members
    }
  }
  name = () =>
    `${this.isMember ? 'add' : 'remove'} user ${this.user} ${this.isMember ? 'to' : 'from'} group ${this.place}`
}

/** Changes what a stored role permits, for all who have it. Their sessions continue. */
export class ChangeRole extends Change {
  readonly permission = 'roles:write'
  readonly role: string
  readonly permissions: readonly string[]
  constructor(actor: Actor, role: string, permissions: readonly string[]) {
    super(actor)
    this.role = role
    this.permissions = permissions
  }
  request = () => ['PATCH', `/roles/${this.role}`, { permissions: this.permissions }] as const
  plan(model: Model, judge: Judge) {
    const roles = { ...model.roles, [this.role]: this.permissions }
    judge
      .grants(this.role)
      .permits(this.permissions)
      .leaves({ ...model, roles })
    return () => {
      model.roles = roles
    }
  }
  name = () => `change role ${this.role} to ${this.permissions}`
}

/** A row of an import, which may set the role and all groups of a user at once. */
export class ImportRow extends Change {
  readonly permission = 'users:import'
  readonly user: number
  readonly role: string | undefined
  /** Which of the groups the row names. */
  readonly groups: readonly number[] | undefined
  constructor(actor: Actor, user: number, role: string | undefined, groups: readonly number[] | undefined) {
    super(actor)
    this.user = user
    this.role = role
    this.groups = groups
  }
  request(model: Model) {
    const { username } = at(model.users, this.user)
    const row = { username, role: this.role, groups: this.#named(model)?.map(({ name }) => name) }
    return ['POST', '/users/import?mode=update', `${JSON.stringify(row)}\n`] as const
  }
  override async send(model: Model, real: Service) {
    const headers = { 'content-type': 'application/x-ndjson' }
    const response = await send(real, model, this.actor, this.request(model), headers)
    return { response, code: response.status < 300 ? response.body.rejects[0]?.code : response.body.code }
  }
  #named(model: Model): ModelGroup[] | undefined {
    if (model.groups.length === 0) return undefined
    return this.groups && [...new Set(this.groups.map((place) => at(model.groups, place)))]
  }
  plan(model: Model, judge: Judge) {
    const user = at(model.users, this.user)
    const { role = user.role } = this
    const named = this.#named(model)
    const changed = model.groups.filter((one) => named && one.members.has(user) !== named.includes(one))
    judge.changes(user)
    if (role !== user.role) judge.grants(role)
    for (const group of changed) judge.touches(group)
    if (changed.length > 0 && !judge.may('groups:write')) judge.faults.push('permission_denied')
    const toggled = (group: ModelGroup) =>
      new Set([...group.members].filter((one) => one !== user).concat(group.members.has(user) ? [] : [user]))
    let after = model
    for (const group of changed) after = withGroup(after, group, { members: toggled(group) })
    judge.leaves(withUser(after, user, { role }))
    return () => {
      for (const group of changed) group.members = toggled(group)
      setUser(user, { role })
    }
  }
  name = () => `import user ${this.user}, role ${this.role}, groups ${this.groups}`
}

/** A change of the identity provider. SCIM has an error format of its own, so the code follows from the status. */
abstract class ScimChange extends Change {
  readonly permission = 'users:write'
  constructor() {
    super('idp')
  }
  override async send(model: Model, real: Service) {
    const headers = { 'content-type': 'application/scim+json' }
    const response = await send(real, model, this.actor, this.request(model), headers)
    const code = response.status < 300 ? undefined : (scimCodes.get(response.status) ?? response.text)
    return { response, code }
  }
  plan(model: Model, judge: Judge) {
    const apply = this.planScim(model, judge)
    const isForbidden = judge.faults.some((code) => code === 'user_outranks_caller' || code === 'role_not_grantable')
    if (isForbidden) judge.faults.push('forbidden')
    return apply
  }
  abstract planScim(model: Model, judge: Judge): () => void
}

const scimCodes = new Map([
  [403, 'forbidden'],
  [404, 'group_not_found'],
  [409, 'last_admin'],
  [503, 'overloaded'],
])
const patchOf = (operation: object) => ({ schemas: [patchOpUrn], Operations: [operation] })

export class ScimActive extends ScimChange {
  readonly place: number
  readonly active: boolean
  constructor(place: number, active: boolean) {
    super()
    this.place = place
    this.active = active
  }
  request(model: Model) {
    const operation = { op: 'replace', path: 'active', value: this.active }
    return ['PATCH', `/scim/v2/Users/${at(model.users, this.place).user_id}`, patchOf(operation)] as const
  }
  planScim(model: Model, judge: Judge) {
    const user = at(model.users, this.place)
    const { active } = this
    judge.changes(user).leaves(withUser(model, user, { active }))
    return () => {
      if (user.active !== active) user.isManaged = true
      setUser(user, { active })
    }
  }
  name = () => `SCIM sets active of user ${this.place} to ${this.active}`
}

/** Adds or removes members, or replaces all. */
export class ScimMembers extends ScimChange {
  readonly place: number
  readonly op: 'add' | 'remove' | 'replace'
  readonly users: readonly number[]
  constructor(place: number, op: ScimMembers['op'], users: readonly number[]) {
    super()
    this.place = place
    this.op = op
    this.users = users
  }
  override isPossible = ({ groups }: Readonly<Model>) => groups.length > 0
  #named(model: Model): Set<ModelUser> {
    return new Set(this.users.map((place) => at(model.users, place)))
  }
  request(model: Model) {
    const ids = [...this.#named(model)].map(({ user_id }) => user_id)
    const path = `members[${ids.map((id) => `value eq "${id}"`).join(' or ')}]`
    const value = ids.map((id) => ({ value: id }))
    const operation = this.op === 'remove' ? { op: 'remove', path } : { op: this.op, path: 'members', value }
    return ['PATCH', `/scim/v2/Groups/${at(model.groups, this.place).group_id}`, patchOf(operation)] as const
  }
  planScim(model: Model, judge: Judge) {
    const [group, named] = [at(model.groups, this.place), this.#named(model)]
    const before = group.members
    const members =
      this.op === 'add' ? before.union(named) : this.op === 'remove' ? before.difference(named) : new Set(named)
    const touched = this.op === 'add' ? named : before.symmetricDifference(members)
    judge
      .touches(group)
      .changes(...touched)
      .leaves(withGroup(model, group, { members }))
    return () => {
      group.members = members
    }
  }
  name = () => `SCIM ${this.op}s users ${this.users} in group ${this.place}`
}

type BulkAction = { action: 'activate' | 'deactivate' } | { action: 'set_role'; role: string }

/** One change of several users, in their order and the caller last; each is changed or refused by itself. */
export class Bulk extends Change {
  readonly permission = 'users:write'
  readonly places: readonly number[]
  readonly action: BulkAction
  constructor(actor: Actor, places: readonly number[], action: BulkAction) {
    super(actor)
    this.places = places
    this.action = action
  }
  #users(model: Model): ModelUser[] {
    return [...new Set(this.places.map((place) => at(model.users, place)))]
  }
  request(model: Model) {
    return ['POST', '/users/bulk', { ...this.action, user_ids: this.#users(model).map((one) => one.user_id) }] as const
  }
  plan() {
    return () => {}
  }
  #judged(model: Model, user: ModelUser): { faults: readonly string[]; next: Pick<ModelUser, 'role' | 'active'> } {
    const judge = new Judge(model, this.actor)
    const { role, active } = user
    const next =
      this.action.action === 'set_role'
        ? { role: this.action.role, active }
        : { role, active: this.action.action === 'activate' }
    judge.changes(user).leaves(withUser(model, user, next))
    if (next.role !== role) judge.grants(next.role)
    if (next.active !== active && user.isManaged) judge.faults.push('managed_elsewhere')
    return { faults: judge.faults, next }
  }
  override async run(model: Model, real: Service): Promise<void> {
    const isAllowed = new Judge(model, this.actor).may(this.permission)
    const { response: answer, code } = await this.send(model, real)
    assert.equal(code, isAllowed ? undefined : 'permission_denied', answer.text)
    const lines = isAllowed ? answer.text.trim().split('\n') : []
    const rows = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'row')
    assert.equal(rows.length, isAllowed ? this.#users(model).length : 0, answer.text)
    for (const row of rows) {
      const user = model.users.find(({ user_id }) => user_id === row.user_id) as ModelUser
      const { faults, next } = this.#judged(model, user)
      const isSame = next.role === user.role && next.active === user.active
      if (row.verdict === 'refused') assert.ok(faults.includes(row.code), `${row.code}, not one of ${faults}`)
      else {
        assert.equal(row.verdict, isSame ? 'unchanged' : 'changed', answer.text)
        if (!isSame) assert.deepEqual(faults, [], answer.text)
        setUser(user, next)
      }
    }
    for (const user of model.users) await checkEnded(user, real)
    await real.check(model)
  }
  name = () => `bulk ${JSON.stringify(this.action)} of users ${this.places}`
}

/** Deletes a user, who comes back without a session, and in no group that gives more than before. */
export class DeleteAndRestore extends Change {
  readonly permission = 'users:write'
  readonly place: number
  constructor(actor: Actor, place: number) {
    super(actor)
    this.place = place
  }
  request = (model: Model) => ['DELETE', `/users/${at(model.users, this.place).user_id}?override=true`] as const
  plan(model: Model, judge: Judge) {
    const user = at(model.users, this.place)
    judge.changes(user).leaves(withUser(model, user, { active: false }))
    return () => {}
  }
  override async send(model: Model, real: Service) {
    const user = at(model.users, this.place)
    const outcome = await super.send(model, real)
    if (outcome.code !== undefined) return outcome
    const groups = await real.app.call('GET', '/groups')
    const counted = groups.body.reduce((sum: number, one: { member_count: number }) => sum + one.member_count, 0)
    const others = model.groups.flatMap(({ members }) => [...members].filter((one) => one !== user))
    assert.equal(counted, others.length, 'a deleted user is in no group')
    const restored = await real.app.call('POST', `/users/${user.user_id}/restore`)
    assert.equal(restored.status, 200, restored.text)
    user.isEnded = true
    return outcome
  }
  name = () => `delete and restore user ${this.place}`
}

export class SignIn implements fc.AsyncCommand<Model, Service> {
  readonly place: number
  constructor(place: number) {
    this.place = place
  }
  check = (model: Readonly<Model>) => {
    const { active, browser } = at(model.users, this.place)
    return active && browser === undefined
  }
  async run(model: Model, { app }: Service): Promise<void> {
    const user = at(model.users, this.place)
    user.browser = await openBrowser(app, user.username)
    const { body } = await user.browser.call('POST', '/token')
    user.token = body.access_token
  }
  toString = () => `sign in user ${this.place}`
}

/** Several changes at the same moment, of which any may be first: afterwards the rules hold, and the model reads what is left. */
export class Together implements fc.AsyncCommand<Model, Service> {
  readonly changes: readonly Change[]
  constructor(changes: readonly Change[]) {
    this.changes = changes
  }
  check = () => true
  async run(model: Model, real: Service): Promise<void> {
    const possible = this.changes.filter((change) => change.check(model))
    const outcomes = await Promise.all(possible.map((change) => change.send(model, real)))
    for (const { code, response: answer } of outcomes) assert.ok(code === undefined || expected.has(code), answer.text)
    await readAgain(model, real)
    await real.check(model)
  }
  toString = () => `together(${this.changes.join('; ')})`
}

const expected: ReadonlySet<string> = new Set([
  'credential_invalid',
  'forbidden',
  'group_name_taken',
  'group_not_found',
  'group_unknown',
  'last_admin',
  'managed_elsewhere',
  'overloaded',
  'permission_denied',
  'role_not_grantable',
  'user_outranks_caller',
])
