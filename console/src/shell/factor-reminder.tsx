/** Invites to add a second factor: once after setup, and from time to time before the policy requires one. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Me } from 'rollbook/client'
import { placeAndBack } from '../api/base.ts'
import { ownFactorsQuery } from '../data/factors.ts'
import { isInvited, isPutOff, putOff } from '../parts/factors/reminder-pause.ts'
import { Instant } from '../ui/time.tsx'
import styles from './factor-reminder.module.css'

export function FactorReminder({ me: { user_id } }: { me: Me }) {
  const { t } = useLingui()
  const { data } = useQuery({ ...ownFactorsQuery, staleTime: 300_000 })
  const [isHidden, setIsHidden] = useState(() => isPutOff(user_id, Date.now()))
  if (data === undefined) return null
  const isNeeded = data.required && data.required_from !== null
  if (data.factors.length > 0 || (isNeeded ? isHidden : !isInvited())) return null
  function close() {
    putOff(user_id, Date.now())
    setIsHidden(true)
  }
  return (
    <section className={styles.bar} aria-label={t`Second factor`}>
      <p>
        {isNeeded ? (
          <Trans>
            From <Instant value={data.required_from} style="date" /> on you need a second factor to sign in.
          </Trans>
        ) : (
          <Trans>
            <strong>Protect your account.</strong> With a second factor, a stolen password is not enough to sign in.
          </Trans>
        )}
      </p>
      <Button component="a" size="xs" href={placeAndBack('add-factor')}>
        <Trans>Add a second factor</Trans>
      </Button>
      <Button size="xs" variant="default" onClick={close}>
        {isNeeded ? <Trans>Later</Trans> : <Trans>Not now</Trans>}
      </Button>
    </section>
  )
}
