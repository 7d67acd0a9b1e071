// It belongs to test:rest: random walks, whose rules create.test.ts, update.test.ts and list.test.ts state one by one.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { type Answer, everyEngine, type Started, start } from '../../../test/harness.ts'

type Names = { username: string; email: string | null; external_id: string | null }
type ModelUser = Names & { user_id: string; first_name: string; role: string; active: boolean; etag: string }
type Model = { users: ModelUser[] }
type Changes = Partial<Names & { first_name: string; role: string; active: boolean }>

const keyOf = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Why a user may not be as `next` says: every reason that holds, for the API may name any of them. */
function conflicts({ users }: Model, next: Names & { user_id?: string }): string[] {
  const email = next.email === null ? undefined : keyOf(next.email)
  return users
    .filter(({ user_id }) => user_id !== next.user_id)
    .flatMap((other) => {
      const theirs = [keyOf(other.username), other.email === null ? undefined : keyOf(other.email)]
      return [
        ...(theirs.includes(keyOf(next.username)) ? ['username_taken'] : []),
        ...(email !== undefined && theirs.includes(email) ? ['email_taken'] : []),
        ...(next.external_id !== null && other.external_id === next.external_id ? ['external_id_taken'] : []),
      ]
    })
}

const administers = ({ active, role }: ModelUser): boolean => active && role === 'admin'

function losesLastAdmin({ users }: Model, user: ModelUser, next: ModelUser | undefined): boolean {
  if (!administers(user) || (next && administers(next))) return false
  return !users.some((other) => other !== user && administers(other))
}

/** Refused with one of `faults`; not refused if the list is empty. */
function checkOutcome(response: Answer, faults: string[], status: number): boolean {
  if (faults.length === 0) assert.equal(response.status, status, response.text)
  else assert.ok(faults.includes(response.body.code), `${response.body.code ?? response.status}, not one of ${faults}`)
  return faults.length === 0
}

function checkShown(body: Record<string, unknown>, user: Omit<ModelUser, 'etag'>): void {
  const { username, email, external_id, first_name, role, active, user_id } = body
  const { etag: _, ...expected } = { etag: '', ...user }
  assert.deepEqual({ user_id, username, email, external_id, first_name, role, active }, expected)
}

class Create implements fc.AsyncCommand<Model, Started> {
  readonly members: Changes & { username: string }
  readonly dryRun: boolean
  constructor(members: Changes & { username: string }, dryRun: boolean) {
    this.members = members
    this.dryRun = dryRun
  }
  check = () => true
  async run(model: Model, app: Started): Promise<void> {
    const user = { email: null, external_id: null, first_name: '', role: 'user', active: true, ...this.members }
    const response = await app.call('POST', `/users?dry_run=${this.dryRun}`, { body: this.members })
    if (!checkOutcome(response, conflicts(model, user), this.dryRun ? 200 : 201)) return
    const { user_id } = response.body
    checkShown(response.body, { user_id, ...user })
    if (!this.dryRun) model.users.push({ user_id, ...user, etag: response.headers.etag as string })
  }
  toString = () => `create(${JSON.stringify(this.members)}${this.dryRun ? ', dry' : ''})`
}

type Condition = 'none' | 'current' | 'stale' | 'any'

