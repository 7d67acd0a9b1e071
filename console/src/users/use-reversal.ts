import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '../ui/number.ts'
import { detailOf } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'
import { changeMany } from './bulk-requests.ts'
import { type BulkRow, changedKeys, followBulk } from './bulk-run.ts'
import type { BulkAction } from './selection.ts'

/** The change that undoes a change of some users. Other changes have no single reversal. */
export const reversals = {
  delete: 'restore',
  deactivate: 'activate',
  activate: 'deactivate',
} as const satisfies Partial<Record<BulkAction, BulkAction>>
export type Reversible = keyof typeof reversals

export function isReversible(action: BulkAction): action is Reversible {
  return Object.hasOwn(reversals, action)
}

/** Undoes a change of these users and shows the result. Resolves to false if the request failed. */
export function useReversal(): (of: Reversible, users: readonly BulkRow[]) => Promise<boolean> {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  return async (of, users) => {
    try {
      const user_ids = users.map(({ user_id }) => user_id)
      const { changed, refused, refusals } = await followBulk(
        changeMany({ action: reversals[of], user_ids }, { rows: 'refused' }),
        { onState: () => undefined, onCut: () => undefined },
      )
      const count = formatNumber(changed, i18n.locale)
      const done = {
        delete: t`Restored: ${count}`,
        deactivate: t`Enabled: ${count}`,
        activate: t`Disabled: ${count}`,
      }[of]
      const failed = formatNumber(refused, i18n.locale)
      const first = refusals[0]?.detail ?? ''
      if (refused === 0) showToast({ message: done })
      else showToast({ kind: 'fault', message: t`${done}. Refused: ${failed}. ${first}` })
      return true
    } catch (error) {
      showToast({
        kind: 'fault',
        message: detailOf(error, t`The service cannot be reached.`),
      })
      return false
    } finally {
      for (const queryKey of changedKeys) void queries.invalidateQueries({ queryKey })
    }
  }
}
