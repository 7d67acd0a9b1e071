import type { ChangeTraits, CommandHandlers } from '../../../store/storage/registry.ts'
import * as locks from './lock.ts'
import * as throttles from './reservations.ts'

export const changes = {
  'throttles.reserve': throttles.reserveAttempt,
  'throttles.clear': throttles.clearFailures,
  'throttles.give_back': throttles.giveBackAttempt,
  'throttles.count_unique_try': throttles.countUniqueTry,
  'throttles.prune': throttles.prune,
  'users.unlock': locks.end,
} satisfies CommandHandlers

export const traits = {
  'throttles.reserve': { besideJournal: true, provisional: true },
  'throttles.clear': { besideJournal: true },
  'throttles.give_back': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
