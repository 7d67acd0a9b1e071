import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as branding from './branding.ts'

export const changes = {
  'branding.replace': branding.replace,
  'branding.reset': branding.reset,
} satisfies CommandHandlers
