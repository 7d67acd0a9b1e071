/** Schemas of locks and of the state of sign-in. */
import { lockSchema } from './lock-schema.ts'
import { signInStateSchema } from './state-schema.ts'

export { lockSchema } from './lock-schema.ts'
export { signInStateSchema } from './state-schema.ts'

/** What has a name in the OpenAPI document. */
export const schemas = [lockSchema, signInStateSchema] as const
