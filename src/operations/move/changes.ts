import type { CommandHandlers } from '../../store/storage/registry.ts'
import { leaveOrigin, recordRestore } from './restored.ts'

export const changes = {
  'store.leave_origin': leaveOrigin,
  'store.record_restore': recordRestore,
} satisfies CommandHandlers
