/** The form of role names and permissions, in ROLLBOOK_ROLES as in stored roles. */

const roleName = /^[a-z][a-z0-9_-]{0,63}$/
const permissionWord = /^(\*|[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*)$/

export function isRoleName(text: string): boolean {
  return roleName.test(text)
}

/** Whether it is `*`, or two words such as `users:read`. */
export function isPermissionForm(text: string): boolean {
  return permissionWord.test(text)
}
