import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as rejected from './rejected.ts'

export const changes = {
  'provisioning.record_rejections': rejected.recordRejections,
  'provisioning.prune_rejections': rejected.pruneRejections,
} satisfies CommandHandlers
