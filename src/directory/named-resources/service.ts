/** What resources with a unique name share: groups and organizations, and the names of connections. Leaves their rows and rules to their own rooms. */
export { placeOf, readPlace } from './lists.ts'
export { checkExternalId, checkName, nameOf } from './names.ts'
export { exactly, idsFound, nameKeyOrNothing } from './search.ts'
export { takenError } from './taken.ts'
