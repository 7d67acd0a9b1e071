/** What the rest of the service needs to know when an organization has changed. Leaves its users to users/, through `ctx.access`. */

import { revoke } from '../../record/revocations/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { publishRules } from '../../store/rules/publish.ts'
import type { OrganizationRow } from './store.ts'

/**
 * Puts the changed organization in force on every node. Tokens that were issued to anyone of a disabled one are revoked.
 *
 * @throws AppError `last_admin`, `last_password_admin` if it was disabled
 */
export async function putInForce(ctx: ChangeContext, found: OrganizationRow, row: OrganizationRow): Promise<void> {
  const { organization_id: id } = row
  const differs = (member: keyof OrganizationRow) => row[member] !== found[member]
  if (!differs('name') && !differs('active') && !differs('second_factor')) return
  // What nodes remember of callers names the organization: with other rules they read it again.
  await publishRules(ctx)
  const isClosed = differs('active') && row.active === 0
  revoke(ctx, { kind: isClosed ? 'organization' : 'organization_changed', id })
  if (isClosed) await ctx.access.closeOrganization(ctx, id)
  else if (differs('active')) await ctx.access.openOrganization(ctx, id)
}

/** A new organization has no users yet. */
export async function putCreationInForce(ctx: ChangeContext, row: OrganizationRow): Promise<void> {
  if (row.active === 0 || row.second_factor !== null) await publishRules(ctx)
}
