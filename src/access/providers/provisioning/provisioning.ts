/**
 * Provisioning connections together with their API keys, which belong to access/: one commit creates both, and both end
 * together. Each change runs in a transaction.
 */

import { inScopeOf } from '../../../core/scope.ts'
import type { CreateConnection } from '../../../directory/provisioning/schema.ts'
import * as connections from '../../../directory/provisioning/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as keys from '../../credentials/keys/service.ts'

export type Created = connections.Versioned & { key_id: string; key: string }

/** @throws AppError as a connection and a key are refused; `permission_not_grantable` to callers without `scim:write` */
export async function create(ctx: ChangeContext, input: CreateConnection): Promise<Created> {
  const { name, profile, end_date_attribute = null, organization_id, expires_at = null } = input
  const { entry, ...created } = await connections.create(ctx, {
    name,
    end_date_attribute,
    organization_id,
    ...(profile !== undefined && { profile }),
  })
  const { connection_id } = created.connection
  const issued = await keys.issue(ctx, {
    name,
    permissions: [inScopeOf(ctx.actor, 'scim:write')],
    expires_at,
    connection_id,
  })
  ctx.record({ ...entry, details: { key_id: issued.key_id, prefix: issued.prefix, expires_at: issued.expires_at } })
  return { ...created, key_id: issued.key_id, key: issued.key as string }
}

/**
 * @throws AppError `connection_not_found`, `precondition_failed`, `connection_name_taken`, `validation_failed`,
 *   `permission_not_grantable`
 */
export async function update(
  ctx: ChangeContext,
  input: Parameters<typeof connections.update>[1],
): Promise<connections.Versioned> {
  await refuseBeyondKeysOf(ctx, input)
  const changed = await connections.update(ctx, input)
  const { connection_id, organization_id = null } = changed.connection
  await keys.refreshKeysOf(ctx, connection_id, organization_id)
  return changed
}

/**
 * The keys of the connection end at once.
 *
 * @throws AppError `connection_not_found`, `precondition_failed`, `permission_not_grantable`
 */
export async function remove(
  ctx: ChangeContext,
  input: Parameters<typeof connections.remove>[1],
): Promise<{ released: number }> {
  await refuseBeyondKeysOf(ctx, input)
  const { entry, released } = await connections.remove(ctx, input)
  const revoked = await keys.removeKeysOf(ctx, input.connection_id)
  ctx.record({ ...entry, details: { ...entry.details, released, revoked } })
  return { released }
}

/** What belongs to another organization is unknown here, whatever its keys may do. */
async function refuseBeyondKeysOf(ctx: ChangeContext, { connection_id }: { connection_id: string }): Promise<void> {
  await connections.get(ctx, connection_id)
  await keys.refuseBeyondKeysOf(ctx, connection_id)
}
