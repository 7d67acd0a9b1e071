/** The changes of a record, as rows of a table. */
import type { AuditRecord } from 'rollbook/client'

export type Change = { member: string; before: string | undefined; after: string | undefined; isSecret: boolean }

/** `undefined` if the member did not exist before or after. */
export function changesOf(changes: AuditRecord['changes']): Change[] {
  return Object.entries(changes ?? {}).map(([member, change]) => {
    if (!isPair(change)) return { member, before: undefined, after: undefined, isSecret: true }
    return { member, before: toText(change.before), after: toText(change.after), isSecret: false }
  })
}

export function detailsOf(details: AuditRecord['details']): [string, string][] {
  return Object.entries(details ?? {}).map(([name, value]) => [name, toText(value) ?? '–'])
}

function isPair(change: unknown): change is { before?: unknown; after?: unknown } {
  return typeof change === 'object' && change !== null
}

function toText(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
