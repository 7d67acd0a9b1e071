/**
 * Imports: the progress of each is committed together with the changes of its rows, so that it can continue after any
 * interruption. Leaves reading the file to feed.ts, and the rules for a row to directory/users/imported.
 */
export { advance, exists, get, type JobOptions, type Step, startImport } from './imports.ts'
export { jobIdOf } from './job-id.ts'
export { jobs } from './jobs.ts'
