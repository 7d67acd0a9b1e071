import type { CommandHandlers } from '../../../store/storage/registry.ts'
import { beginPasskey as beginConfirmation, renew } from './reauthentication.ts'

export const changes = {
  'sessions.renew': renew,
  'sessions.begin_passkey': beginConfirmation,
} satisfies CommandHandlers
