/** Bounds the work of filters: how many values one request compares. */
import { ScimError, type ScimType } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'
import type { Filter } from './ast.ts'

/** Called before a condition is compared with these values of one resource. @throws ScimError */
export type Spend = (values: readonly (Json | undefined)[]) => void

/** `spent`: the comparisons so far. */
export interface Work {
  readonly spend: Spend
  readonly spent: () => number
}

/** A longer text counts as several comparisons. */
const charactersAtOnce = 64

/** Allows `most` comparisons: of each condition with each resource, and with each of its values if it has several. */
export function boundedWork(most: number, reason: ScimType, detail: string): Work {
  let spent = 0
  return {
    spent: () => spent,
    spend(values) {
      spent += Math.max(values.length, 1)
      for (const value of values) if (typeof value === 'string') spent += Math.floor(value.length / charactersAtOnce)
      if (spent > most) throw new ScimError(reason, detail)
    },
  }
}

/** How many comparisons a filter has. */
export function conditionsIn(filter: Filter): number {
  if ('filters' in filter) return filter.filters.reduce((sum, part) => sum + conditionsIn(part), 0)
  if (filter.kind === 'not') return conditionsIn(filter.filter)
  if (filter.kind !== 'element') return 1
  return conditionsIn(filter.filter) + (filter.test === undefined ? 0 : 1)
}
