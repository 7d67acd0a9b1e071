import type { Roles } from '../../core/settings/access.ts'
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { readStoredRules } from '../../store/rules/stored-rules.ts'
import { findState, setState } from '../../store/state.ts'

/**
 * Announces the roles of the settings to followers if these have changed since the last start. Nodes that start with different
 * roles each announce their own. Where a setting ends, a stored role of the same name is in force again.
 */
export async function announce(ctx: ChangeContext): Promise<void> {
  await ctx.db.lock(['roles.announce'])
  const { configuredRoles: roles } = ctx.rules
  const before = parseRoles((await findState(ctx.db, 'roles')) ?? '{}')
  const changes = changesOf(before, roles, [...new Set([...Object.keys(before), ...Object.keys(roles)])])
  if (Object.keys(changes).length === 0) return
  await setState(ctx.db, 'roles', JSON.stringify(roles))
  ctx.record({ action: 'roles.changed', changes })
  const { roles: stored } = await readStoredRules(ctx.db)
  for (const role of Object.keys(changes)) {
    const [was, is] = [before[role] ?? stored[role], roles[role] ?? stored[role]]
    const type = is === undefined ? 'role.deleted' : was === undefined ? 'role.created' : 'role.updated'
    ctx.emit({ type, subject: role, owner_id: role, data: JSON.stringify({ role, permissions: is ?? was }) })
  }
}

/** Without a prototype: a role may be named "constructor". */
function parseRoles(text: string): Roles {
  return Object.assign(Object.create(null), JSON.parse(text))
}
