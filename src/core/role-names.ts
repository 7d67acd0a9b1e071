/** The form of role names and permissions, in ROLLBOOK_ROLES as in stored roles. */
import { isScopable, parsePermission } from './permissions.ts'

const roleName = /^[a-z][a-z0-9_-]{0,63}$/
const permissionWord = /^(\*|[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*)$/

export function isRoleName(text: string): boolean {
  return roleName.test(text)
}

/** Whether it is `*`, two words such as `users:read`, or one that can be limited, as `users:read@organization`, or `*@organization`. */
export function isPermissionForm(text: string): boolean {
  const { word, isLimited } = parsePermission(text)
  return isLimited ? word === '*' || isScopable(word) : permissionWord.test(text)
}
