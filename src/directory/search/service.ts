/** The order of users' rows, and the index that finds them by parts of a text. */

export { alternativesOf, likenessTo, wordsToCompare } from './likeness.ts'
export { makeRoom, movedAtOnce, type Places, placeBehind, placesFor } from './row-order.ts'
export {
  anyTrigramQuery,
  countPending,
  countTrigrams,
  indexPending,
  indexStep,
  isExactQuery,
  markPending,
  markPlacePending,
  prepareIndex,
  rowsInStep,
  trigramQuery,
} from './search-index.ts'
export {
  attributesMark,
  type Clauses,
  containsAll,
  containsWords,
  keyOrNothing,
  type Search,
  searchFor,
  searchForPart,
  textOrNothing,
} from './search-terms.ts'
export { findUnfindable } from './unfindable.ts'
