import { change, type Patch, resourceOf, unlessGone } from './change.ts'
import { type Calls, type QueryOf, refusePaging } from './operations.ts'
import type { CallOptions, CreateOptions, ManagedChangeOptions, WriteOptions } from './options.ts'
import type {
  ChangedGroupMembers,
  ChangeGroupMembers,
  ConfirmationOfGroupDeletion,
  CreateGroup,
  Group,
  GroupMembership,
  GroupOfUser,
  ListedUser,
  SetGroupMember,
  UpdateGroup,
} from './types.ts'
import type { UserPage } from './users.ts'

type GroupQuery = QueryOf<'GET /groups'>
type MemberQuery = QueryOf<'GET /groups/{group_id}/members'>
export type GroupPage = { groups: Group[]; next: string | undefined }

/** Groups of users, and their members. */
export class Groups {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Yields every group that matches the query, page by page.
   *
   * ```ts
   * const { group_id } = await client.groups.create({ name: 'On call', role: 'user' })
   * const { user_id } = await client.users.create({ username: 'radia' })
   * await client.groups.addMember(group_id, user_id)
   * for await (const group of client.groups.list({ name: 'on call' })) console.log(group.member_count) // 1
   * ```
   */
  list(query: Omit<GroupQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Group, void, undefined> {
    return this.#calls.pages('GET /groups', { ...options, query })
  }

  /** Returns one page of groups. `next` is the `cursor` of the following page. */
  async page(query: GroupQuery = {}, options: CallOptions = {}): Promise<GroupPage> {
    const { rows, next } = await this.#calls.page('GET /groups', { ...options, query })
    return { groups: rows, next }
  }

  create(body: CreateGroup, options: CreateOptions = {}): Promise<Group> {
    return this.#calls.call('POST /groups', { ...options, body })
  }

  /** Returns the group with this id. Throws `group_not_found` if there is none. */
  get(group_id: string, options: CallOptions = {}): Promise<Group> {
    return this.#calls.call('GET /groups/{group_id}', { ...options, path: { group_id } })
  }

  /** Changes a group. Takes an id or a group, and a patch or a function, like `users.update`. */
  update(group: string | Group, patch: Patch<Group, UpdateGroup>, options: ManagedChangeOptions = {}): Promise<Group> {
    const [group_id, seen] = resourceOf(group, 'group_id')
    return change(patch, options, {
      seen,
      read: (options) => this.get(group_id, options),
      write: (call) => this.#calls.call('PATCH /groups/{group_id}', { ...call, path: { group_id } }),
    })
  }

  /** Deletes a group. Its members stay users. */
  delete(group_id: string, { override, ...options }: ManagedChangeOptions = {}): Promise<ConfirmationOfGroupDeletion> {
    return unlessGone(
      this.#calls.call('DELETE /groups/{group_id}', { ...options, path: { group_id }, query: { override } }),
      options,
      () => ({ group_id, deleted: true }),
    )
  }

  /** Yields every member, from one consistent snapshot, like `users.list`. */
  members(
    group_id: string,
    query: Omit<MemberQuery, 'limit' | 'cursor' | 'offset' | 'count'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListedUser, void, undefined> {
    refusePaging(query)
    const call = { ...options, path: { group_id }, query: { ...query, count: true } }
    return this.#calls.rows('GET /groups/{group_id}/members', call)
  }

  /** Returns one page of members, like `users.page`. */
  async membersPage(group_id: string, query: MemberQuery = {}, options: CallOptions = {}): Promise<UserPage> {
    const call = { ...options, path: { group_id }, query: { limit: 100, ...query } }
    const { rows, next, total, estimated } = await this.#calls.page('GET /groups/{group_id}/members', call)
    return { users: rows, next, total, estimated }
  }

  /** Adds and removes up to 1,000 users in one change. The answer has a result for each. */
  changeMembers(group_id: string, body: ChangeGroupMembers, options: CreateOptions = {}): Promise<ChangedGroupMembers> {
    return this.#calls.call('POST /groups/{group_id}/members', { ...options, path: { group_id }, body })
  }

  /** Adds a user to a group. `expires_at` is the end date of the membership, also of a member; null removes it. */
  addMember(
    group_id: string,
    user_id: string,
    { expires_at, ...options }: WriteOptions & SetGroupMember = {},
  ): Promise<GroupMembership> {
    const body = expires_at === undefined ? {} : { expires_at }
    return this.#calls.call('PUT /groups/{group_id}/members/{user_id}', {
      ...options,
      path: { group_id, user_id },
      body,
    })
  }

  removeMember(group_id: string, user_id: string, options: WriteOptions = {}): Promise<GroupMembership> {
    return this.#calls.call('DELETE /groups/{group_id}/members/{user_id}', { ...options, path: { group_id, user_id } })
  }

  /** Returns the groups of a user, by name. */
  listOf(user_id: string, options: CallOptions = {}): Promise<GroupOfUser[]> {
    return this.#calls.call('GET /users/{user_id}/groups', { ...options, path: { user_id } })
  }
}
