import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as statistics from './statistics.ts'

export const changes = {
  'statistics.tidy': statistics.tidy,
} satisfies CommandHandlers
