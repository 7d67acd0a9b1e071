import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { apply } from './apply.ts'

export const changes = {
  'configuration.apply': apply,
} satisfies CommandHandlers

export const traits = {
  'configuration.apply': { ofRules: true },
} satisfies ChangeTraits<typeof changes>
