/**
 * The use of a factor as a proof: each code works once. Leaves checking codes and passkeys to totp.ts and passkeys.ts, and
 * counting attempts to sign-in/.
 */
import { AppError } from '../../../core/errors.ts'
import { notify } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { PasskeyUse } from './passkeys.ts'
import { recoveryCodeHash } from './recovery-codes.ts'
import * as store from './store.ts'

/** What was shown, and what must still be true when it is used up. */
export type Use =
  | { kind: 'totp'; factor_id: string; step: number }
  | { kind: 'recovery_code'; code_hash: string }
  | PasskeyUse

/**
 * Uses a code up, in the commit that grants something for it: of two requests with the same code, one succeeds.
 *
 * @throws AppError `second_factor_failed`
 */
export async function use(ctx: ChangeContext, user_id: string, used: Use): Promise<void> {
  if (!(await tryUse(ctx, user_id, used))) throw secondFactorFailed()
}

/** Like `use`; returns whether it worked. */
export function tryUse(ctx: ChangeContext, user_id: string, used: Use): Promise<boolean> {
  switch (used.kind) {
    case 'totp':
      return store.advanceStep(ctx.db, { ...used, user_id, now: timestamp(ctx.now) })
    case 'passkey':
      return store.advancePasskey(ctx.db, { ...used, user_id, now: timestamp(ctx.now) })
    case 'recovery_code':
      return useRecoveryCode(ctx, user_id, used.code_hash)
  }
}

async function useRecoveryCode(ctx: ChangeContext, userId: string, codeHash: string): Promise<boolean> {
  if (!(await store.deleteRecoveryCode(ctx.db, userId, codeHash))) return false
  if (ctx.rules.sendsMail) {
    const remaining = String(await store.countRecoveryCodes(ctx.db, userId))
    await notify(ctx, userId, { kind: 'recovery_code_used', data: { remaining } })
  }
  return true
}

export function secondFactorFailed(): AppError {
  const detail = 'The code or passkey is wrong, was used before, or has expired.'
  return new AppError('second_factor_failed', detail)
}

/** Returns whether the code is one of the user's. `use` decides which of two requests gets it. */
export async function findRecoveryCode(db: Db, userId: string, code: string): Promise<string | undefined> {
  const code_hash = recoveryCodeHash(userId, code)
  return code_hash !== undefined && (await store.hasRecoveryCode(db, userId, code_hash)) ? code_hash : undefined
}
