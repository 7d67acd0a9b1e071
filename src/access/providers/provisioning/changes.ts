import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as provisioning from './provisioning.ts'

export const changes = {
  'provisioning.create': provisioning.create,
  'provisioning.update': provisioning.update,
  'provisioning.delete': provisioning.remove,
} satisfies CommandHandlers
