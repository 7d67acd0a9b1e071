import type { CommandHandlers } from '../../store/storage/registry.ts'
import { advance as advanceMails } from './sending/advance.ts'
import * as mails from './service.ts'

export const changes = {
  'mails.advance': advanceMails,
  'mails.prune': mails.prune,
  'mails.retry': mails.retry,
  'mails.release': mails.release,
  'mails.discard': mails.discard,
  'mails.test': mails.test,
} satisfies CommandHandlers
