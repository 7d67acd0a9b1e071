/** Audit records and events for changes of organizations. */

import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Changes, Target } from '../../store/journal-entry.ts'
import { listDomainsOf } from './domains-store.ts'
import type { SetupLink } from './setup-link-schema.ts'
import type { OrganizationRow } from './store.ts'

type Named = Pick<OrganizationRow, 'organization_id' | 'name'>

export function organizationTarget({ organization_id, name }: Named): Target {
  return { kind: 'organization', id: organization_id, name, organization_id }
}

export function organizationChanges(before: OrganizationRow | undefined, after: OrganizationRow | undefined): Changes {
  const plain = (row: OrganizationRow | undefined) => row && { ...row, active: row.active === 1 }
  return changesOf(plain(before), plain(after), ['name', 'external_id', 'active', 'second_factor'])
}

/** Without the numbers of users and groups: each of them is an event of its own. */
export async function emitOrganization(
  ctx: ChangeContext,
  type: 'organization.created' | 'organization.updated',
  row: OrganizationRow,
): Promise<void> {
  const { organization_id, name, external_id, second_factor, created_at, updated_at } = row
  const rows = type === 'organization.created' ? [] : await listDomainsOf(ctx.db, [organization_id])
  const domains = rows.map(({ domain, verified_at }) => ({ domain, verified_at }))
  const active = row.active === 1
  const members = { organization_id, name, external_id, active, domains, second_factor, created_at, updated_at }
  ctx.emit({ type, subject: organization_id, owner_id: organization_id, data: JSON.stringify(members) })
}

export function emitDeletedOrganization(ctx: ChangeContext, { organization_id }: Named): void {
  const data = JSON.stringify({ organization_id })
  ctx.emit({ type: 'organization.deleted', subject: organization_id, owner_id: organization_id, data })
}

/** Without the address that the link was sent to: it is deleted with the link. */
export function emitSetupLink(
  ctx: ChangeContext,
  type: 'setup_link.created' | 'setup_link.revoked',
  { setup_link_id, organization_id, features, created_at, expires_at }: SetupLink,
): void {
  const data = JSON.stringify({ setup_link_id, organization_id, features, created_at, expires_at })
  ctx.emit({ type, subject: setup_link_id, owner_id: setup_link_id, data })
}
