/** Lists of users: the plan of a query, pages, counts and streams. */
export { listed } from './answers.ts'
export { boundedCount, count, matching, pageOfRows, piecesOfRows, stream } from './list.ts'
export { type Filters, type ListPlan, type Position, planFilters, planList } from './plan.ts'
export { type ListNeeds, listProblems, sendList } from './routes.ts'
