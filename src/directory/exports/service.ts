/**
 * Exports with password hashes: each is recorded in the audit log before its first byte is sent. Leaves the rows to users/,
 * and the encryption to sealing.ts.
 */
import type { ChangeContext } from '../../store/context.ts'

export async function record(ctx: ChangeContext, { users }: { users: number }): Promise<void> {
  ctx.record({ action: 'users.exported', details: { users, with_password_hashes: true } })
}
