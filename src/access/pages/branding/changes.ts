import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as branding from './branding.ts'

export const changes = {
  'branding.replace': branding.replace,
} satisfies CommandHandlers
