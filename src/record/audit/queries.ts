import type { QueryHandlers } from '../../store/storage/registry.ts'
import * as audit from './audit.ts'

export const queries = {
  'audit.find': { run: audit.find, isQuick: audit.isQuick, isBounded: false },
  'audit.ends': { run: audit.ends, isQuick: () => true, isBounded: true },
  'audit.last_before': { run: audit.lastBefore, isQuick: () => false, isBounded: false },
  'audit.checkpoint': { run: audit.checkpoint, isQuick: () => false, isBounded: false },
} satisfies QueryHandlers
