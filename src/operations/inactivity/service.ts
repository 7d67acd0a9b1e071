/** The inactivity rule: users without use for a time are told, then disabled. */
export { queries } from './concerned.ts'
export { jobs } from './jobs.ts'
export { metrics } from './metrics.ts'
export { findUnconfirmed } from './stop.ts'
