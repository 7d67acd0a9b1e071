import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as factorEnrollment from './enrollment.ts'
import * as factors from './factors.ts'

export const changes = {
  'factors.add_totp': factorEnrollment.addTotp,
  'factors.confirm_totp': factorEnrollment.confirmTotp,
  'factors.begin_passkey': factorEnrollment.beginPasskey,
  'factors.add_passkey': factorEnrollment.addPasskey,
  'factors.rename': factors.rename,
  'factors.remove_of_user': factors.removeOfUser,
  'factors.reset': factors.reset,
  'factors.replace_recovery_codes': factors.replaceRecoveryCodes,
  'factors.prune': factorEnrollment.prune,
} satisfies CommandHandlers
