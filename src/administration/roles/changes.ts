import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { announce as announceRoles } from './announce.ts'
import { finishReplacement, moveHolders } from './replacement.ts'
import * as roles from './roles.ts'

export const changes = {
  'roles.announce': announceRoles,
  'roles.create': roles.create,
  'roles.update': roles.update,
  'roles.delete': roles.remove,
  'roles.move_holders': moveHolders,
  'roles.finish_replacement': finishReplacement,
} satisfies CommandHandlers

export const traits = {
  'roles.create': { ofRules: true },
  'roles.update': { ofRules: true },
  'roles.delete': { ofRules: true },
  'roles.move_holders': { ofManyRows: true },
  'roles.finish_replacement': { ofRules: true },
} satisfies ChangeTraits<typeof changes>
