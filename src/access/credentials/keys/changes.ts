import type { ChangeTraits, CommandHandlers } from '../../../store/storage/registry.ts'
import * as keys from './keys.ts'
import * as userKeys from './user-keys.ts'

export const changes = {
  'me.create_key': userKeys.create,
  'me.revoke_key': userKeys.remove,
  'keys.create': keys.create,
  'keys.create_for_service_account': userKeys.createForServiceAccount,
  'keys.revoke_of_user': userKeys.removeOfUser,
  'keys.update': keys.change,
  'keys.rotate': keys.rotate,
  'keys.revoke': keys.remove,
  'keys.bootstrap': keys.bootstrap,
  'keys.record_use': keys.recordUse,
} satisfies CommandHandlers

export const traits = {
  'keys.record_use': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
