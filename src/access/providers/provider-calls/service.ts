/** Requests to identity providers, with their limits. */
export { type FetchOptions, type GuardedFetch, guardedFetch, timeoutMs } from './guarded-fetch.ts'
