import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as tokens from './introspection.ts'
import * as signingKeys from './signing-keys.ts'

export const changes = {
  'signing_keys.ensure': signingKeys.ensure,
  'signing_keys.tend': signingKeys.tend,
  'signing_keys.rotate': signingKeys.rotate,
  'tokens.revoke': tokens.revokeToken,
} satisfies CommandHandlers
