import type { CommandHandlers } from '../../store/storage/registry.ts'
import { compact } from './compact.ts'
import { nameHistory } from './history.ts'

export const changes = {
  'events.begin': nameHistory,
  'events.compact': compact,
} satisfies CommandHandlers
