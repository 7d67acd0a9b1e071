/**
 * Synchronizes users with a directory: in the background, as a job that is shown among the imports. Accounts are listed page
 * by page; accounts without a change are only read. Missing users are disabled at the end, unless there are suspiciously many.
 */
export { createDirectorySync, type DirectorySync } from './directory-sync.ts'
export { createSyncCounts, metrics } from './metrics.ts'
