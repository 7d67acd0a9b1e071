/** The inactivity rule as a policy: what it may name, and how it is stored. What it means is in core/inactivity.ts. */
import { memberFault, validationFailed } from '../../core/errors.ts'
import {
  type InactivityPolicy,
  type InactivityRule,
  inactivityJob,
  inactivityStop,
  isInactivityName,
  rolesInRule,
} from '../../core/inactivity.ts'
import type { Rules } from '../../core/rules.ts'
import { timestamp } from '../../lib/instant.ts'
import { changesOf } from '../../record/journal/service.ts'
import { requestRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { AuditEntry } from '../../store/journal-entry.ts'
import { deleteState } from '../../store/state.ts'
import * as store from './store.ts'

/** Returns the rule. @throws AppError `validation_failed` */
export function checkRule({ roles }: Pick<Rules, 'roles'>, rule: InactivityRule): InactivityRule {
  const fault = (code: string, detail: string) => memberFault('inactivity', code, detail)
  const faults = Object.entries(rule).flatMap(([name, { days, notice_days }]) => {
    if (!isInactivityName(name)) {
      return [fault('invalid', `"${name}" is neither *, a role, group:<name>, kind:service nor managed.`)]
    }
    if (notice_days >= days) return [fault('invalid', `notice_days of "${name}" must be fewer than its days.`)]
    return []
  })
  const unknown = rolesInRule(rule).filter((role) => !Object.hasOwn(roles, role))
  if (unknown.length > 0) {
    const all = Object.keys(roles).join(', ')
    faults.push(fault('role_unknown', `It names roles that do not exist: ${unknown.join(', ')}. The roles are ${all}.`))
  }
  if (faults.length > 0) throw validationFailed(faults)
  return rule
}

type Change = { row: store.PolicyRow; record: AuditEntry }

/** Stores the rule. Returns undefined if nothing changes. A rule that begins tells everyone first who is overdue. */
export async function setRule(
  ctx: ChangeContext,
  found: store.PolicyRow | undefined,
  input: InactivityRule | null,
): Promise<Change | undefined> {
  const before = ctx.rules.inactivity
  const rule = input === null ? null : checkRule(ctx.rules, input)
  const changes = changesOf({ inactivity: before?.rule ?? null }, { inactivity: rule }, ['inactivity'])
  if (Object.keys(changes).length === 0) return undefined
  const policy: InactivityPolicy | null = rule && { since: before?.since ?? timestamp(ctx.now), rule }
  const row = {
    name: 'inactivity' as const,
    version: (found?.version ?? 0) + 1,
    value: JSON.stringify(policy),
    managed_by: null,
    updated_at: timestamp(ctx.now),
  }
  await store.setPolicy(ctx.db, row)
  // What was stopped, or confirmed, was the run of another rule.
  await deleteState(ctx.db, inactivityStop)
  await requestRun(ctx.db, inactivityJob)
  return { row, record: { action: 'policies.updated', target: { kind: 'policy', id: 'inactivity' }, changes } }
}
