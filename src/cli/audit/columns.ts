/** Flattens audit records for tables and CSV. */
import type { AuditRecord } from '../../sdk/client/index.ts'
import { type Columns, formatOf, type OutputOptions } from '../terminal/output.ts'

export const auditColumns = {
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
} as const

/** The columns of records with a change of one member: that change instead of the address. */
export const changeColumns: Columns = {
  all: auditColumns.all,
  shown: ['seq', 'occurred_at', 'action', 'actor', 'target', 'changes'],
}

/** Returns the record unchanged for JSON, else flattened: `actor` and `target` are then names. In a table, keys are marked. */
export function rowOf(record: AuditRecord, options: OutputOptions): object {
  const isWhole = ['json', 'ndjson'].includes(formatOf(options)) && options.columns === undefined
  if (isWhole) return record
  const { actor, target, ...rest } = record
  const isTable = formatOf(options) === 'table' && options.template === undefined
  return {
    ...rest,
    ...(isTable && { changes: inWords(rest.changes) }),
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor: isTable ? partyName(actor) : (actor.name ?? actor.id),
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    target: target === null ? null : isTable ? partyName(target) : (target.name ?? target.id),
  }
}

/** A key may have the name of a user. */
function partyName({ kind, id, name }: { kind: string; id: string; name: string | null }): string {
  return `${kind === 'api_key' || kind === 'key' ? 'key ' : ''}${name ?? id}`
}

/** `role: user → admin, password: changed` */
function inWords(changes: AuditRecord['changes']): string | null {
  if (changes === null) return null
  const parts = Object.entries(changes).map(([member, change]) => {
    if (typeof change !== 'object' || change === null || !('before' in change) || !('after' in change))
      return `${member}: ${text(change)}`
    return `${member}: ${text(change.before)} → ${text(change.after)}`
  })
  return parts.join(', ')
}

function text(value: unknown): string {
  if (value === null || value === '') return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
