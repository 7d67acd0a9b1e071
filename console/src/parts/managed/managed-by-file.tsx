import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useCan } from '../../api/me.ts'
import { configurationQuery } from '../../data/configuration.ts'
import { Badge } from '../../ui/badge.tsx'
import styles from './managed.module.css'

type Managed = { managed_by?: string | null | undefined }

function isByFile({ managed_by }: Managed): boolean {
  return managed_by === 'file'
}

/** Where the file of the last apply came from, if it said so and the user may know. */
function useSource(isManaged: boolean): string | undefined {
  const mayRead = useCan('configuration:read')
  const { data } = useQuery({ ...configurationQuery, enabled: isManaged && mayRead })
  return data?.applies[0]?.source ?? undefined
}

/** Marks what a configuration file manages. */
export function FileBadge({ of }: { of: Managed }) {
  const { t } = useLingui()
  const isManaged = isByFile(of)
  const source = useSource(isManaged)
  if (!isManaged) return null
  return (
    <Badge
      title={source === undefined ? t`Managed by a file` : t`Last applied: ${source}`}
    >{t`Managed by a file`}</Badge>
  )
}

export type Override = { override?: true }

/** A change of what a configuration file may manage is locked until the user chooses to change it nevertheless. */
export function useFileLock(of: Managed) {
  const isManaged = isByFile(of)
  const [isOverridden, setOverridden] = useState(false)
  const how: Override = isManaged && isOverridden ? { override: true } : {}
  const howToTry: Override = isManaged ? { override: true } : {}
  return {
    isLocked: isManaged && !isOverridden,
    /** Options of the request, and members of its query. */
    how,
    /** The same for a dry run, which shows what the change would do. */
    howToTry,
    notice: isManaged && <FileNotice isOverridden={isOverridden} onOverride={setOverridden} />,
  }
}

type NoticeProps = { isOverridden: boolean; onOverride: (isOverridden: boolean) => void }

function FileNotice({ isOverridden, onOverride }: NoticeProps) {
  const { t } = useLingui()
  const source = useSource(true)
  return (
    <div className={styles.notice} role="note">
      <p>
        <Trans>A configuration file manages this. Change it in the file.</Trans>
      </p>
      {source !== undefined && (
        <p>
          <Trans>
            Last applied: <bdi>{source}</bdi>
          </Trans>
        </p>
      )}
      <Checkbox
        label={t`Change it here anyway. The next apply of the file undoes it.`}
        checked={isOverridden}
        onChange={(event) => onOverride(event.currentTarget.checked)}
      />
    </div>
  )
}

/** Fields that cannot be used while they are locked. */
export function Lockable({ isLocked, children }: { isLocked: boolean; children: ReactNode }) {
  return (
    <fieldset className={styles.fields} disabled={isLocked}>
      {children}
    </fieldset>
  )
}
