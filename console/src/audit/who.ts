/** Names in records: what somebody was called then, or their id when the name was erased. */
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
  // Whoever signs in does it to themselves.
  if (action.startsWith('session.') && target.id === actor.id) return undefined
  return target.name ?? target.id
}
