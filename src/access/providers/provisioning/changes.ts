import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as provisioning from './service.ts'

export const changes = {
  'provisioning.create': provisioning.create,
  'provisioning.update': provisioning.update,
  'provisioning.delete': provisioning.remove,
} satisfies CommandHandlers
