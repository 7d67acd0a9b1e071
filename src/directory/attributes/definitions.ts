/** The definitions in force, ready to check values against. A change reads them in its own transaction. */

import type { Db } from '../../store/db/db.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import type { Attribute } from './schema.ts'
import * as store from './store.ts'

export type Definition = Attribute & {
  /** Undefined if every text will do. */
  compiled: Pattern | undefined
  /** Whether filters find values through the index. */
  isIndexed: boolean
}

export type Definitions = ReadonlyMap<string, Definition>

const none: Definitions = new Map()

/** The definitions as of now. */
export async function readDefinitions(db: Db): Promise<Definitions> {
  return compileAll(await store.listDefinitions(db))
}

/** The same in a change: until it ends, no other change alters a definition. */
export async function holdDefinitions(db: Db): Promise<Definitions> {
  return compileAll(await store.listHeldDefinitions(db))
}

async function compileAll(rows: readonly store.DefinitionRow[]): Promise<Definitions> {
  if (rows.length === 0) return none
  const found = await Promise.all(rows.map(async (row) => [row.name, await compileRow(row)] as const))
  return new Map(found)
}

/** By the row: reading a stored definition again would cost as much as the rest of a change. */
const known = new Map<string, Definition>()
const mostKnown = 1024

async function compileRow(row: store.DefinitionRow): Promise<Definition> {
  const key = `${row.name} ${row.updated_at} ${row.definition}`
  const found = known.get(key)
  if (found !== undefined) return found
  const compiled = await compile(store.toAttribute(row))
  if (known.size >= mostKnown) known.clear()
  known.set(key, compiled)
  return compiled
}

export async function compile(attribute: Attribute): Promise<Definition> {
  const { pattern, searchable, unique } = attribute
  const compiled = pattern === null ? undefined : await compilePattern(pattern)
  return { ...attribute, compiled, isIndexed: searchable || unique }
}
