/** Flattens audit records for tables and CSV. */
import type { AuditRecord } from '../../sdk/client/index.ts'
import { type Columns, formatOf, type OutputOptions } from '../terminal/output.ts'

export const auditColumns: Columns = {
  all: [
    'seq',
    'record_id',
    'occurred_at',
    'action',
    'outcome',
    'code',
    'actor_kind',
    'actor_id',
    'actor',
    'target_kind',
    'target_id',
    'target',
    'address',
    'user_agent',
    'request_id',
    'changes',
    'details',
  ],
  shown: ['seq', 'occurred_at', 'action', 'outcome', 'actor', 'target', 'address'],
}

/** Returns the record unchanged for JSON, else flattened: `actor` and `target` are then names. */
export function rowOf(record: AuditRecord, options: OutputOptions): object {
  const isWhole = ['json', 'ndjson'].includes(formatOf(options)) && options.columns === undefined
  if (isWhole) return record
  const { actor, target, ...rest } = record
  return {
    ...rest,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor: actor.name ?? actor.id,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    target: target === null ? null : (target.name ?? target.id),
  }
}
