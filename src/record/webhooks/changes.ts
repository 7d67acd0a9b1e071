import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as deliveries from './deliveries.ts'
import { advance } from './dispatch-advance.ts'
import { prune } from './dispatch-prune.ts'
import * as webhooks from './endpoints.ts'

export const changes = {
  'webhooks.advance': advance,
  'webhooks.create': webhooks.create,
  'webhooks.update': webhooks.update,
  'webhooks.delete': webhooks.remove,
  'webhooks.rotate_secret': webhooks.rotateSecret,
  'webhooks.test': deliveries.test,
  'webhooks.prune': prune,
  'deliveries.repeat': deliveries.repeat,
} satisfies CommandHandlers
