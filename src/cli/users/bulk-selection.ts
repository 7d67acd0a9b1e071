/** Selects the users of `rollbook users bulk`. */
import type { BulkFilter, BulkRequest, DeletedUser, DeletedUserFilter } from '../../sdk/client/index.ts'
import { type FindOptions, folded } from '../server/find-user.ts'
import { findLive, type Ids, idsOf, isId, readNames, type Search } from '../server/find-users.ts'
import { deletedFilterOf, filterOf, withIds } from '../server/user-filter.ts'
import { notFound, UsageError } from '../terminal/failure.ts'
import type { Action, RowOptions } from './bulk-options.ts'
import { readEndDate } from './end-date-options.ts'

/** The users as the operator gave them. */
export type Selection = { names: string[] } | { filter: BulkFilter | DeletedUserFilter; except: string[] }

/** The users as the requests name them, and the names that no user has. */
export type Found = { requests: Pick<BulkRequest, 'user_ids' | 'filter' | 'except'>[]; missing: string[] }

const idsAtOnce = 1000

/** Reads the selection. @throws UsageError if that is unclear: no users and no conditions must not mean all users */
export async function readSelection(action: Action, named: readonly string[], options: RowOptions): Promise<Selection> {
  const { to, set, unset = [], group, fromFile, all, except = [], yes, dryRun, printUrl, resend } = options
  const filter = action === 'restore' ? deletedFilter(options) : filterOf(options)
  const hasFilter = Object.keys(filter).length > 0
  const hasNames = named.length > 0 || fromFile !== undefined
  if (action === 'set-locale' && to === undefined) {
    throw new UsageError('Give the new language with --to, such as de, or none to remove it.')
  }
  if (action === 'set-organization' && to === undefined) {
    throw new UsageError('Give the organization with --to: its id or name, or none.')
  }
  if (action === 'set-end-date') {
    if (to === undefined) throw new UsageError('Give the end date with --to, such as 2026-12-31, or none to remove it.')
    if (to !== 'none') readEndDate(to)
  }
  if (action === 'add-to-group' && to !== undefined) readEndDate(to)
  if (action === 'set-attribute' && set === undefined && unset.length === 0) {
    throw new UsageError('Give values with --set department=Sales, or --unset department.')
  }
  if (action === 'set-role' && to === undefined) {
    const hint = options.role === undefined ? '' : ' --role filters by the current role.'
    throw new UsageError(`Give the new role with --to.${hint}`)
  }
  if (
    !['set-role', 'set-locale', 'set-end-date', 'set-organization', 'add-to-group'].includes(action) &&
    to !== undefined
  ) {
    throw new UsageError('--to is only for set-role, set-locale, set-end-date, set-organization and add-to-group.')
  }
  if (action !== 'set-attribute' && (set !== undefined || unset.length > 0)) {
    throw new UsageError('--set and --unset are only for set-attribute.')
  }
  const isForGroup = action === 'add-to-group' || action === 'remove-from-group'
  if (isForGroup && group === undefined) throw new UsageError('Give the group with --group.')
  if (!isForGroup && group !== undefined) {
    throw new UsageError('--group is only for add-to-group and remove-from-group.')
  }
  if (action !== 'invite' && (printUrl || resend)) throw new UsageError('--print-url and --resend are only for invite.')
  if (hasNames && (hasFilter || all || except.length > 0)) {
    throw new UsageError('Give either users or conditions, not both.')
  }
  if (all && hasFilter)
    throw new UsageError('--all means all users, so it cannot be combined with conditions. Leave one of them out.')
  if (!hasNames && !hasFilter && !all) {
    throw new UsageError('Give users, --from-file, conditions such as --disabled, or --all for all users.')
  }
  if (fromFile === '-' && !yes && !dryRun) {
    throw new UsageError(
      'Standard input is used for the users, so it cannot ask for confirmation. Give --yes to confirm.',
    )
  }
  // Otherwise inviting everyone without a password would fail with each service account.
  if (!hasNames) return { filter: action === 'invite' ? { kind: 'person', ...filter } : filter, except }
  return { names: [...new Set([...named, ...(fromFile === undefined ? [] : await readNames(fromFile))])] }
}

/** @throws UsageError for a condition that deleted users do not have */
function deletedFilter(options: RowOptions): DeletedUserFilter {
  const { q, role, ...others } = filterOf(options)
  if (Object.keys(others).length > 0) {
    throw new UsageError('To restore, use only --search, --role, --deleted-after and --deleted-before as conditions.')
  }
  return deletedFilterOf(options)
}

export async function findSelected(selection: Selection, action: Action, search: Search): Promise<Found> {
  if ('filter' in selection && action === 'restore') return findByDeletedFilter(selection, search)
  if ('filter' in selection) {
    const filter = await withIds(selection.filter as BulkFilter, search.client, search.signal)
    if (selection.except.length === 0) return { requests: [{ filter }], missing: [] }
    const { ids, missing } = await findLive(selection.except, search)
    // A user who should be left out does not exist: stop, because it may be a typing error.
    const [unknown] = missing
    if (unknown !== undefined) throw notFound('user', unknown, 'users list')
    return { requests: [{ filter, except: ids }], missing }
  }
  const find = action === 'restore' ? findDeleted : findLive
  const { ids, missing } = await find(selection.names, search)
  return { requests: requestsFor(ids), missing }
}

function requestsFor(ids: readonly string[]): { user_ids: string[] }[] {
  return Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, n) => ({
    user_ids: ids.slice(n * idsAtOnce, (n + 1) * idsAtOnce),
  }))
}

/** The API restores by id, so their ids are read first. */
async function findByDeletedFilter(
  { filter, except }: Extract<Selection, { filter: unknown }>,
  search: Search,
): Promise<Found> {
  const { ids: excepted, missing } = except.length === 0 ? { ids: [], missing: [] } : await findDeleted(except, search)
  const [unknown] = missing
  if (unknown !== undefined) throw notFound('deleted user', unknown, 'users deleted')
  const ids: string[] = []
  for await (const { user_id } of search.client.deletedUsers.list(filter as DeletedUserFilter, {
    signal: search.signal,
  }))
    if (!excepted.includes(user_id)) ids.push(user_id)
  return { requests: requestsFor(ids), missing: [] }
}

/** Reads all of them once: there is no filter for the ids of another system. */
async function findDeleted(names: readonly string[], { client, signal, by }: Search): Promise<Ids> {
  const known = new Map<string, Set<string>>()
  const isNamed = names.some((name) => !isId(name, by))
  for await (const user of isNamed ? client.deletedUsers.list({}, { signal }) : []) {
    for (const text of textsOf(user, by)) {
      if (text !== null) known.set(keyOf(text, by), (known.get(keyOf(text, by)) ?? new Set()).add(user.user_id))
    }
  }
  const found = names.map((name) => {
    if (isId(name, by)) return name.toLowerCase()
    const ids = [...(known.get(keyOf(name, by)) ?? [])]
    if (ids.length <= 1) return ids[0]
    throw new UsageError(`Several deleted users had the name ${name}. Give the id of one of them: ${ids.join(', ')}.`)
  })
  return idsOf(names, found)
}

function textsOf({ username, email, external_id }: DeletedUser, by: FindOptions['by']): (string | null)[] {
  switch (by) {
    case 'username':
      return [username]
    case 'email':
      return [email]
    case 'external-id':
      return [external_id]
    default:
      return [username, email]
  }
}

function keyOf(name: string, by: FindOptions['by']): string {
  return by === 'external-id' ? name : folded(name)
}
