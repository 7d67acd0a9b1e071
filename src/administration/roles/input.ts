/** Validates a caller's input about a role. */
import { type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { meantPermission, parsePermission } from '../../core/permissions.ts'
import { isPermissionForm, isRoleName } from '../../core/role-names.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import type { CreateRole, UpdateRole } from './schema.ts'

/** @throws AppError `validation_failed` with every fault found */
export function checkRoleInput<Input extends CreateRole | UpdateRole>(input: Input): Input {
  const { description = '', permissions = [] } = input
  const faults: InputFault[] = []
  if ('role' in input && !isRoleName(input.role)) {
    const detail = 'A role name has 1 to 64 of a-z, 0-9, _ and -, and begins with a letter.'
    faults.push(memberFault('role', 'role_name_invalid', detail))
  }
  if (hasUnseen(description) || !description.isWellFormed()) {
    faults.push(memberFault('description', 'control_character', unseenRefused))
  }
  faults.push(...permissions.flatMap(permissionFaults))
  if (faults.length > 0) throw validationFailed(faults)
  return input
}

function permissionFaults(permission: string, index: number): InputFault[] {
  const fault = (code: string, detail: string) => [memberFault('permissions', code, detail, index)]
  const { word, isLimited } = parsePermission(permission)
  if (isLimited && !isPermissionForm(permission) && !parsePermission(word).isLimited && isPermissionForm(word)) {
    const meant = meantPermission(word)
    const detail = 'This permission cannot be limited to an organization.'
    return fault('permission_unknown', meant === undefined ? detail : `${detail} Did you mean ${meant}?`)
  }
  if (!isPermissionForm(permission)) {
    return fault('permission_invalid', 'A permission is * or two words with a colon between, such as users:read.')
  }
  const meant = meantPermission(word)
  return meant === undefined
    ? []
    : fault('permission_unknown', `This permission does not exist. Did you mean ${meant}?`)
}
