import type { ChangeTraits, CommandHandlers } from '../../../store/storage/registry.ts'
import { tryStep } from './second-factor.ts'
import { startChallenge, succeed } from './succeed.ts'

export const changes = {
  'sign_in.succeed': succeed,
  'sign_in.ask': startChallenge,
  'sign_in.try_step': tryStep,
} satisfies CommandHandlers

export const traits = {
  'sign_in.succeed': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
