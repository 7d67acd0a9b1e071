import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as logins from './cli-login.ts'

export const changes = {
  'cli_logins.start': logins.start,
  'cli_logins.look_up': logins.lookUp,
  'cli_logins.decide': logins.decide,
  'cli_logins.exchange': logins.exchange,
  'cli_logins.prune': logins.prune,
} satisfies CommandHandlers
