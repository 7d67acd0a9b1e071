import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { recordEnds } from './end-dates/end-dates.ts'
import { sendEndNotices } from './end-dates/notices.ts'
import { releaseUsers } from './releasing.ts'
import { sharedCreation, sharedUpdate } from './sharing.ts'
import * as users from './users.ts'

export const changes = {
  'users.create': users.create,
  'users.update': users.update,
  'users.record_ends': recordEnds,
  'users.notice_ends': sendEndNotices,
  'provisioning.release_users': releaseUsers,
} satisfies CommandHandlers

export const traits = {
  'users.create': { besideJournal: true, sharing: sharedCreation },
  'users.update': { besideJournal: true, sharing: sharedUpdate },
} satisfies ChangeTraits<typeof changes>
