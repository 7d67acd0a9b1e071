/** Schemas of locks and of the state of sign-in. */
export { lockSchema } from './lock-schema.ts'
export { signInStateSchema } from './state-schema.ts'
