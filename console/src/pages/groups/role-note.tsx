import { Trans } from '@lingui/react/macro'
import styles from '../../parts/user-finder/members.module.css'
import type { Kind } from './member-run.ts'

/** Explains how a change of members affects their roles. */
export function RoleNote({ kind, role }: { kind: Kind; role: string }) {
  return (
    <p className={styles.note}>
      {kind === 'add' ? (
        <Trans>
          They have the role <strong>{role}</strong> at once, in addition to their own.
        </Trans>
      ) : (
        <Trans>
          They lose the role <strong>{role}</strong> at once, unless they have it themselves or through another group.
        </Trans>
      )}
    </p>
  )
}
