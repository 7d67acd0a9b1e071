/** The inactivity rule as a policy: what it may name, and what follows a change. What it means is in core/inactivity.ts. */
import { memberFault, validationFailed } from '../../core/errors.ts'
import {
  type InactivityRule,
  inactivityJob,
  inactivityStop,
  isInactivityName,
  rolesInRule,
} from '../../core/inactivity.ts'
import type { Rules } from '../../core/rules.ts'
import { requestRun } from '../../store/claim-run.ts'
import type { Transaction } from '../../store/db/db.ts'
import { deleteState } from '../../store/state.ts'

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

/** Lets the job look again at once. What was stopped, or confirmed, was the run of another rule. */
export async function beginAnew(db: Transaction): Promise<void> {
  await deleteState(db, inactivityStop)
  await requestRun(db, inactivityJob)
}
