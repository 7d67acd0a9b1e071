import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { finish as finishBulkChange } from './bulk-change.ts'
import { changeMany } from './change-users.ts'
import { restoreMany } from './restore.ts'

export const changes = {
  'users.change_many': changeMany,
  'users.restore_many': restoreMany,
  'users.finish_bulk_change': finishBulkChange,
} satisfies CommandHandlers

export const traits = {
  'users.change_many': { ofManyRows: true },
  'users.restore_many': { ofManyRows: true },
} satisfies ChangeTraits<typeof changes>
