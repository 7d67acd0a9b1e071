import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as links from './links.ts'
import * as linkPasskey from './passkey.ts'
import * as resetRequests from './requests.ts'

export const changes = {
  'links.create_invited': links.createInvited,
  'links.invite': links.invite,
  'links.withdraw_invitation': links.withdrawInvitation,
  'links.create_reset': links.createReset,
  'links.set_password': links.setPassword,
  'links.begin_passkey': linkPasskey.beginPasskey,
  'links.add_passkey': linkPasskey.addPasskey,
  'links.confirm_address': links.confirmAddress,
  'password_resets.request': resetRequests.request,
  'password_resets.fulfil': resetRequests.fulfil,
  'password_resets.prune': resetRequests.prune,
} satisfies CommandHandlers
