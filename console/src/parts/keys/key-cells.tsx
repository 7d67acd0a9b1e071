import { useLingui } from '@lingui/react/macro'
import type { ApiKey } from 'rollbook/client'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Instant } from '../../ui/time.tsx'
import { FileBadge } from '../managed/managed-by-file.tsx'
import { remarksOn } from './key-state.ts'
import styles from './keys.module.css'

/** The columns that keys of programs and of users share. */
export function useKeyColumns() {
  const { t } = useLingui()
  return {
    name: { label: t`Key`, kind: 'name', cell: (key) => <KeyName apiKey={key} /> },
    permissions: { label: t`Permissions`, cell: ({ permissions }) => <Permissions words={permissions} /> },
    expires: {
      label: t`Expires`,
      className: records.nowrap,
      cell: ({ expires_at }) => <Instant value={expires_at} style="date" never={t`Never`} />,
    },
    lastUsed: {
      label: t`Last used`,
      className: records.nowrap,
      cell: ({ last_used_at }) => <Instant value={last_used_at} never={t`Never`} />,
    },
  } satisfies Record<string, Column<ApiKey>>
}

function KeyName({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useLingui()
  const { name, prefix, managed } = apiKey
  const remarks = remarksOn(apiKey, Date.now())
  return (
    <>
      <div className={records.name}>{name}</div>
      {prefix !== '' && (
        <div className={records.under}>
          <code dir="ltr">{prefix}…</code>
        </div>
      )}
      <div className={styles.badges}>
        <FileBadge of={apiKey} />
        {managed && <Badge kind="accent">{t`From the configuration`}</Badge>}
        {remarks.includes('ended') && <Badge kind="fault">{t`Expired`}</Badge>}
        {remarks.includes('ends_soon') && <Badge kind="warn">{t`Expires soon`}</Badge>}
        {remarks.includes('never_used') && <Badge kind="warn">{t`Never used`}</Badge>}
        {remarks.includes('long_unused') && <Badge kind="warn">{t`Not used for 90 days`}</Badge>}
      </div>
    </>
  )
}

function Permissions({ words }: { words: readonly string[] }) {
  const { t } = useLingui()
  if (words.length === 0) return <span className={styles.reason}>{t`None`}</span>
  if (words.includes('*')) return <Badge kind="warn">{t`Full access`}</Badge>
  return (
    <div className={styles.words}>
      {words.map((word) => (
        <code key={word} dir="ltr">
          {word}
        </code>
      ))}
    </div>
  )
}
