/** What other rooms may use. */
export { lockSchema } from './lock-schema.ts'
export { signInStateSchema } from './state-schema.ts'
