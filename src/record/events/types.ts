/** The types of events. */
const eventTypes = [
  'user.created',
  'user.updated',
  'user.signed_in',
  'user.deleted',
  'user.restored',
  'user.expired',
  'user.erased',
  'attribute.created',
  'attribute.updated',
  'attribute.deleted',
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'setup_link.created',
  'setup_link.revoked',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.member_added',
  'group.member_removed',
  'factor.added',
  'factor.renamed',
  'factor.removed',
  'connection.created',
  'connection.updated',
  'connection.deleted',
  'identity.linked',
  'identity.removed',
  'session.created',
  'session.ended',
  'key.created',
  'key.updated',
  'key.rotated',
  'key.revoked',
  'role.created',
  'role.updated',
  'role.deleted',
  'access_request.created',
  'access_request.approved',
  'access_request.declined',
  'access_request.expired',
  'branding.updated',
  'review.created',
  'review.updated',
  'review.due',
  'review.closed',
] as const

export type EventType = (typeof eventTypes)[number]

/** After these events nothing is left of their subject; a restored user is announced again. */
export const endings: readonly string[] = [
  'user.deleted',
  'user.erased',
  'attribute.deleted',
  'organization.deleted',
  'setup_link.revoked',
  'group.deleted',
  'group.member_removed',
  'factor.removed',
  'connection.deleted',
  'identity.removed',
  'session.ended',
  'key.revoked',
  'role.deleted',
  'access_request.approved',
  'access_request.declined',
  'access_request.expired',
] satisfies EventType[]

/** A filter is a type, or all types of a noun such as `user.*`. */
export const eventFilters: ReadonlySet<string> = new Set(
  eventTypes.flatMap((type) => [`${type.split('.', 1)[0]}.*`, type]),
)

/** Whether a filter, or none, accepts an event of this type. */
export function isWanted(filters: readonly string[] | null, type: string): boolean {
  return filters === null || filters.includes(type) || filters.includes(type.replace(/\..*/, '.*'))
}
