/**
 * One change for many users, from the request to its last line: validates it, and stores its outcome. Leaves the rules to
 * change-users.ts and deleted-users/, going through the users to run.ts.
 */

import { type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import type { Scope } from '../../core/scope.ts'
import { checkUserInput } from '../../directory/users/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { planList, type ScopedFilters } from '../users-list/service.ts'
import type { ManyAction } from './change-users.ts'
import { isMembership } from './memberships.ts'
import type { BulkChange } from './schema.ts'

/** The result of a finished change, which is stored for an Idempotency-Key. */
export type Outcome = { total: number; changed: number; unchanged: number; refused: number }

export type Asked = { action: ManyAction | { action: 'restore' } } & (
  | { user_ids: string[]; filters?: never }
  | { filters: ScopedFilters; except: ReadonlySet<string> }
)

/** Which action sets a member, where its name does not say it. */
const actionsOf: Readonly<Record<string, string>> = { attributes: 'set_attribute', organization_id: 'set_organization' }

/** @throws AppError `validation_failed` with every fault */
export function readBulkChange(
  body: BulkChange,
  config: { roles: Rules['roles']; deletionGraceDays: number },
  { scope, now }: { scope: Scope; now: number },
): Asked {
  const { action, role, attributes, locale, expires_at, organization_id, group_id } = body
  const { user_ids, filter, except, send, resend } = body
  const faults: InputFault[] = []
  if ((user_ids === undefined) === (filter === undefined)) {
    faults.push(memberFault('user_ids', 'invalid', 'Give either user_ids or filter. The filter {} matches every user.'))
  }
  if (filter !== undefined && action === 'restore') {
    faults.push(memberFault('filter', 'invalid', 'Filters do not match deleted users. Restore them by user_ids.'))
  }
  if (except !== undefined && filter === undefined) {
    faults.push(memberFault('except', 'invalid', 'except is allowed only together with filter.'))
  }
  if (role === undefined && action === 'set_role') {
    faults.push(memberFault('role', 'missing_member', 'The action set_role requires role.'))
  }
  if (role !== undefined && action !== 'set_role') {
    faults.push(memberFault('role', 'invalid', 'role is allowed only with the action set_role.'))
  }
  for (const [member, value] of Object.entries({ attributes, locale, expires_at, organization_id })) {
    const own = actionsOf[member] ?? `set_${member}`
    if (value === undefined && action === own) {
      faults.push(memberFault(member, 'missing_member', `The action ${own} requires ${member}.`))
    }
    if (value !== undefined && action !== own && !(member === 'expires_at' && action === 'add_to_group')) {
      faults.push(memberFault(member, 'invalid', `${member} is allowed only with the action ${own}.`))
    }
  }
  if (group_id === undefined && isMembership(body)) {
    faults.push(memberFault('group_id', 'missing_member', `The action ${action} requires group_id.`))
  }
  if (group_id !== undefined && !isMembership(body)) {
    faults.push(memberFault('group_id', 'invalid', 'group_id is allowed only with add_to_group and remove_from_group.'))
  }
  for (const [member, value] of Object.entries({ send, resend })) {
    if (value === undefined || action === 'invite') continue
    faults.push(memberFault(member, 'invalid', `${member} is allowed only with the action invite.`))
  }
  if (faults.length > 0) throw validationFailed(faults)
  if (role !== undefined) checkUserInput({ role }, config.roles)
  const end = expires_at === undefined ? undefined : checkUserInput({ expires_at }, config.roles).expires_at
  const owner =
    organization_id === undefined ? undefined : checkUserInput({ organization_id }, config.roles).organization_id
  const lower = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))]
  const wanted = actionOf(
    {
      ...body,
      ...(end !== undefined && { expires_at: end }),
      ...(owner !== undefined && { organization_id: owner }),
      ...(user_ids && { user_ids: lower(user_ids) }),
    },
    config.deletionGraceDays,
  )
  if (user_ids !== undefined) return { action: wanted, user_ids: lower(user_ids) }
  return {
    action: wanted,
    filters: planList(scope, filter ?? {}, 'json', now, { pointer }).filters,
    except: new Set(lower(except ?? [])),
  }
}

/** Names a filter in refusals. */
function pointer(name: string): string {
  return `#/filter/${name}`
}

function actionOf(
  {
    action,
    role = '',
    attributes = {},
    user_ids,
    locale = null,
    expires_at,
    organization_id = null,
    group_id = '',
    send = true,
    resend = false,
  }: BulkChange,
  graceDays: number,
): Asked['action'] {
  switch (action) {
    case 'add_to_group':
      return { action, group_id: group_id.toLowerCase(), ...(expires_at !== undefined && { expires_at }) }
    case 'remove_from_group':
      return { action, group_id: group_id.toLowerCase() }
    case 'set_role':
      return { action, role }
    case 'set_attribute':
      return { action, values: attributes, isForOne: user_ids?.length === 1 }
    case 'set_locale':
      return { action, locale }
    case 'set_expires_at':
      return { action, expires_at: expires_at ?? null }
    case 'set_organization':
      return { action, organization_id }
    case 'delete':
      return { action, graceDays }
    case 'invite':
      return { action, send, resend }
    default:
      return { action }
  }
}

/** Changes nothing itself: it only stores the response. */
export async function finish(_ctx: ChangeContext, outcome: Outcome): Promise<Outcome> {
  return outcome
}
