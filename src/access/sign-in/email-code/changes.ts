import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as requests from './requests.ts'

export const changes = {
  'email_codes.request': requests.request,
  'email_codes.fulfil': requests.fulfil,
} satisfies CommandHandlers
