import type { ChangeTraits, CommandHandlers } from '../../../store/storage/registry.ts'
import * as me from './me.ts'

export const changes = {
  'me.update': me.update,
  'me.verify_email': me.verifyEmail,
  'me.set_password': me.setPassword,
} satisfies CommandHandlers

export const traits = {
  'me.update': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
