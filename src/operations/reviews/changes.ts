import type { CommandHandlers } from '../../store/storage/registry.ts'
import { decide, fallDue } from './decisions.ts'
import { remind } from './reminders.ts'
import { create, update } from './reviews.ts'

export const changes = {
  'reviews.create': create,
  'reviews.update': update,
  'reviews.decide': decide,
  'reviews.fall_due': fallDue,
  'reviews.remind': remind,
} satisfies CommandHandlers
