import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as deletedUsers from './deleted-users.ts'
import * as erasure from './erasure.ts'

export const changes = {
  'users.delete': deletedUsers.remove,
  'users.restore': deletedUsers.restore,
  'users.begin_erasures': erasure.beginOverdue,
  'users.sweep': erasure.sweep,
  'users.finish_erasures': erasure.finish,
} satisfies CommandHandlers
