/** Names in records: the name at that time, or the ID if the name was erased. */
import type { AuditRecord } from 'rollbook/client'

export function nameOfActor({ actor }: Pick<AuditRecord, 'actor'>): string | undefined {
  if (actor.kind === 'anonymous') return undefined
  return actor.name ?? actor.id
}

export function nameOfTarget({
  target,
  actor,
  action,
}: Pick<AuditRecord, 'target' | 'actor' | 'action'>): string | undefined {
  if (target === null) return undefined
  // At a sign-in, actor and target are the same user.
  if (action.startsWith('session.') && target.id === actor.id) return undefined
  return target.name ?? target.id
}
