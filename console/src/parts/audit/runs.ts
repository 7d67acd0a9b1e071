/** Runs of the same event, which are shown as one row: "14 sign-ins refused". */
import type { AuditRecord } from 'rollbook/client'

/** Records of one event next to each other. The first is shown. */
export type Run = { records: [AuditRecord, ...AuditRecord[]] }

/** Changes differ in their values, so each is shown. */
const single = new Set(['user.updated', 'webhook.updated', 'roles.changed'])

export function runsOf(records: readonly AuditRecord[]): Run[] {
  const runs: Run[] = []
  for (const record of records) {
    const last = runs.at(-1)
    if (last !== undefined && isSameEvent(last.records[0], record)) last.records.push(record)
    else runs.push({ records: [record] })
  }
  return runs
}

function isSameEvent(a: AuditRecord, b: AuditRecord): boolean {
  return (
    !single.has(a.action) &&
    a.action === b.action &&
    a.outcome === b.outcome &&
    a.code === b.code &&
    reasonOf(a) === reasonOf(b) &&
    a.actor.kind === b.actor.kind &&
    a.actor.id === b.actor.id &&
    // Different users in one run: "50 users created". An erased name must not hide whom a refusal was about.
    (a.target?.id === b.target?.id || (a.outcome === 'success' && a.target?.kind === b.target?.kind))
  )
}

export function reasonOf({ details }: Pick<AuditRecord, 'details'>): string | undefined {
  return typeof details?.reason === 'string' ? details.reason : undefined
}
