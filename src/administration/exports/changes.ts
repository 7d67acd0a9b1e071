import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as exports from './exports.ts'

export const changes = {
  'users.export': exports.record,
} satisfies CommandHandlers
