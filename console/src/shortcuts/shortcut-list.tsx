import { Trans, useLingui } from '@lingui/react/macro'
import { Switch } from '@mantine/core'
import { Dialog } from '../ui/dialog.tsx'
import styles from './shortcut-list.module.css'
import { activeShortcuts, switchShortcuts, useShortcutsOn } from './shortcuts.ts'

type Props = { isOpen: boolean; onClose: () => void }

export default function ShortcutList({ isOpen, onClose }: Props) {
  const { t } = useLingui()
  const isOn = useShortcutsOn()
  const rows = [
    ...activeShortcuts(),
    { key: 'Ctrl K', description: t`Find users, groups, keys, pages and actions` },
    { key: '?', description: t`Show this list` },
  ]
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t`Keyboard shortcuts`}>
      <Switch
        checked={isOn}
        onChange={(event) => switchShortcuts(event.currentTarget.checked)}
        label={t`Use single keys as shortcuts`}
      />
      <dl className={styles.list} data-off={!isOn}>
        {rows.map(({ key, description }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>
        <Trans>Shortcuts are off while you type in a field.</Trans>
      </p>
    </Dialog>
  )
}
