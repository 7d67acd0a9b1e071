/** What the rows of a batch find: existing users, names, groups and factors, as the rows before them have left these. */

import { memberFault, validationFailed } from '../../../core/errors.ts'
import type { Rules } from '../../../core/rules.ts'
import { refuseNamedOrganization } from '../../../core/scope.ts'
import type { Context } from '../../../store/context.ts'
import { attributeTaken, type Definitions, uniqueEntries, valueName } from '../../attributes/service.ts'
import { refuseLosingLastAdmin } from '../last-admin.ts'
import { refuseManaged } from '../managed.ts'
import { confusableNames, type NameColumn, type NameRule, nameTaken, uniqueNames } from '../names.ts'
import { refuseLosingPasswordAdmin } from '../passwordless/passwordless.ts'
import type { UserRow } from '../store.ts'
import type { Match, SoundArrival } from './arrival.ts'
import type { Directory, KnownOrganization } from './directory.ts'
import type { Memberships } from './groups.ts'
import { refusal, stateAfter, type Write } from './verdict.ts'

export type Judge = Pick<Context, 'actor' | 'now'> & {
  rules: Pick<Rules, 'roles' | 'disabledOrganizations'>
  definitions: Definitions
  newId(): string
}

type Beginning = {
  directory: Directory
  known: readonly UserRow[]
  former: ReadonlySet<string>
  groups: Memberships | undefined
  owners: Map<string, string>
  factorOwners: ReadonlySet<string>
  organizations: readonly KnownOrganization[]
}

/** The existing users that a batch can affect, as the previous rows have left them. */
export class State {
  readonly #ctx: Judge
  readonly #directory: Directory
  readonly #former: ReadonlySet<string>
  readonly #users = new Map<string, UserRow>()
  /** The user who has a name. */
  readonly #owners: Record<NameColumn, Map<string, string>> = {
    username_key: new Map(),
    email_key: new Map(),
    external_id: new Map(),
  }
  readonly #ownersOfValues: Map<string, string>
  readonly #factorOwners: Set<string>
  readonly #organizations: readonly KnownOrganization[]
  /** How many of these checked administrators may have lost the role. */
  #touched = 0
  /** Undefined if no row has groups. */
  readonly groups: Memberships | undefined

  constructor(ctx: Judge, { directory, known, former, groups, owners, factorOwners, organizations }: Beginning) {
    this.#ctx = ctx
    this.#directory = directory
    this.#former = former
    this.groups = groups
    this.#ownersOfValues = owners
    this.#factorOwners = new Set(factorOwners)
    this.#organizations = organizations
    for (const row of known) this.#index(row)
  }

  /** Returns the unique values of attributes that the user has then. */
  put(write: Omit<Write, 'uniqueValues'>): string[] {
    const next = stateAfter(write)
    if (write.factors !== undefined) this.#factorOwners.add(next.user_id)
    if (write.regrouping !== undefined) this.groups?.put(next.user_id, write.regrouping)
    const before = this.#users.get(next.user_id)
    if (before !== undefined) {
      for (const { own } of uniqueNames) if (before[own] !== null) this.#owners[own].delete(before[own])
      for (const name of this.#uniqueValuesOf(before)) this.#ownersOfValues.delete(name)
    }
    this.#touched++
    this.#index(next)
    const values = this.#uniqueValuesOf(next)
    for (const name of values) this.#ownersOfValues.set(name, next.user_id)
    return values
  }

  #uniqueValuesOf(row: UserRow): string[] {
    return uniqueEntries(this.#ctx.definitions, row).map(valueName)
  }

  #index(row: UserRow): void {
    this.#users.set(row.user_id, row)
    for (const { own } of uniqueNames) if (row[own] !== null) this.#owners[own].set(row[own], row.user_id)
  }

  findMatch({ input, imported: brought }: SoundArrival, match: Match): UserRow | undefined {
    const id = {
      username: () => this.#owners.username_key.get(input.username_key ?? ''),
      email: () => (input.email_key ? this.#owners.email_key.get(input.email_key) : undefined),
      external_id: () => (input.external_id ? this.#owners.external_id.get(input.external_id) : undefined),
      user_id: () => brought.user_id,
    }[match]()
    const found = id === undefined ? undefined : this.#users.get(id)
    return found !== undefined && this.#isWithinScope(found) ? found : undefined
  }

  /** Whether the user exists for the caller. To a caller of an organization others only take names. */
  #isWithinScope({ organization_id }: UserRow): boolean {
    const { limitedTo } = this.#ctx.actor
    return limitedTo === undefined || organization_id === limitedTo
  }

  /** @throws AppError `validation_failed` if there is no such organization, `permission_denied` to a caller of one */
  organizationOf({ input, organization }: SoundArrival): Pick<UserRow, 'organization_id'> | undefined {
    if (input.organization_id === undefined && organization === undefined) return undefined
    refuseNamedOrganization(this.#ctx.actor, { organization_id: input.organization_id ?? null })
    if (input.organization_id === null) return { organization_id: null }
    const id = input.organization_id ?? organization?.id
    const found =
      this.#organizations.find((one) => one.organization_id === id) ??
      this.#organizations.find((one) => one.name_key === organization?.name_key)
    if (found !== undefined) return { organization_id: found.organization_id }
    const member = organization === undefined ? 'organization_id' : 'organization'
    const detail = 'This organization does not exist. Create it first, or correct its name.'
    throw validationFailed([memberFault(member, 'organization_unknown', detail)])
  }

  hasFactor(userId: string): boolean {
    return this.#factorOwners.has(userId)
  }

  refuseUsedId(userId: string): void {
    if (!this.#users.has(userId) && !this.#former.has(userId)) return
    throw refusal('user_id', 'user_id_taken', 'Another user has, or had, this user_id.')
  }

  /** Throws what the database would, and also for names that can be confused, which it cannot detect. */
  refuseTaken(row: UserRow, lead = ''): void {
    const isTaken = ({ own, others }: NameRule) => {
      const owner = row[own] === null ? undefined : this.#owners[others].get(row[own])
      return owner !== undefined && owner !== row.user_id
    }
    const taken = uniqueNames.find(isTaken)
    if (taken !== undefined) throw nameTaken({ ...taken, detail: `${lead}${taken.detail}` })
    const confused = confusableNames.find(isTaken)
    if (confused !== undefined) throw nameTaken(confused)
    const values = uniqueEntries(this.#ctx.definitions, row).filter((entry) => {
      const owner = this.#ownersOfValues.get(valueName(entry))
      return owner !== undefined && owner !== row.user_id
    })
    if (values.length > 0) throw attributeTaken([...new Set(values.map(({ attribute }) => attribute))])
  }

  refuseManaged(found: UserRow, next: UserRow): Promise<void> {
    return refuseManaged(this.#ctx, { found, next, find: this.#directory.findConnection })
  }

  afterMove(found: UserRow, next: UserRow): Promise<UserRow> {
    return this.#directory.afterMove(found, next)
  }

  async refuseLosingLastAdmin(found: UserRow, next: UserRow): Promise<void> {
    const { findWithRole: find, passwordAdmins } = this.#directory
    await refuseLosingLastAdmin(this.#ctx, { found, next, find, pending: this.#users, pendingLosses: this.#touched })
    await refuseLosingPasswordAdmin(this.#ctx, passwordAdmins, { found, next, pending: this.#users })
  }
}
