/**
 * The memberships of an import's users, as the rows before have left them. Groups know users, and not the other way round, so
 * their rules and statements are passed in.
 */

import { AppError, memberFault, type ProblemCode, validationFailed } from '../../../core/errors.ts'
import type { Rules } from '../../../core/rules.ts'
import type { Context } from '../../../store/context.ts'
import type { UserRow } from '../store.ts'

export type ImportedGroup = {
  group_id: string
  name: string
  name_key: string
  role: string | null
  managed_by: string | null
  organization_id: string | null
}

export type Wanted = { name_keys: readonly string[]; user_ids: readonly string[] }

export type KnownGroups = {
  /** The groups with one of these names, and the groups of these users. */
  groups: readonly ImportedGroup[]
  /** The ids of the groups of each user. */
  memberships: ReadonlyMap<string, readonly string[]>
  /** Those of them whose membership has an end date. */
  ending: ReadonlyMap<string, readonly string[]>
}

type Caller = Pick<Context, 'actor'> & { rules: Pick<Rules, 'roles'> }

export type GroupDirectory = {
  find(wanted: Wanted): Promise<KnownGroups>
  /** @throws AppError if the caller may not change who is a member */
  refuseChange(ctx: Caller, group: ImportedGroup): void
}

/** For a change, which holds the groups before it holds the users. */
export type GroupWriter = GroupDirectory & {
  lock(wanted: Wanted): Promise<void>
  write(changes: readonly MemberChange[], details: Record<string, unknown>): Promise<void>
}

export type Regrouping = {
  added: readonly ImportedGroup[]
  removed: readonly ImportedGroup[]
  /** All groups of the user afterwards, and their roles as the user's row has them. */
  groups: readonly ImportedGroup[]
} & Pick<UserRow, 'group_roles' | 'ending_roles'>

export type MemberChange = Pick<Regrouping, 'added' | 'removed'> &
  Pick<UserRow, 'user_id' | 'username' | 'organization_id'> & { isNew: boolean }

const unknownGroup = (place: number) =>
  `Group ${place + 1} of this row does not exist. Create it first, or correct its name.`

export class Memberships {
  readonly #directory: GroupDirectory
  readonly #byKey = new Map<string, ImportedGroup>()
  readonly #ending: KnownGroups['ending']
  readonly #ofUser = new Map<string, readonly ImportedGroup[]>()

  constructor(directory: GroupDirectory, { groups, memberships, ending }: KnownGroups) {
    this.#directory = directory
    this.#ending = ending
    const byId = new Map(groups.map((group) => [group.group_id, group]))
    for (const group of groups) this.#byKey.set(group.name_key, group)
    for (const [userId, ids] of memberships) {
      this.#ofUser.set(
        userId,
        ids.flatMap((id) => byId.get(id) ?? []),
      )
    }
  }

  /** @throws AppError `validation_failed` if there is no group with one of these names */
  named(nameKeys: readonly string[]): ImportedGroup[] {
    const found = nameKeys.map((key, place) => {
      const group = this.#byKey.get(key)
      if (group === undefined) {
        throw validationFailed([memberFault('groups', 'group_unknown', unknownGroup(place), place)])
      }
      return group
    })
    return [...new Set(found)]
  }

  /** The memberships to add and remove so that the user is in exactly these groups. Undefined if nothing changes. `left`: an organization. */
  change(userId: string, wanted: readonly ImportedGroup[], left: string | null = null): Regrouping | undefined {
    // A move has removed the memberships of the groups of the organization that the user left.
    const before = (this.#ofUser.get(userId) ?? []).filter((group) => left === null || group.organization_id !== left)
    const added = wanted.filter((group) => !before.includes(group))
    const removed = before.filter((group) => !wanted.includes(group))
    if (added.length + removed.length === 0) return undefined
    const ending = this.#ending.get(userId) ?? []
    const rolesOf = (groups: readonly ImportedGroup[]) => new Set(groups.flatMap(({ role }) => role ?? []))
    const roles = rolesOf(wanted)
    // A membership that stays keeps its end date.
    const lasting = rolesOf(wanted.filter((group) => !before.includes(group) || !ending.includes(group.group_id)))
    const asText = (some: ReadonlySet<string>) => [...some].sort().join(' ')
    return {
      added,
      removed,
      groups: wanted,
      group_roles: asText(roles),
      ending_roles: asText(roles.difference(lasting)),
    }
  }

  /** @throws AppError `permission_denied`, `role_not_grantable` */
  refuse(ctx: Caller, { added, removed }: Regrouping): void {
    try {
      for (const group of [...added, ...removed]) this.#directory.refuseChange(ctx, group)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw atGroups(error.code, error.message)
    }
  }

  put(userId: string, { groups }: Regrouping): void {
    this.#ofUser.set(userId, groups)
  }
}

function atGroups(code: ProblemCode, detail: string): AppError {
  return new AppError(code, detail, { errors: [memberFault('groups', code, detail)] })
}

/** The membership changes in the writes of an import. */
export function memberChanges(
  writes: readonly { found: UserRow | undefined; next: UserRow; regrouping?: Regrouping | undefined }[],
): MemberChange[] {
  return writes.flatMap(({ found, next: { user_id, username, organization_id }, regrouping }) => {
    if (regrouping === undefined) return []
    const { added, removed } = regrouping
    return [{ user_id, username, organization_id, isNew: found === undefined, added, removed }]
  })
}
