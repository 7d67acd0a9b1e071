/**
 * Exports with password hashes and second factors: each is recorded in the audit log before its first byte is sent. Leaves the rows to users/,
 * and the encryption to sealing.ts.
 */
import type { ChangeContext } from '../../store/context.ts'

export async function record(ctx: ChangeContext, exported: { users: number; withFactors: boolean }): Promise<void> {
  const { users, withFactors } = exported
  ctx.record({
    action: 'users.exported',
    details: { users, with_password_hashes: true, with_second_factors: withFactors },
  })
}
