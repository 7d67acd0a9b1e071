import type { CommandHandlers } from '../../store/storage/registry.ts'
import { record } from './record.ts'
import * as retention from './retention.ts'

export const changes = {
  'audit.record': record,
  'audit.announce_pruning': retention.announcePruning,
  'audit.prune': retention.prune,
} satisfies CommandHandlers
