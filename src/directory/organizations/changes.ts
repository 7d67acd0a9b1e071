import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import * as domains from './domains.ts'
import * as organizations from './organizations.ts'
import * as setupLinks from './setup-links.ts'

export const changes = {
  'organizations.create': organizations.create,
  'organizations.update': organizations.update,
  'organizations.delete': organizations.remove,
  'organizations.add_domain': domains.addDomain,
  'organizations.verify_domain': domains.verifyDomain,
  'organizations.remove_domain': domains.removeDomain,
  'setup_links.create': setupLinks.create,
  'setup_links.revoke': setupLinks.revoke,
  'setup_links.note_use': setupLinks.noteUse,
  'setup_links.prune': setupLinks.prune,
} satisfies CommandHandlers

/** Whether an organization is disabled, and what it requires, are rules. */
export const traits = {
  'organizations.create': { ofRules: true },
  'organizations.update': { ofRules: true },
} satisfies ChangeTraits<typeof changes>
