import type { Roles } from '../../core/settings/access.ts'
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { findState, setState } from '../../store/state.ts'

/**
 * Announces the roles to followers if the configuration has changed since the last start. Nodes that start with different
 * roles each announce their own.
 */
export async function announce(ctx: ChangeContext): Promise<void> {
  await ctx.db.lock(['roles.announce'])
  const { roles } = ctx.rules
  const before = parseRoles((await findState(ctx.db, 'roles')) ?? '{}')
  const changes = changesOf(before, roles, [...new Set([...Object.keys(before), ...Object.keys(roles)])])
  if (Object.keys(changes).length === 0) return
  await setState(ctx.db, 'roles', JSON.stringify(roles))
  ctx.record({ action: 'roles.changed', changes })
  for (const role of Object.keys(changes)) {
    const permissions = roles[role] ?? before[role]
    const type =
      roles[role] === undefined ? 'role.deleted' : before[role] === undefined ? 'role.created' : 'role.updated'
    ctx.emit({ type, subject: role, owner_id: role, data: JSON.stringify({ role, permissions }) })
  }
}

/** Without a prototype: a role may be named "constructor". */
function parseRoles(text: string): Roles {
  return Object.assign(Object.create(null), JSON.parse(text))
}
