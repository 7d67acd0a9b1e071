import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import * as domains from './domains.ts'
import * as organizations from './organizations.ts'

export const changes = {
  'organizations.create': organizations.create,
  'organizations.update': organizations.update,
  'organizations.delete': organizations.remove,
  'organizations.add_domain': domains.addDomain,
  'organizations.verify_domain': domains.verifyDomain,
  'organizations.remove_domain': domains.removeDomain,
} satisfies CommandHandlers

/** Whether an organization is disabled, and what it requires, are rules. */
export const traits = {
  'organizations.create': { ofRules: true },
  'organizations.update': { ofRules: true },
} satisfies ChangeTraits<typeof changes>
