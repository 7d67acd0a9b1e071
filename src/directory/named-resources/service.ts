/** What resources with a unique name share: groups and organizations, and the names of connections. Leaves their rows and rules to their own rooms. */
export { cursorAt, type ListPlan, listed, type Place, planList } from './lists.ts'
export { checkExternalId, checkName, nameOf } from './names.ts'
export { exactly, idsFound, namedFilters } from './search.ts'
export { takenError } from './taken.ts'
