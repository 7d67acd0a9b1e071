/** Who has which permissions, and why. */
export { streams } from './queries.ts'
