import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '../../ui/number.ts'
import { detailOf } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { changeMany } from './bulk-requests.ts'
import { type BulkRow, changedKeys, followBulk } from './bulk-run.ts'
import type { BulkAction } from './selection.ts'

/** The change that undoes a change of some users. Other changes have no single reversal. */
const reversals = {
  delete: 'restore',
  deactivate: 'activate',
  activate: 'deactivate',
  add_to_group: 'remove_from_group',
  remove_from_group: 'add_to_group',
} as const satisfies Partial<Record<BulkAction, BulkAction>>
export type Reversible = keyof typeof reversals

export function isReversible(action: BulkAction): action is Reversible {
  return Object.hasOwn(reversals, action)
}

/** A change to undo. `groupId`: the group that users were added to or removed from; `override`: managed users too. */
type Undoable = { action: Reversible; groupId: string | undefined; changedUsers: readonly BulkRow[]; override: boolean }

/** Undoes a change of these users and shows the result. Resolves to false if the request failed. */
export function useReversal(): (change: Undoable) => Promise<boolean> {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  return async ({ action, groupId, changedUsers, override }) => {
    try {
      const user_ids = changedUsers.map(({ user_id }) => user_id)
      const { changed, refused, refusals } = await followBulk(
        changeMany(
          { action: reversals[action], user_ids, ...(groupId !== undefined && { group_id: groupId }) },
          { rows: 'refused', override },
        ),
        { onState: () => undefined, onCut: () => undefined },
      )
      const count = formatNumber(changed, i18n.locale)
      const done = {
        delete: t`Restored: ${count}`,
        deactivate: t`Enabled: ${count}`,
        activate: t`Disabled: ${count}`,
        add_to_group: t`Removed: ${count}`,
        remove_from_group: t`Added: ${count}`,
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
