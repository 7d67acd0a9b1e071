/**
 * One change for many users, from the request to its last line: validates it, and stores its outcome. Leaves the rules to
 * change-users.ts and deleted-users/, going through the users to run.ts.
 */
export { type BatchOfCaller, judgeMany } from './change-users.ts'
export { countUsers, type Run, run } from './run.ts'
