/** Users, roles, groups and memberships kept by hand: who holds what, from where, and what a change must be refused for. */
import type { Browser, Person } from '../people.ts'

export type Roles = Readonly<Record<string, readonly string[]>>

/** Those at the beginning of a walk. `support` is in the settings, `auditor` and `root` are stored. */
export const initialRoles = {
  admin: ['*'],
  user: [],
  support: ['users:read', 'users:write', 'users:import', 'groups:read', 'groups:write'],
  auditor: ['audit:read'],
  root: ['*'],
} satisfies Roles

export type ModelUser = Pick<Person, 'user_id' | 'username'> & {
  role: string
  active: boolean
  browser?: Browser | undefined
  /** An access token of this session. */
  token?: string | undefined
  /** A change has just ended what the user was signed in with. */
  isEnded?: boolean
  /** The identity provider has changed the user, and others may not change what it says of them. */
  isManaged?: boolean
}
export type ModelGroup = { group_id: string; name: string; role: string | null; members: Set<ModelUser> }
export type Model = { roles: Roles; users: ModelUser[]; groups: ModelGroup[] }

/** Whose key or session makes a change: `clerk` and the identity provider hold what `support` does. */
export type Actor = 'root' | 'clerk' | 'idp' | number

const holds = (held: readonly string[], permission: string) => held.includes('*') || held.includes(permission)

/** The roles that a user has, each with the group that gives it. */
export function sourcesOf({ groups }: Model, user: ModelUser): { role: string; group: string | null }[] {
  const through = groups.flatMap(({ name, role, members }) =>
    role !== null && members.has(user) ? [{ role, group: name }] : [],
  )
  return [{ role: user.role, group: null }, ...through]
}

export function permissionsOf(model: Model, user: ModelUser): string[] {
  return [...new Set(sourcesOf(model, user).flatMap(({ role }) => model.roles[role] ?? []))].sort()
}

function permissionsOfActor(model: Model, actor: Actor): readonly string[] {
  if (actor === 'root') return ['*']
  return actor === 'clerk' || actor === 'idp'
    ? initialRoles.support
    : permissionsOf(model, model.users[actor] as ModelUser)
}

export function administrators(model: Model): ModelUser[] {
  return model.users.filter((user) => user.active && holds(permissionsOf(model, user), '*'))
}

/** What the rules say about a change by a caller with these permissions, on the model as it stands before. */
export class Judge {
  readonly #model: Model
  readonly #held: readonly string[]
  readonly faults: string[] = []

  constructor(model: Model, actor: Actor) {
    this.#model = model
    this.#held = permissionsOfActor(model, actor)
  }

  /** Without the permission nothing else is looked at. */
  may(permission: string): boolean {
    return holds(this.#held, permission)
  }

  changes(...users: readonly ModelUser[]): this {
    return this.#add(
      'user_outranks_caller',
      users.some((user) => !permissionsOf(this.#model, user).every((one) => this.may(one))),
    )
  }

  grants(role: string | null): this {
    return role === null ? this : this.permits(this.#model.roles[role] ?? [])
  }

  permits(permissions: readonly string[]): this {
    return this.#add('role_not_grantable', !permissions.every((one) => this.may(one)))
  }

  /** A group that is named like a role counts as this role. */
  touches({ name, role }: Pick<ModelGroup, 'name' | 'role'>): this {
    return this.grants(role).grants(name in this.#model.roles ? name : null)
  }

  /** Refuses a change after which there is no administrator. */
  leaves(after: Model): this {
    return this.#add('last_admin', administrators(this.#model).length > 0 && administrators(after).length === 0)
  }

  #add(code: string, isFault: boolean): this {
    if (isFault) this.faults.push(code)
    return this
  }
}

/** The model with one user in another state. Groups keep their members. */
export function withUser(model: Model, user: ModelUser, change: Partial<ModelUser>): Model {
  const next = { ...user, ...change }
  return {
    ...model,
    users: model.users.map((one) => (one === user ? next : one)),
    groups: model.groups.map((group) => ({
      ...group,
      members: new Set([...group.members].map((one) => (one === user ? next : one))),
    })),
  }
}

/** The model with one group in another state; undefined without the group. */
export function withGroup(model: Model, group: ModelGroup, change: Partial<ModelGroup> | undefined): Model {
  const groups = model.groups.flatMap((one) =>
    one !== group ? one : change === undefined ? [] : { ...one, ...change },
  )
  return { ...model, groups }
}
