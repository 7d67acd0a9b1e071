import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as imports from './imports.ts'

export const changes = {
  'imports.begin': imports.startImport,
  'imports.report': imports.report,
  'imports.interrupt': imports.interrupt,
  'imports.forget': imports.forget,
  'imports.cancel': imports.cancel,
  'imports.prune': imports.prune,
} satisfies CommandHandlers
