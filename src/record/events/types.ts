/** What can happen to what. */
export const eventTypes = [
  'user.created',
  'user.updated',
  'user.signed_in',
  'user.deleted',
  'user.restored',
  'user.erased',
  'session.created',
  'session.ended',
  'key.created',
  'key.rotated',
  'key.revoked',
  'role.created',
  'role.updated',
  'role.deleted',
] as const

export type EventType = (typeof eventTypes)[number]

/** After these there is nothing left of what they are about; a deleted user may be restored, and is told anew then. */
export const endings: readonly string[] = [
  'user.deleted',
  'user.erased',
  'session.ended',
  'key.revoked',
  'role.deleted',
] satisfies EventType[]

/** What a filter can say: a type, or all of a noun as `user.*`. */
export const eventFilters: ReadonlySet<string> = new Set(
  eventTypes.flatMap((type) => [`${type.split('.', 1)[0]}.*`, type]),
)

/** Whether a filter, or none, lets an event of this type through. */
export function isWanted(filters: readonly string[] | null, type: string): boolean {
  return filters === null || filters.includes(type) || filters.includes(type.replace(/\..*/, '.*'))
}
