/** The actions for the selection, and the offer to select all matching users. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { can, useMe } from '../../api/me.ts'
import { useSettableAttributes } from '../../data/attributes.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { IconClose } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/number.ts'
import {
  allSelected,
  type BulkAction,
  countSelected,
  noneSelected,
  type Selected,
  selectableByName,
} from '../bulk/selection.ts'
import styles from './selection-bar.module.css'

type Props = {
  selected: Selected
  total: number
  /** Whether the list has the members of a group, whose page removes them from it. */
  isOfGroup: boolean
  /** Whether the filters find service accounts only. */
  isOfServices: boolean
  /** Actions of the page, before those of every list. */
  more?: ReactNode
  onSelect: (selected: Selected) => void
  onAction: (action: BulkAction) => void
  /** Undefined if the selected users alone cannot be exported. */
  onExport: (() => void) | undefined
}

type Act = { action: BulkAction; label: ReactNode; needs: readonly string[]; reason?: string | undefined }

export function SelectionBar({ selected, total, isOfGroup, isOfServices, more, onSelect, onAction, onExport }: Props) {
  const { t } = useLingui()
  const me = useMe()
  const hasOrganizations = useOrganizationsInUse('users:write')
  const hasAttributes = useSettableAttributes().length > 0
  const pointless = isOfServices ? t`Service accounts cannot sign in.` : undefined
  const all: (Act | false)[] = [
    { action: 'activate', label: <Trans>Enable</Trans>, needs: [] },
    { action: 'deactivate', label: <Trans>Disable</Trans>, needs: [] },
    { action: 'invite', label: <Trans>Invite</Trans>, needs: [], reason: pointless },
    { action: 'set_role', label: <Trans>Change role</Trans>, needs: [] },
    hasAttributes && { action: 'set_attribute', label: <Trans>Set attribute</Trans>, needs: [] },
    { action: 'set_locale', label: <Trans>Change language</Trans>, needs: [] },
    { action: 'set_expires_at', label: <Trans>Set end date</Trans>, needs: [] },
    hasOrganizations && { action: 'set_organization', label: <Trans>Change organization</Trans>, needs: [] },
    { action: 'add_to_group', label: <Trans>Add to group</Trans>, needs: ['groups:write'] },
    !isOfGroup && {
      action: 'remove_from_group',
      label: <Trans>Remove from group</Trans>,
      needs: ['groups:write'],
    },
    { action: 'end_sessions', label: <Trans>Sign out</Trans>, needs: ['sessions:write'], reason: pointless },
  ]
  const acts = all.filter((act) => act !== false && ['users:write', ...act.needs].every((one) => can(me, one))) as Act[]
  return (
    <SelectionFrame selected={selected} total={total} onSelect={onSelect}>
      {more}
      {acts.map(({ action, label, reason }) => (
        <Button
          key={action}
          size="compact-sm"
          variant="default"
          disabled={reason !== undefined}
          title={reason}
          onClick={() => onAction(action)}
        >
          {label}
        </Button>
      ))}
      {onExport && (
        <Button size="compact-sm" variant="default" onClick={onExport}>
          <Trans>Export</Trans>
        </Button>
      )}
      {can(me, 'users:write') && (
        <Button size="compact-sm" variant="default" className={styles.delete ?? ''} onClick={() => onAction('delete')}>
          <Trans>Delete</Trans>
        </Button>
      )}
    </SelectionFrame>
  )
}

type FrameProps = {
  selected: Selected
  total: number
  onSelect: (selected: Selected) => void
  /** The actions. */
  children: ReactNode
}

/** How many are selected, the offer to select all, and the way to clear the selection. */
export function SelectionFrame({ selected, total, onSelect, children }: FrameProps) {
  const { t, i18n } = useLingui()
  const count = countSelected(selected, total)
  const all = formatNumber(total, i18n.locale)
  const most = formatNumber(selectableByName, i18n.locale)
  return (
    <section className={styles.bar} aria-label={t`Selection`}>
      <p className={styles.count} role="status">
        <Plural value={count} one="# selected" other="# selected" />
        {!selected.isAll && selected.ids.size >= selectableByName && (
          <span>
            <Trans>At most {most} users can be selected one by one.</Trans>
          </span>
        )}
      </p>
      {!selected.isAll && total > count && (
        <button type="button" className={styles.all} onClick={() => onSelect(allSelected)}>
          <Trans>Select all {all} that match</Trans>
        </button>
      )}
      <div className={styles.actions}>{children}</div>
      <button
        type="button"
        className={styles.clear}
        aria-label={t`Clear the selection`}
        onClick={() => onSelect(noneSelected)}
      >
        <IconClose />
      </button>
    </section>
  )
}
