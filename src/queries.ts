import type { Db } from './db/db.ts'
import * as list from './users/list.ts'

/** Reads that may take long and therefore run away from the main thread, by name. */
export const queries = {
  'users.page': list.page,
} satisfies Record<string, (db: Db, input: never) => Promise<unknown>>

export type Queries = typeof queries
export type QueryName = keyof Queries
export type QueryInput<Name extends QueryName> = Parameters<Queries[Name]>[1]
export type QueryResult<Name extends QueryName> = Awaited<ReturnType<Queries[Name]>>
