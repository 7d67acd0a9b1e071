/** Lists of users: the plan of a query, pages, counts and streams. */
export { listed } from './answers.ts'
export { boundedCount, count, matching, pageOfRows, piecesOfRows, stream } from './list.ts'
export {
  filtersWithin,
  type ListPlan,
  type Position,
  planFilters,
  planList,
  type ScopedFilters,
} from './plan.ts'
export { queries, streams } from './queries.ts'
export { type ListNeeds, listProblems, sendList } from './send-list.ts'
