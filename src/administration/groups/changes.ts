import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { removeEndedMembers } from './ends.ts'
import * as groups from './groups.ts'
import * as groupMembers from './members.ts'

export const changes = {
  'groups.create': groups.create,
  'groups.update': groups.update,
  'groups.delete': groups.remove,
  'groups.change_members': groupMembers.changeMembers,
  'groups.set_member': groupMembers.setMember,
  'groups.remove_ended': removeEndedMembers,
} satisfies CommandHandlers

export const traits = {
  'groups.change_members': { besideJournal: true },
  'groups.set_member': { besideJournal: true },
} satisfies ChangeTraits<typeof changes>
