import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as mails from './mails.ts'
import { advance as advanceMails } from './sending/advance.ts'

export const changes = {
  'mails.advance': advanceMails,
  'mails.prune': mails.prune,
  'mails.retry': mails.retry,
  'mails.release': mails.release,
  'mails.discard': mails.discard,
  'mails.test': mails.test,
} satisfies CommandHandlers
