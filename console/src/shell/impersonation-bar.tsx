import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Me } from 'rollbook/client'
import { consoleBase } from '../api/base.ts'
import { api } from '../api/client.ts'
import { detailOf } from '../ui/problem.tsx'
import { Instant } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.tsx'
import styles from './impersonation-bar.module.css'

type Props = { me: Me; act: NonNullable<Me['act']> }

/** Shows on every page that an administrator acts as the user, until when, and a button that stops it. */
export function ImpersonationBar({ me: { user_id, username, act_until }, act }: Props) {
  const { t } = useLingui()
  const [isStopping, setIsStopping] = useState(false)
  async function stop() {
    setIsStopping(true)
    try {
      await api.sessions.endCurrent()
      location.assign(`${consoleBase}users/${user_id}`)
    } catch (error) {
      setIsStopping(false)
      showToast({
        kind: 'fault',
        message: detailOf(error, t`The service cannot be reached; you still act as the user.`),
      })
    }
  }
  return (
    <section className={styles.bar} aria-label={t`Acting as another user`}>
      <p>
        <Trans>
          <strong>
            <bdi>{act.username}</bdi>, you act as <bdi>{username}</bdi>
          </strong>{' '}
          until <Instant value={act_until ?? null} style="at" />. You can change nothing.
        </Trans>
      </p>
      <Button size="xs" loading={isStopping} onClick={() => void stop()}>
        <Trans>Exit</Trans>
      </Button>
    </section>
  )
}
