/** Reading a JSON Web Token before its signature is checked. */
export { invalidToken, readUnproven, type Unproven } from './compact.ts'
