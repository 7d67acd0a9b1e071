import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as statistics from './service.ts'

export const changes = {
  'statistics.tidy': statistics.tidy,
} satisfies CommandHandlers
