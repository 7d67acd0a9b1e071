/** The interface to second factors that an import needs; they belong to a floor above. */
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Placed } from '../../../store/journal-entry.ts'

/** One-time codes that a row brings. The secret is already in its stored form. */
export type BroughtTotp = { factor_id: string; name: string; secret: string; sealed: number }

export type BroughtFactors = { totp: readonly BroughtTotp[]; recoveryCodeHashes: readonly string[] }

/** Which of these users have a second factor. */
export type FindFactorOwners = (userIds: readonly string[]) => Promise<Set<string>>

export type FactorWriter = {
  findOwners(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** `isNew`: the user is created by the same row, so there are no sessions to end and no one to notify. */
  add(
    ctx: ChangeContext,
    user: { user_id: string; username: string } & Placed,
    imported: BroughtFactors & { isNew: boolean; details: Record<string, unknown> },
  ): Promise<void>
}
