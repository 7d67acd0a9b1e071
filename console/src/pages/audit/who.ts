/** Names in records: the name at that time, or the ID if the name was erased. */
import type { AuditRecord } from 'rollbook/client'

export function nameOfTarget({
  target,
  actor,
  action,
}: Pick<AuditRecord, 'target' | 'actor' | 'action'>): string | undefined {
  if (target === null) return undefined
  // At a sign-in, actor and target are the same user.
  if (action.startsWith('session.') && target.id === actor.id) return undefined
  // The ID would not help readers; the record shows how many rows were imported.
  if (target.kind === 'import') return target.name ?? undefined
  return target.name ?? target.id
}
