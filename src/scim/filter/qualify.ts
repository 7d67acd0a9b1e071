import { type Definition, qualified } from '../schemas/definition.ts'
import type { Filter } from './ast.ts'

/** Adds the URNs that a client has left out: `manager eq "…"` becomes `urn:…:User:manager eq "…"`. */
export function qualifyFilter(filter: Filter, definition: Definition): Filter {
  if ('filters' in filter) return { ...filter, filters: filter.filters.map((part) => qualifyFilter(part, definition)) }
  if (filter.kind === 'not') return { ...filter, filter: qualifyFilter(filter.filter, definition) }
  // In brackets are sub-attributes, which have no URN.
  return { ...filter, path: qualified(definition, filter.path) }
}
