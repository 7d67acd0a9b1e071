/** The record that announces how far retention deletes the oldest records. */
import type { Link } from './audit.ts'

export const prunedAction = 'audit.pruned'

/** Returns up to which record such an announcement goes. */
export function linkOf(what: string | null): Link | undefined {
  if (what === null) return undefined
  const { details } = JSON.parse(what) as { details?: Partial<Link> }
  const { seq, hash } = details ?? {}
  return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined
}
