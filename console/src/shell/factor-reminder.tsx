/** Invites to add a second factor: once after setup, and from time to time before the policy requires one. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Me } from 'rollbook/client'
import { ownFactorsQuery } from '../data/factors.ts'
import { isInvited, isPutOff, putOff } from '../parts/factors/reminder-pause.ts'
import { Instant } from '../ui/time.tsx'
import styles from './factor-reminder.module.css'

const AddCodesDialog = lazy(() => import('../parts/factors/add-codes-dialog.tsx'))

export function FactorReminder({ me: { user_id } }: { me: Me }) {
  const { t } = useLingui()
  const { data } = useQuery({ ...ownFactorsQuery, staleTime: 300_000 })
  const [isHidden, setIsHidden] = useState(() => isPutOff(user_id, Date.now()))
  const [isAdding, setIsAdding] = useState(false)
  if (data === undefined) return null
  const isNeeded = data.required && data.required_from !== null
  const isWanted = data.factors.length === 0 && (isNeeded ? !isHidden : isInvited())
  function close() {
    putOff(user_id, Date.now())
    setIsHidden(true)
  }
  return (
    <>
      {isWanted && (
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
          <Button size="xs" onClick={() => setIsAdding(true)}>
            <Trans>Add one-time codes</Trans>
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            {isNeeded ? <Trans>Later</Trans> : <Trans>Not now</Trans>}
          </Button>
        </section>
      )}
      {/* Outside the bar, which goes when the codes are active. */}
      {isAdding && (
        <Suspense fallback={null}>
          <AddCodesDialog
            recoveryCodes={data.recovery_codes}
            onClose={() => {
              if (data.factors.length > 0) close()
              setIsAdding(false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
