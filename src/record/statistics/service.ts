/**
 * Figures for operators: what happened day by day, and how many users there are. tally.ts counts when something happens,
 * so that a request never reads a year of events.
 */

export { jobs } from './jobs.ts'
export { metrics } from './metrics.ts'
export { queries } from './statistics.ts'
export { findFirstUses } from './store.ts'
export { tally, tallyPresences } from './tally.ts'
