import type { CommandHandlers } from '../../store/storage/registry.ts'
import { apply } from './apply.ts'

export const changes = {
  'configuration.apply': apply,
} satisfies CommandHandlers
