/** What a move to another organization does to a user besides the new member. Leaves groups and identities to the rooms above. */
import type { ChangeContext, LeftOrganization } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { getForMember } from '../organizations/service.ts'
import { isMoved } from './rows.ts'
import { rolesOutside, type UserRow } from './store.ts'

/** What a user lost by a move. */
export type Move = LeftOrganization & { sessions: number }

/** Keeps the organizations of these rows until the change ends. @throws AppError `validation_failed` if it does not exist */
export async function holdOrganizations(
  ctx: ChangeContext,
  rows: readonly Pick<UserRow, 'organization_id'>[],
): Promise<void> {
  const ids = new Set(rows.flatMap(({ organization_id }) => organization_id ?? []))
  for (const id of [...ids].sort()) await getForMember(ctx.db, id)
}

export async function leaveOrganization(
  ctx: ChangeContext,
  { user_id, username, organization_id }: UserRow,
): Promise<LeftOrganization> {
  if (organization_id === null) return { groups: [], identities: [] }
  return ctx.access.leaveOrganization(ctx, { user_id, username, organization_id })
}

/** The user as the rule of the last administrator must see them: after a move without the groups of the former organization. */
export async function afterMove(db: Db, found: UserRow, next: UserRow): Promise<UserRow> {
  const { organization_id, user_id } = found
  if (!isMoved(found, next) || organization_id === null || found.group_roles === '') return next
  const held = await rolesOutside(db, user_id, organization_id)
  const all = new Set(held.map(({ role }) => role))
  const lasting = new Set(held.flatMap(({ role, expires_at }) => (expires_at === null ? [role] : [])))
  const asText = (roles: ReadonlySet<string>) => [...roles].sort().join(' ')
  return { ...next, group_roles: asText(all), ending_roles: asText(all.difference(lasting)) }
}
