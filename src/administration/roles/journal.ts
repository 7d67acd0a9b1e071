/** Audit records and events for changes of roles. */
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Changes, Target } from '../../store/journal-entry.ts'
import type { RoleRow } from './store.ts'

type Recorded = Pick<RoleRow, 'role' | 'description' | 'permissions' | 'replaced_by'>

export function roleTarget({ role }: Pick<RoleRow, 'role'>): Target {
  return { kind: 'role', id: role, name: role }
}

export function roleChanges(before: Recorded | undefined, after: Recorded | undefined): Changes {
  const plain = (row: Recorded | undefined) => row && { ...row, permissions: permissionsIn(row) }
  return changesOf(plain(before), plain(after), ['description', 'permissions', 'replaced_by'])
}

export function emitRole(ctx: ChangeContext, type: `role.${'created' | 'updated' | 'deleted'}`, row: Recorded): void {
  const { role, description } = row
  const data = JSON.stringify({ role, permissions: permissionsIn(row), description })
  ctx.emit({ type, subject: role, owner_id: role, data })
}

export function permissionsIn({ permissions }: Pick<RoleRow, 'permissions'>): string[] {
  return JSON.parse(permissions) as string[]
}
