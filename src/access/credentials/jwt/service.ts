/** What other rooms may use. */
export { invalidToken, readUnproven, type Unproven } from './compact.ts'
