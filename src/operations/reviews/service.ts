/** Access reviews: who should keep which access, decided by people, and sealed. */
export { erase } from './decisions.ts'
export { jobs } from './jobs.ts'
export { streams } from './queries.ts'
export { findBrokenSeals } from './seal.ts'
