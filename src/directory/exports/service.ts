/**
 * Exports that hold password hashes: who took one is on record before its first byte leaves. Leaves to users/ which rows
 * there are, and to sealing.ts that nobody reads them without the passphrase.
 */
import type { ChangeContext } from '../../store/context.ts'

export async function record(ctx: ChangeContext, { users }: { users: number }): Promise<void> {
  ctx.record({ action: 'users.exported', details: { users, with_password_hashes: true } })
}
