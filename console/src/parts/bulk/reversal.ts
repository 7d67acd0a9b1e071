/** The change that undoes a change of some users. */
import type { BulkChange } from 'rollbook/client'
import type { BulkRow } from './bulk-run.ts'
import type { BulkAction } from './selection.ts'

/** Other changes have no single reversal. A change of values is undone with the former values. */
const reversals = {
  delete: 'restore',
  deactivate: 'activate',
  activate: 'deactivate',
  add_to_group: 'remove_from_group',
  remove_from_group: 'add_to_group',
  set_attribute: 'set_attribute',
  set_locale: 'set_locale',
  set_expires_at: 'set_expires_at',
} as const satisfies Partial<Record<BulkAction, BulkAction>>
export type Reversible = keyof typeof reversals

export function isReversible(action: BulkAction): action is Reversible {
  return Object.hasOwn(reversals, action)
}

/** A change to undo. `groupId`: the group that users were added to or removed from; `override`: managed users too. */
export type Undoable = {
  action: Reversible
  groupId: string | undefined
  changedUsers: readonly BulkRow[]
  override: boolean
}

/** More former values than these are more requests than a page should send. */
const mostValues = 200

/** The requests that undo a change; undefined if they are too many. Users with the same former value need one. */
export function reversalOf({ action, groupId, changedUsers }: Omit<Undoable, 'override'>): BulkChange[] | undefined {
  const groups = new Map<string, { before: BulkRow['before']; user_ids: string[] }>()
  for (const { user_id, before } of changedUsers) {
    const key = JSON.stringify(before)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { before, user_ids: [user_id] })
    else group.user_ids.push(user_id)
    if (groups.size > mostValues) return undefined
  }
  return [...groups.values()].map(({ before, user_ids }) => ({
    // A member whose end date was changed stays one.
    action: action === 'add_to_group' && before !== undefined ? action : reversals[action],
    user_ids,
    ...before,
    ...(groupId !== undefined && { group_id: groupId }),
  }))
}
