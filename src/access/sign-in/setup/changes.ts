import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as setup from './service.ts'

export const changes = {
  'setup.make_link': setup.makeLink,
  'setup.complete': setup.complete,
} satisfies CommandHandlers
