import type { ChangeTraits, CommandHandlers } from '../../../store/storage/registry.ts'
import { finishSignIn } from './finish.ts'
import { tryStep } from './second-factor.ts'

export const changes = {
  'sign_in.finish': finishSignIn,
  'sign_in.try_step': tryStep,
} satisfies CommandHandlers

export const traits = {
  'sign_in.finish': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
