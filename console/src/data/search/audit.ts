/** The state of the audit page, as its address has it. The filters are those of the API. */
import type { AuditFilter } from 'rollbook/client'

export const outcomes = ['success', 'failure', 'denied'] as const
export const actorKinds = ['user', 'api_key', 'service', 'setup_link', 'system', 'anonymous'] as const

export type AuditSearch = {
  /** One action or several: `user.updated`, `user.*`. */
  action?: string | string[]
  /** A member that was changed. */
  changed?: string
  outcome?: (typeof outcomes)[number]
  actor?: string
  actor_kind?: (typeof actorKinds)[number]
  target?: string
  /** The id of an organization. */
  organization?: string
  request_id?: string
  occurred_after?: string
  occurred_before?: string
  /** `seq`: oldest first. */
  sort?: 'seq'
}

const actionForm = /^[a-z][a-z_]*\.([a-z_]+|\*)$/
// A number in an address is parsed as a number, and IDs may look like one.
const text = (value: unknown, longest: number) =>
  (typeof value === 'string' || typeof value === 'number') && String(value) !== ''
    ? String(value).trim().slice(0, longest) || undefined
    : undefined
const instant = (value: unknown) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined)

/** Reads an address. Invalid values are left out. */
export function auditSearch(raw: Record<string, unknown>): AuditSearch {
  const actions = [raw.action].flat().filter((one): one is string => typeof one === 'string' && actionForm.test(one))
  const search: { [Name in keyof AuditSearch]: AuditSearch[Name] | undefined } = {
    action: actions.length > 1 ? actions.slice(0, 50) : actions[0],
    changed: typeof raw.changed === 'string' && /^[a-z][a-z_]{0,63}$/.test(raw.changed) ? raw.changed : undefined,
    outcome: outcomes.find((one) => one === raw.outcome),
    actor: text(raw.actor, 1024),
    actor_kind: actorKinds.find((one) => one === raw.actor_kind),
    target: text(raw.target, 1024),
    organization: text(raw.organization, 64),
    request_id: text(raw.request_id, 128),
    occurred_after: instant(raw.occurred_after),
    occurred_before: instant(raw.occurred_before),
    sort: raw.sort === 'seq' ? 'seq' : undefined,
  }
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as AuditSearch
}

export function actionsOf({ action }: AuditSearch): string[] {
  return action === undefined ? [] : [action].flat()
}

/** Returns the filters as the API takes them, without the order. */
export function filterOf({ action: _, sort: __, ...rest }: AuditSearch, actions: readonly string[]): AuditFilter {
  return { ...rest, ...(actions.length > 0 && { action: [...actions] }) }
}

export function isFiltered({ sort: _, ...filters }: AuditSearch): boolean {
  return Object.keys(filters).length > 0
}
