/** The chain of audit records and events, in the order of their commits. */
export { apart } from './apart.ts'
export { emptyIndexes, fillIndexes, findById, removeFromIndex } from './by-id.ts'
export { chainHash, digestOf } from './chain.ts'
export { changesOf, recordedActor } from './entry.ts'
export { appendIndexed, Collector, type Entry, settleLimit, settlePending, writePending } from './journal.ts'
export { journalMetrics } from './metrics.ts'
export { type EventRow, events, findHead, findNewestEvent, type RecordRow, records } from './rows.ts'
export { hasPending } from './store.ts'
