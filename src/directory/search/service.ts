/** The order of users' rows, and the index that finds them by parts of a text. */
export { makeRoom, movedAtOnce, type Places, placeBehind, placesFor } from './row-order.ts'
export {
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
export { keyOrNothing, searchedText, textOrNothing } from './search-terms.ts'
export { findUnfindable } from './unfindable.ts'
