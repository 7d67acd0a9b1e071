/** Policies that administrators set while the service runs. Those in force are in `rules` of each context. */
export { checkRule } from './inactivity.ts'
export { listStored, update } from './policies.ts'
