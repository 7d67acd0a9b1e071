import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as directorySync from './job-steps.ts'

export const changes = {
  'directory_sync.begin': directorySync.startJob,
  'directory_sync.apply': directorySync.apply,
  'directory_sync.disable': directorySync.disable,
  'directory_sync.keep_failure': directorySync.keepFailure,
  'directory_sync.complete': directorySync.complete,
  'directory_sync.claim': directorySync.claim,
} satisfies CommandHandlers
