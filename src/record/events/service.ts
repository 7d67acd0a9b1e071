/**
 * The change feed: everything that happened to users, sessions, keys and roles, in the order of commits.
 * Leaves writing it to the journal, and compaction to compact.ts.
 */
export { toCloudEvent } from './envelope.ts'
export { skippedNumbers, startNewHistory } from './history.ts'
export { jobs } from './jobs.ts'
export { eventFilters, isWanted } from './types.ts'
