/** Policies that administrators set while the service runs. Those in force are in `rules` of each context. */
export { checkRule } from './inactivity.ts'
export { get, listStored, update } from './policies.ts'
