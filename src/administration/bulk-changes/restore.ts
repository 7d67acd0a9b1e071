import { AppError } from '../../core/errors.ts'
import { placesFor } from '../../directory/search/service.ts'
import { apart } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import * as deletedUsers from '../deleted-users/service.ts'
import type { ManyVerdict } from './verdicts.ts'

/** Restores several users. One who cannot be restored does not stop the others. */
export async function restoreMany(
  ctx: ChangeContext,
  { user_ids }: { user_ids: readonly string[] },
): Promise<ManyVerdict[]> {
  const names = await deletedUsers.holdFormerNames(ctx, user_ids)
  const places = await placesFor(
    ctx.db,
    [...names.keys()].map((user_id) => ({ user_id, isMade: false })),
  )
  const verdicts: ManyVerdict[] = []
  for (const user_id of user_ids) {
    const username = names.get(user_id) ?? null
    const one = apart(ctx)
    try {
      await ctx.db.undoable(() => deletedUsers.restore(one.ctx, { user_id, places }))
      one.flush()
      verdicts.push({ user_id, username, verdict: 'changed' })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message: detail } = error
      verdicts.push({ user_id, username, verdict: 'refused', code, detail })
    }
  }
  return verdicts
}
