/** The engines on which this process runs tests. `npm test` runs each rule once, `npm run test:rest` the rest (scripts/test-parts.ts). */
import { partVariable } from './part.ts'
import { postgresIsMissing } from './postgres.ts'

export type Engine = { readonly name: 'SQLite' | 'PostgreSQL' }

const part = process.env[partVariable]
const sqlite: Engine = { name: 'SQLite' }
const postgres: readonly Engine[] = postgresIsMissing ? [] : [{ name: 'PostgreSQL' }]

function inPart(rules: readonly Engine[], rest: readonly Engine[]): readonly Engine[] {
  if (part === undefined) return [...rules, ...rest]
  return part === 'rules' ? rules : rest
}

/** For rules that know no SQL of their own: SQLite in `npm test`, PostgreSQL in `npm run test:rest`. */
export const engines = inPart([sqlite], postgres)

/** For what looks at the engine, at storage or at concurrency: both in `npm test`. */
export const everyEngine = inPart([sqlite, ...postgres], [])

/** For what only PostgreSQL can show, such as two nodes: in `npm test`. */
export const onlyPostgres = inPart(postgres, [])

/** For a test that needs some engine, and the same results on each. */
export const anyEngine = sqlite
