import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as revocations from './revocations.ts'

export const changes = {
  'revocations.prune': revocations.prune,
} satisfies CommandHandlers
