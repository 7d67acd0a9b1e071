import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as setup from './setup.ts'

export const changes = {
  'setup.make_link': setup.makeLink,
  'setup.complete': setup.complete,
} satisfies CommandHandlers
