import type { ChangeTraits, CommandHandlers } from '../../../store/storage/registry.ts'
import { end, endSome } from './end.ts'
import { impersonate } from './impersonation.ts'
import * as sessions from './sessions.ts'
import * as trusted from './trusted.ts'

export const changes = {
  'sessions.impersonate': impersonate,
  'sessions.begin': sessions.startSession,
  'sessions.end': end,
  'sessions.end_own': sessions.endOneOfOwn,
  'sessions.end_all': sessions.endOwn,
  'sessions.end_of_user': sessions.endOfUser,
  'sessions.end_all_of_user': sessions.endAllOfUser,
  'sessions.record_use': sessions.recordUse,
  'sessions.prune': sessions.prune,
  'trusted_browsers.remove_own': trusted.removeOwn,
  'trusted_browsers.remove_of_user': trusted.removeOfUser,
  'store.end_sessions': endSome,
} satisfies CommandHandlers

export const traits = {
  'sessions.begin': { besideJournal: true },
  'sessions.record_use': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
