import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '../../ui/number.ts'
import { detailOf } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { changeMany } from './bulk-requests.ts'
import { type BulkRow, changedKeys, followBulk } from './bulk-run.ts'
import { reversalOf, type Undoable } from './reversal.ts'

/** Undoes a change of these users and shows the result. Resolves to false if the request failed. */
export function useReversal(): (change: Undoable) => Promise<boolean> {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  return async ({ action, groupId, changedUsers, override }) => {
    try {
      const sum = { changed: 0, refused: 0, refusals: [] as BulkRow[] }
      for (const change of reversalOf({ action, groupId, changedUsers }) ?? []) {
        const lines = changeMany(change, { rows: 'refused', override })
        const done = await followBulk(lines, { onState: () => undefined, onCut: () => undefined })
        sum.changed += done.changed
        sum.refused += done.refused
        sum.refusals.push(...done.refusals)
      }
      const { changed, refused, refusals } = sum
      const count = formatNumber(changed, i18n.locale)
      const done = {
        delete: t`Restored: ${count}`,
        deactivate: t`Enabled: ${count}`,
        activate: t`Disabled: ${count}`,
        add_to_group: t`Removed: ${count}`,
        remove_from_group: t`Added: ${count}`,
        set_attribute: t`Restored: ${count}`,
        set_locale: t`Restored: ${count}`,
        set_expires_at: t`Restored: ${count}`,
      }[action]
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
