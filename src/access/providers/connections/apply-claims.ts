/** What a company says about an existing user, applied when the second factor is met: the mapping, and the address. */
import type { ChangeContext } from '../../../store/context.ts'
import { type Renewal, renewAddress } from './address.ts'
import type { ConnectionRow, Failure } from './connections.ts'
import { applyMapping, type Mapped } from './mapping.ts'

/** It waits, as JSON, with a sign-in for its second factor. */
export type Said = { subject: string; mapped: Mapped; renewal?: Renewal | undefined }

/** @throws AppError as for a change of a user, such as `last_admin` */
export async function applyClaims(
  ctx: ChangeContext,
  connection: ConnectionRow,
  { user_id, subject, mapped, renewal, claims }: Said & { user_id: string; claims?: Failure['claims'] | undefined },
): Promise<void> {
  await applyMapping(ctx, connection, { user_id, mapped, isNew: false })
  if (renewal !== undefined) await renewAddress(ctx, connection, { user_id, subject, renewal, claims })
}
