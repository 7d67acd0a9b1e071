import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { removeWithBelongings } from './belongings.ts'

export const changes = {
  'organizations.delete_with_belongings': removeWithBelongings,
} satisfies CommandHandlers

/** The rehearsal disables the organization. */
export const traits = {
  'organizations.delete_with_belongings': { ofRules: true },
} satisfies ChangeTraits<typeof changes>
