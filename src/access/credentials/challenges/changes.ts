import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as challenges from './challenges.ts'

export const changes = {
  'challenges.begin': challenges.startChallenge,
  'challenges.prune': challenges.prune,
} satisfies CommandHandlers
