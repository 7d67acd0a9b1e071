/** The actions for the selection, and the offer to select all matching users. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCan } from '../../api/me.ts'
import { useSettableAttributes } from '../../data/attributes.ts'
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

type Act = [BulkAction, ReactNode, string | undefined]

export function SelectionBar({ selected, total, isOfGroup, isOfServices, more, onSelect, onAction, onExport }: Props) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  const mayEndSessions = useCan('sessions:write')
  const mayWriteGroups = useCan('groups:write')
  const hasAttributes = useSettableAttributes().length > 0
  const lacking = mayWrite ? undefined : t`Needs the permission users:write.`
  const lackingGroups = lacking ?? (mayWriteGroups ? undefined : t`Needs the permission groups:write.`)
  const pointless = isOfServices ? t`Service accounts cannot sign in.` : undefined
  const acts: Act[] = [
    ['activate', <Trans key="activate">Enable</Trans>, lacking],
    ['deactivate', <Trans key="deactivate">Disable</Trans>, lacking],
    ['invite', <Trans key="invite">Invite</Trans>, lacking ?? pointless],
    ['set_role', <Trans key="set_role">Change role</Trans>, lacking],
    ...(hasAttributes
      ? [['set_attributes', <Trans key="set_attributes">Set attribute</Trans>, lacking] satisfies Act]
      : []),
    ['set_locale', <Trans key="set_locale">Change language</Trans>, lacking],
    ['add_to_group', <Trans key="add_to_group">Add to group</Trans>, lackingGroups],
    ...(isOfGroup
      ? []
      : [['remove_from_group', <Trans key="remove_from_group">Remove from group</Trans>, lackingGroups] satisfies Act]),
    [
      'end_sessions',
      <Trans key="end_sessions">Sign out</Trans>,
      lacking ?? (mayEndSessions ? pointless : t`Needs the permission sessions:write.`),
    ],
  ]
  return (
    <SelectionFrame selected={selected} total={total} onSelect={onSelect}>
      {more}
      {acts.map(([action, label, reason]) => (
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
      <Button
        size="compact-sm"
        variant="default"
        className={styles.delete ?? ''}
        disabled={!mayWrite}
        title={lacking}
        onClick={() => onAction('delete')}
      >
        <Trans>Delete</Trans>
      </Button>
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
