/** The record that says up to which one retention removes the oldest. */
import type { Link } from './service.ts'

export const prunedAction = 'audit.pruned'

/** Up to where such a record says that it goes. */
export function linkOf(what: string | null): Link | undefined {
  if (what === null) return undefined
  const { details } = JSON.parse(what) as { details?: Partial<Link> }
  const { seq, hash } = details ?? {}
  return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined
}
