/** Events for changes of connections and identities. */
import type { ChangeContext } from '../../../store/context.ts'
import type { IdentityRow } from './identities-store.ts'
import { settingsOf } from './settings.ts'
import type { ConnectionRow } from './store.ts'

/** Without what a provider must know: followers need to know who may sign in through it. */
export function emitConnection(
  ctx: ChangeContext,
  type: 'connection.created' | 'connection.updated',
  row: ConnectionRow,
  unlinked = 0,
): void {
  const { connection_id, kind, name, position, created_at, updated_at, organization_id } = row
  const { preset, domains, trusted_domains, provisioning_domains } = settingsOf(row) as ReturnType<
    typeof settingsOf
  > & {
    preset: string
  }
  const data = {
    connection_id,
    kind,
    preset,
    name,
    active: row.active === 1,
    position,
    domains,
    trusted_domains,
    provisioning_domains,
    unlinked,
    created_at,
    updated_at,
    ...(organization_id !== null && { organization_id }),
  }
  ctx.emit({ type, subject: connection_id, owner_id: connection_id, data: JSON.stringify(data) })
}

export function emitConnectionDeleted(ctx: ChangeContext, connection_id: string): void {
  const data = JSON.stringify({ connection_id })
  ctx.emit({ type: 'connection.deleted', subject: connection_id, owner_id: connection_id, data })
}

/** In the history of the user, with which it is erased. */
export function emitLinked(ctx: ChangeContext, row: IdentityRow): void {
  const { identity_id, user_id, connection_id, subject, email, linked_by, created_at } = row
  const data = JSON.stringify({ identity_id, user_id, connection_id, subject, email, linked_by, created_at })
  ctx.emit({ type: 'identity.linked', subject: identity_id, owner_id: user_id, data })
}

export function emitUnlinked(
  ctx: ChangeContext,
  { identity_id, user_id, connection_id }: Pick<IdentityRow, 'identity_id' | 'user_id' | 'connection_id'>,
): void {
  const data = JSON.stringify({ identity_id, user_id, connection_id })
  ctx.emit({ type: 'identity.removed', subject: identity_id, owner_id: user_id, data })
}
