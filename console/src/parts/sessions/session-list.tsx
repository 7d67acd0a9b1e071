import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton, Stack } from '@mantine/core'
import type { Session } from 'rollbook/client'
import { Badge } from '../../ui/badge.tsx'
import { DeviceName } from '../../ui/device-name.tsx'
import { RowAction } from '../../ui/row-actions.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './session-list.module.css'

type Props = {
  sessions: readonly Session[]
  /** Left out if the viewer may not end sessions. */
  onEnd?: ((session: Session) => void) | undefined
  /** The ID of the session that is being ended. */
  ending: string | undefined
}

export function SessionList({ sessions, onEnd, ending }: Props) {
  const { t } = useLingui()
  return (
    <ul className={styles.list}>
      {sessions.map((session) => (
        <li key={session.session_id}>
          <div className={styles.what}>
            <strong title={session.user_agent}>
              <DeviceName name={session.device} />
              {session.current && (
                <Badge kind="good">
                  <Trans>This session</Trans>
                </Badge>
              )}
              {session.act !== undefined && (
                <Badge kind="warn">
                  <Trans>
                    <bdi>{session.act.username}</bdi> acts as the user
                  </Trans>
                </Badge>
              )}
            </strong>
            <span className={styles.details}>
              <code dir="ltr">{session.address}</code>
              <span>
                <Trans>
                  last seen <Instant value={session.last_seen_at} />
                </Trans>
              </span>
              <span>
                <Trans>
                  signed in <Instant value={session.created_at} />
                </Trans>
              </span>
            </span>
          </div>
          {onEnd !== undefined && !session.current && (
            <RowAction
              label={t`End the session: ${session.device}, ${session.address}`}
              isPending={ending === session.session_id}
              onClick={() => onEnd(session)}
            >
              <Trans>End</Trans>
            </RowAction>
          )}
        </li>
      ))}
    </ul>
  )
}

export function WaitingSessions() {
  return (
    <Stack aria-busy="true" gap={8}>
      <Skeleton height={52} />
      <Skeleton height={52} />
    </Stack>
  )
}
