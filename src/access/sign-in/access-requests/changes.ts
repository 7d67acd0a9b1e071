import type { CommandHandlers } from '../../../store/storage/registry.ts'
import { decide } from './decisions.ts'
import { enter, fulfil, submit } from './entry.ts'
import { prune } from './retention.ts'

export const changes = {
  'access_requests.enter': enter,
  'access_requests.fulfil': fulfil,
  'access_requests.submit': submit,
  'access_requests.decide': decide,
  'access_requests.prune': prune,
} satisfies CommandHandlers
