/**
 * Deletes an organization with its users, from the request to its response. Everything that could be refused is tried before the first
 * change. Then the organization is disabled, so that nobody comes to belong to it; its users are deleted in batches, as by a bulk change;
 * and the rest goes with the last commit. What is cut off is continued by the same request.
 */
import { run as changeUsers, countUsers, type Run } from '../../administration/bulk-changes/service.ts'
import { filtersWithin } from '../../administration/users-list/service.ts'
import { type Actor, organizationOf } from '../../core/actor.ts'
import { AppError, afterParts, type ProblemCode } from '../../core/errors.ts'
import type { ExpectedVersion } from '../../core/expected-version.ts'
import { scopeOf } from '../../core/scope.ts'
import { counted } from '../../lib/amounts.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'

/** A response within half a minute, which proxies and clients wait for. */
const longestMs = 15_000
/** Between two looks at the clock: two batches. */
const deletedAtOnce = 400

export type Deletion = {
  storage: Storage
  organization_id: string
  expected: ExpectedVersion
  override: boolean
  dryRun: boolean
  /** For how many days the users can be restored. */
  graceDays: number
  /** Checks the caller again. */
  request(): Promise<ChangeRequest>
  /** For how long users are deleted before a response says how many are left. */
  budgetMs?: number
}

export type Deleted = {
  organization_id: string
  deleted: boolean
  user_count: number
  /** Missing: none. */
  users_left?: number
  group_count: number
  key_count: number
  connection_count: number
  guest_count: number
}

/**
 * @throws AppError `organization_not_found`, `own_account`, and what refuses a deletion of a user, a group, a key or a connection
 */
export async function deleteWithUsers(deletion: Deletion): Promise<Deleted> {
  const { storage, organization_id, expected, override, dryRun, budgetMs = longestMs } = deletion
  const deadline = performance.now() + budgetMs
  const request = await deletion.request()
  refuseOwn(request.actor, organization_id)
  const rest = { organization_id, expected: undefined, override, isRehearsal: false }
  const { result: found } = await storage.change(
    'organizations.delete_with_belongings',
    { ...rest, expected, isRehearsal: true },
    { ...request, dryRun: true },
  )
  const judged = await changeAll(runOf(deletion, { ...request, dryRun: true }))
  if (dryRun) return { ...found, deleted: false, user_count: judged }
  const closing = { organization_id, input: { active: false }, expected, override }
  await storage.change('organizations.update', closing, request)
  let deleted = 0
  try {
    for (let page = await nextUsers(deletion); page !== undefined; page = await nextUsers(deletion)) {
      deleted += await changeAll(page)
      if (performance.now() < deadline) continue
      const users_left = await countUsers(runOf(deletion, await deletion.request()))
      if (users_left > 0) return { ...found, deleted: false, user_count: deleted, users_left }
    }
    const { result } = await storage.change('organizations.delete_with_belongings', rest, await deletion.request())
    return { ...result, deleted: true, user_count: deleted }
  } catch (error) {
    throw deleted === 0 ? error : afterParts(error, `${counted(deleted, 'user')} are deleted and stay so.`)
  }
}

/** A user who signs in, or a key, could not finish what it has begun. @throws AppError `own_account` */
function refuseOwn(actor: Actor, organizationId: string): void {
  if (organizationOf(actor)?.organization_id !== organizationId) return
  const detail = 'You belong to this organization. A user or key from elsewhere must delete it.'
  throw new AppError('own_account', detail)
}

/** Returns how many users were, or would be, deleted. @throws AppError what refuses the deletion of one of them */
async function changeAll(work: Run): Promise<number> {
  const lines = changeUsers(work)
  for (;;) {
    const { done, value } = await lines.next()
    if (done) return value.changed
    if (value.type !== 'row' || value.verdict !== 'refused') continue
    const { code, detail = '', user_id } = value
    await lines.return({ changed: 0, unchanged: 0, refused: 0 })
    const members = { user_id }
    throw new AppError(code as ProblemCode, `A user of this organization cannot be deleted. ${detail}`, { members })
  }
}

/** The deletion of some of the users; undefined if none is left. */
async function nextUsers(deletion: Deletion): Promise<Run | undefined> {
  const request = await deletion.request()
  const work = runOf(deletion, { ...request, dryRun: false })
  const { storage, filters } = { ...deletion, ...work.selection }
  if (filters === undefined) return undefined
  const { actor } = request
  const user_ids = await storage.query(
    'users.matching',
    { filters, limit: deletedAtOnce },
    { actor, signal: work.signal },
  )
  if (user_ids.length === 0) return undefined
  return { ...work, selection: { ...work.selection, filters: { ...filters, user_ids }, except: new Set() } }
}

function runOf(deletion: Deletion, { actor, now, dryRun = true }: ChangeRequest): Run {
  const { storage, organization_id, graceDays } = deletion
  const { roles, disabledOrganizations } = storage.rules
  return {
    storage,
    rules: { roles, disabledOrganizations, sendsMail: false },
    selection: {
      action: { action: 'delete', graceDays },
      filters: filtersWithin(scopeOf(actor), { organization_id }),
      except: new Set(),
    },
    dryRun,
    // Its own provisioning connections go with it; the others were looked at.
    override: true,
    refusedOnly: true,
    startedAt: now,
    signal: new AbortController().signal,
    request: deletion.request,
    urlOf: () => '',
  }
}
