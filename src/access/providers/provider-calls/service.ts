/** What other rooms may use. */
export { type FetchOptions, type GuardedFetch, guardedFetch, timeoutMs } from './guarded-fetch.ts'