/** A change of the n-th user, or its deletion when there are no changes. */
class Change implements fc.AsyncCommand<Model, Started> {
  readonly position: number
  readonly changes: Changes | undefined
  readonly condition: Condition
  readonly dryRun: boolean
  constructor(position: number, changes: Changes | undefined, condition: Condition, dryRun: boolean) {
    this.position = position
    this.changes = changes
    this.condition = condition
    this.dryRun = dryRun
  }
  check = ({ users }: Readonly<Model>) => users.length > 0
  async run(model: Model, app: Started): Promise<void> {
    const { changes, condition, dryRun } = this
    const user = model.users[this.position % model.users.length] as ModelUser
    const next = changes && { ...user, ...changes }
    const tag = { none: undefined, current: user.etag, stale: `"0", W/${user.etag}`, any: '*' }[condition]
    const response = await app.call(changes ? 'PATCH' : 'DELETE', `/users/${user.user_id}?dry_run=${dryRun}`, {
      ...(changes && { body: changes }),
      headers: tag === undefined ? {} : { 'if-match': tag },
    })
    const faults = [
      ...(condition === 'stale' ? ['precondition_failed'] : []),
      ...(losesLastAdmin(model, user, next) ? ['last_admin'] : []),
      ...(next ? conflicts(model, next) : []),
    ]
    if (!checkOutcome(response, faults, 200)) return
    if (next) checkShown(response.body, next)
    else {
      const { restorable_until, ...confirmation } = response.body
      assert.deepEqual(confirmation, { user_id: user.user_id, deleted: !dryRun })
      assert.ok(Date.parse(restorable_until) > Date.now())
    }
    if (dryRun) return
    if (next === undefined) {
      model.users = model.users.filter((one) => one !== user)
      return
    }
    const isSame = JSON.stringify(next) === JSON.stringify(user)
    assert.equal(response.headers.etag === user.etag, isSame, 'the ETag changes when, and only when, the user does')
    Object.assign(user, next, { etag: response.headers.etag })
  }
  toString = () =>
    `${this.changes ? `change(${JSON.stringify(this.changes)}` : 'delete('} #${this.position}, ${this.condition}${this.dryRun ? ', dry' : ''})`
}

class Look implements fc.AsyncCommand<Model, Started> {
  check = () => true
  async run({ users }: Model, app: Started): Promise<void> {
    const listed = (await app.call('GET', '/users')).body
    assert.equal(listed.length, users.length)
    for (const [i, user] of users.entries()) {
      checkShown(listed[i], user)
      const found = await app.call('GET', `/users/${user.user_id}`)
      assert.deepEqual([found.body, found.headers.etag], [listed[i], user.etag])
    }
  }
  toString = () => 'look()'
}

const username = fc.constantFrom('ada', 'ADA', 'Ａｄａ', 'é', 'E\u0301', 'bob', 'ada@x.org', 'Bob@x.org', 'eve')
const email = fc.constantFrom('ada@x.org', 'ADA@X.org', 'bob@x.org', 'eve@x.org', 'é@x.org', 'E\u0301@x.org')
const external_id = fc.constantFrom('1', '2', 'a', 'A')
const others = { first_name: fc.constantFrom('', 'Ada'), role: fc.constantFrom('user', 'admin', 'admin') }
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const condition = fc.constantFrom<Condition>('none', 'none', 'current', 'current', 'stale', 'any')
const dryRun = fc.constantFrom(false, false, false, true)
const position = fc.nat({ max: 20 })
const changes = fc.record(
  { username, email: orNull(email), external_id: orNull(external_id), ...others, active: fc.boolean() },
  { requiredKeys: [] },
) as fc.Arbitrary<Changes>
const creation = fc.record({ username, email, external_id, ...others }, { requiredKeys: ['username'] }) as fc.Arbitrary<
  Changes & { username: string }
>
const commands = fc.commands(
  [
    fc.tuple(creation, dryRun).map((input) => new Create(...input)),
    fc.tuple(creation, dryRun).map((input) => new Create(...input)),
    fc.tuple(position, changes, condition, dryRun).map((input) => new Change(...input)),
    fc.tuple(position, changes, condition, dryRun).map((input) => new Change(...input)),
    fc.tuple(position, fc.constant(undefined), condition, dryRun).map((input) => new Change(...input)),
    fc.constant(new Look()),
  ],
  { maxCommands: 60, size: 'max' },
)

for (const engine of everyEngine) {
  describe(`users on ${engine.name} as a whole`, () => {
    it('behave like a list that is kept by hand, whatever is done in whatever order', async (t) => {
      const app = await start(t, engine)
      const property = fc.asyncProperty(commands, async (list) => {
        await app.runSql('DELETE FROM users') // The API would keep the last administrator.
        await fc.asyncModelRun(() => ({ model: { users: [] }, real: app }), list)
      })
      await fc.assert(property, { numRuns: cases(25), seed: 1815 })
    })
  })
}
