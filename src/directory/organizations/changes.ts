import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as organizations from './organizations.ts'

export const changes = {
  'organizations.create': organizations.create,
  'organizations.update': organizations.update,
  'organizations.delete': organizations.remove,
} satisfies CommandHandlers
