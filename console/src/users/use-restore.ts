import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { formatNumber } from '../ui/number.ts'
import { detailOf } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'
import { type BulkRow, changedKeys, followBulk } from './bulk-run.ts'

/** Restores deleted users and shows the result. Resolves to false if the request failed. */
export function useRestore(): (users: readonly BulkRow[]) => Promise<boolean> {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  return async (users) => {
    try {
      const user_ids = users.map(({ user_id }) => user_id)
      const { changed, refused, refusals } = await followBulk(
        api.users.bulk({ action: 'restore', user_ids }, { rows: 'refused' }),
        { onState: () => undefined, onCut: () => undefined },
      )
      const restored = formatNumber(changed, i18n.locale)
      const failed = formatNumber(refused, i18n.locale)
      const first = refusals[0]?.detail ?? ''
      if (refused === 0) showToast({ message: t`Restored: ${restored}` })
      else showToast({ kind: 'fault', message: t`Restored: ${restored}. Refused: ${failed}. ${first}` })
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
