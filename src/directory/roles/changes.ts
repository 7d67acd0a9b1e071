import type { CommandHandlers } from '../../store/storage/registry.ts'
import { announce as announceRoles } from './announce.ts'

export const changes = {
  'roles.announce': announceRoles,
} satisfies CommandHandlers
