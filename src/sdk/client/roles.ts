import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import type { Calls } from './operations.ts'
import type { CallOptions, CreateOptions, ManagedChangeOptions } from './options.ts'
import type {
  ConfirmationOfRoleDeletion,
  CreateRole,
  InactivityPreview,
  InactivityStop,
  Policies,
  PreviewInactivity,
  Role,
  UpdatePolicies,
  UpdateRole,
} from './types.ts'

type RoleRemovalOptions = ManagedChangeOptions & {
  /** The role that users and groups with this one get. */
  replaceWith?: string
}

/** The roles of users, and the permissions that each gives. Those of `ROLLBOOK_ROLES` cannot be changed. */
export class Roles {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns every role, with how many users and groups have it. */
  list(options: CallOptions = {}): Promise<Role[]> {
    return this.#calls.call('GET /roles', options)
  }

  /**
   * Creates a role, with some of your own permissions.
   *
   * ```ts
   * await client.roles.create({ role: 'reader', permissions: ['users:read'] })
   * await client.users.create({ username: 'rear.admiral', role: 'reader' })
   * const { deleted } = await client.roles.delete('reader', { replaceWith: 'user' })
   * console.log(deleted) // true
   * ```
   */
  create(body: CreateRole, options: CreateOptions = {}): Promise<Role> {
    return this.#calls.call('POST /roles', { ...options, body })
  }

  /** Returns the role with this name. Throws `role_not_found` if there is none. */
  get(role: string, options: CallOptions = {}): Promise<Role> {
    return this.#calls.call('GET /roles/{role}', { ...options, path: { role } })
  }

  /** Changes a role. Takes a name or a role, and a patch or a function, like `users.update`. */
  update(roleOrName: string | Role, patch: Patch<Role, UpdateRole>, options: ManagedChangeOptions = {}): Promise<Role> {
    const [role, seen] = resourceOf(roleOrName, 'role')
    return change(patch, options, {
      seen,
      read: (options) => this.get(role, options),
      write: (call) => this.#calls.call('PATCH /roles/{role}', { ...call, path: { role } }),
    })
  }

  /**
   * Deletes a role that is not used. With `replaceWith` its holders get another role first; if `deleted` is false then, this
   * continues by itself.
   */
  delete(
    role: string,
    { override, replaceWith, ...options }: RoleRemovalOptions = {},
  ): Promise<ConfirmationOfRoleDeletion> {
    const query = { override, replace_with: replaceWith }
    const call = this.#calls.call('DELETE /roles/{role}', { ...options, path: { role }, query })
    const confirmation = { role, deleted: true, replaced_by: replaceWith ?? null, user_count: 0, group_count: 0 }
    return unlessGone(call, options, () => confirmation)
  }
}

/** Policies for all users. */
export class PoliciesOfUsers {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Returns the policies in force. */
  get(options: CallOptions = {}): Promise<Policies> {
    return this.#calls.call('GET /policies', options)
  }

  /** Changes policies; each is replaced as a whole. */
  update(body: UpdatePolicies, { override, ...options }: ManagedChangeOptions = {}): Promise<Policies> {
    return this.#calls.call('PATCH /policies', { ...options, query: { override }, body })
  }

  /** Returns who is disabled by an inactivity rule that need not be saved; without one, by the rule in force. */
  previewInactivity(body: PreviewInactivity = {}, options: CallOptions = {}): Promise<InactivityPreview> {
    return this.#calls.call('POST /inactivity/preview', { ...options, body })
  }

  /** Lets a stopped run of the inactivity rule continue. */
  confirmInactivity(options: CreateOptions = {}): Promise<InactivityStop> {
    return this.#calls.call('POST /inactivity/confirmation', options)
  }
}
