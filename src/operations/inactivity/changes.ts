import type { CommandHandlers } from '../../store/storage/registry.ts'
import { claim, disable, notice } from './run.ts'
import { confirm, setStop } from './stop.ts'

export const changes = {
  'inactivity.claim': claim,
  'inactivity.notice': notice,
  'inactivity.disable': disable,
  'inactivity.set_stop': setStop,
  'inactivity.confirm': confirm,
} satisfies CommandHandlers
