/** Audit records and events for changes of factors. */
import type { ChangeContext } from '../../../store/context.ts'
import type { FactorRow } from './store.ts'

export function detailsOf({ factor_id, kind, name }: Pick<FactorRow, 'factor_id' | 'kind' | 'name'>) {
  return { factor_id, kind, name }
}

/** In the history of the user, with which it is erased. */
export function emitFactor(ctx: ChangeContext, type: 'factor.added' | 'factor.renamed', row: FactorRow): void {
  const { factor_id, user_id, kind, name, created_at } = row
  const data = JSON.stringify({ factor_id, user_id, kind, name, created_at })
  ctx.emit({ type, subject: factor_id, owner_id: user_id, data })
}

export function emitRemoved(ctx: ChangeContext, { factor_id, user_id }: FactorRow): void {
  const data = JSON.stringify({ factor_id, user_id })
  ctx.emit({ type: 'factor.removed', subject: factor_id, owner_id: user_id, data })
}
