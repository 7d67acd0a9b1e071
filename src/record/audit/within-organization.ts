/** The audit records of one organization: of what belonged to it at that time, and of moves from it. */
import type { Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { conditionsWithin } from '../../store/db/scope.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import type { RecordRow } from '../journal/service.ts'

const places = ['organization_id', 'former_organization_id'].map(rawSql)

/** The condition on a record; none for everyone. */
export function placeWithin(scope: Scope): Sql[] {
  const conditions = places.flatMap((column) => conditionsWithin(scope, column))
  return conditions.length === 0 ? [] : [sql`(${joinSql(conditions, ' OR ')})`]
}

type Bounds = { scope: Scope; descending: boolean; limit: number }

type Finding<Search> = {
  conditions: readonly Sql[]
  find(db: Db, search: Search, conditions: Sql[]): Promise<RecordRow[]>
}

/** Looks along the index of each place, which has the records in order, and merges what is found. */
export async function findRecordsWithin<Search extends Bounds>(
  db: Db,
  search: Search,
  { conditions, find }: Finding<Search>,
): Promise<RecordRow[]> {
  const { scope, descending, limit } = search
  const each = places.flatMap((column) => conditionsWithin(scope, column))
  const found = await Promise.all(each.map((place) => find(db, search, [place, ...conditions])))
  const direction = descending ? -1 : 1
  return found
    .flat()
    .sort((a, b) => (Number(a.seq) - Number(b.seq)) * direction)
    .slice(0, limit)
}
