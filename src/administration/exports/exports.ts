/**
 * Exports with password hashes and second factors: each is recorded in the audit log before its first byte is sent. Leaves the rows to users/,
 * and the encryption to sealing.ts.
 */
import { AppError } from '../../core/errors.ts'
import type { ChangeContext, Context } from '../../store/context.ts'

/** The file has the hash and the secrets of the owner, too, who has no access to them either. @throws AppError `user_required` */
export function refusePersonalKeys({ actor }: Pick<Context, 'actor'>): void {
  if (actor.personalKey === undefined) return
  const detail = 'A personal key cannot export password hashes and factors. Sign in, or use an API key of a program.'
  throw new AppError('user_required', detail)
}

export async function record(ctx: ChangeContext, exported: { users: number; withFactors: boolean }): Promise<void> {
  refusePersonalKeys(ctx)
  const { users, withFactors } = exported
  ctx.record({
    action: 'users.exported',
    details: { users, with_password_hashes: true, with_second_factors: withFactors },
  })
}
