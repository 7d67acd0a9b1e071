/** Deletes through SCIM as through our API, so a user who was deleted by mistake can be restored. */

import * as deletedUsers from '../../administration/deleted-users/service.ts'
import * as groups from '../../administration/groups/service.ts'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import * as users from '../../directory/users/service.ts'
import { isMatch } from '../../http/request/conditional.ts'
import type { ChangeContext } from '../../store/context.ts'
import { readUser } from '../resources/users.ts'
import { isVersionOfGroup } from '../resources/version.ts'

type Condition = { ifMatch: string | undefined }

/** @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `last_admin`, `last_password_admin`, `managed_elsewhere` */
export async function deleteUser(
  ctx: ChangeContext,
  { user_id, graceDays, ifMatch }: Condition & { user_id: string; graceDays: number },
): ReturnType<typeof deletedUsers.remove> {
  if (ifMatch !== undefined) {
    const { version } = await readUser(ctx.db, scopeOf(ctx.actor), await users.holdForChange(ctx, user_id), '')
    if (!isMatch(ifMatch, version)) throw changed('user')
  }
  return deletedUsers.remove(ctx, { user_id, graceDays, expected: undefined })
}

/** @throws AppError `group_not_found`, `precondition_failed`, `role_not_grantable`, `last_admin`, `last_password_admin` */
export async function deleteGroup(
  ctx: ChangeContext,
  { group_id, ifMatch }: Condition & { group_id: string },
): Promise<{ group_id: string }> {
  if (ifMatch !== undefined) {
    const { version } = await groups.getForChange(ctx, group_id, undefined)
    if (!isVersionOfGroup(ifMatch, version)) throw changed('group')
  }
  return groups.remove(ctx, { group_id, expected: undefined })
}

function changed(what: 'user' | 'group'): AppError {
  return new AppError('precondition_failed', `The ${what} has changed since you read it. Read it again, then repeat.`)
}
