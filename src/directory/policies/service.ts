/** Policies that administrators set while the service runs. Those in force are in `rules` of each context. */
export { get, update } from './policies.ts'
