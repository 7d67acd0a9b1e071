/** Audit records and events for changes of users. */

import type { Person } from '../../core/actor.ts'
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Changes, Placed, PlacedTarget } from '../../store/journal-entry.ts'
import { readValues } from '../attributes/service.ts'
import { updateUserSchema, userSchema } from './schema.ts'
import { toUser, type UserRow } from './store.ts'

/** The visible members that a change can set. */
const members = Object.keys(userSchema.properties).filter(
  (member) => member !== 'attributes' && Object.hasOwn(updateUserSchema.properties, member),
)

/** The differences between two states. A password change is reported without its values. */
export function userChanges(before: UserRow | undefined, after: UserRow | undefined): Changes {
  const changes = changesOf(before && toUser(before), after && toUser(after), members)
  Object.assign(changes, attributeChanges(before, after))
  const hash = (row: UserRow | undefined) => row?.password_hash ?? null
  if (hash(before) !== hash(after)) changes.password = 'changed'
  const mustChange = (row: UserRow | undefined) => row?.must_change_password === 1
  if (mustChange(before) !== mustChange(after)) {
    changes.must_change_password = { before: mustChange(before), after: mustChange(after) }
  }
  return changes
}

/** Each attribute is a member of its own: `attributes.department`. */
function attributeChanges(before: UserRow | undefined, after: UserRow | undefined): Changes {
  const attributesOf = (row: UserRow | undefined) => row?.attributes ?? '{}'
  if (attributesOf(before) === attributesOf(after)) return {}
  const valuesOf = (row: UserRow | undefined) => {
    const values = Object.entries(readValues(attributesOf(row)))
    return Object.fromEntries(values.map(([name, value]) => [`attributes.${name}`, value]))
  }
  const [was, is] = [valuesOf(before), valuesOf(after)]
  return changesOf(was, is, [...new Set([...Object.keys(was), ...Object.keys(is)])])
}

type Named = Pick<UserRow, 'user_id' | 'username'> & Placed

export function userTarget({ user_id, username, organization_id }: Named): PlacedTarget {
  return { kind: 'user', id: user_id, name: username, organization_id }
}

/** The same for what users do to themselves. */
export function personTarget({ user_id, username, organization }: Person): PlacedTarget {
  return userTarget({ user_id, username, organization_id: organization?.organization_id ?? null })
}

/** Contains the user as of now, so that followers need no further request. */
export function emitUser(ctx: ChangeContext, type: `user.${string}`, { user_id, document }: UserRow): void {
  ctx.emit({ type, subject: user_id, owner_id: user_id, data: document })
}
