import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Factor } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { ownFactorsQuery } from '../../data/factors.ts'
import factorStyles from '../../parts/factors/factor.module.css'
import { FactorList, WaitingFactors } from '../../parts/factors/factor-list.tsx'
import { canUsePasskeys } from '../../parts/factors/passkey.ts'
import { Records } from '../../ui/records.tsx'
import { RowAction } from '../../ui/row-actions.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './profile.module.css'

const AddCodesDialog = lazy(() => import('../../parts/factors/add-codes-dialog.tsx'))
const AddPasskeyDialog = lazy(() => import('./add-passkey-dialog.tsx'))
const RecoveryCodesDialog = lazy(() => import('../../parts/factors/recovery-codes.tsx'))
const RenameFactorDialog = lazy(() => import('./rename-factor-dialog.tsx'))
const RemoveFactorDialog = lazy(() => import('./remove-factor-dialog.tsx'))

type Open = { kind: 'add' } | { kind: 'passkey' } | { kind: 'codes' } | { kind: 'rename' | 'remove'; factor: Factor }

/** What the viewer signs in with besides the password. */
export function OwnFactors() {
  const { t } = useLingui()
  const query = useQuery(ownFactorsQuery)
  const [open, setOpen] = useState<Open>()
  const { data } = query
  const close = () => setOpen(undefined)
  return (
    <Section
      title={t`Sign-in security`}
      description={t`A second factor in addition to the password. Adding or removing one signs you out everywhere else.`}
      actions={
        <>
          <ApiCallButton size="xs" calls={[{ operation: 'GET /me/factors' }]} />
          {canUsePasskeys && (
            <Button size="xs" variant="default" onClick={() => setOpen({ kind: 'passkey' })}>
              <Trans>Add a passkey</Trans>
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => setOpen({ kind: 'add' })}>
            <Trans>Add one-time codes</Trans>
          </Button>
        </>
      }
    >
      <Records
        source={query}
        rows={data?.factors}
        problem={t`Could not load your second factors.`}
        waiting={<WaitingFactors />}
        empty={<p className={styles.none}>{data?.required ? <Required from={data.required_from} /> : <None />}</p>}
      >
        {(factors) => (
          <FactorList
            factors={factors}
            actions={(factor) => (
              <>
                <RowAction label={t`Rename ${factor.name}`} onClick={() => setOpen({ kind: 'rename', factor })}>
                  <Trans>Rename</Trans>
                </RowAction>
                <RowAction
                  label={t`Remove ${factor.name}`}
                  tone="fault"
                  onClick={() => setOpen({ kind: 'remove', factor })}
                >
                  <Trans>Remove</Trans>
                </RowAction>
              </>
            )}
          />
        )}
      </Records>
      {data !== undefined && data.factors.length > 0 && (
        <div className={factorStyles.recovery}>
          <div>
            <h3>
              <Trans>Recovery codes</Trans>
            </h3>
            <p className={factorStyles.quiet}>
              <Plural
                value={data.recovery_codes}
                _0="None. Without your phone you could not sign in."
                one="# is left. Each works once, if you have lost your phone."
                other="# are left. Each works once, if you have lost your phone."
              />
            </p>
          </div>
          <Button size="xs" variant="default" onClick={() => setOpen({ kind: 'codes' })}>
            {data.recovery_codes === 0 ? <Trans>Make recovery codes</Trans> : <Trans>Replace recovery codes</Trans>}
          </Button>
        </div>
      )}
      {open !== undefined && data !== undefined && (
        <Suspense fallback={null}>
          {open.kind === 'add' ? (
            <AddCodesDialog recoveryCodes={data.recovery_codes} onClose={close} />
          ) : open.kind === 'passkey' ? (
            <AddPasskeyDialog recoveryCodes={data.recovery_codes} onClose={close} />
          ) : open.kind === 'codes' ? (
            <RecoveryCodesDialog left={data.recovery_codes} onClose={close} />
          ) : open.kind === 'rename' ? (
            <RenameFactorDialog factor={open.factor} onClose={close} />
          ) : (
            <RemoveFactorDialog factor={open.factor} own={data} onClose={close} />
          )}
        </Suspense>
      )}
    </Section>
  )
}

function None() {
  return <Trans>None. You sign in with a password only.</Trans>
}

function Required({ from }: { from: string | null }) {
  return from !== null && Date.parse(from) > Date.now() ? (
    <Trans>
      None, and from <Instant value={from} style="date" /> on your organization requires one.
    </Trans>
  ) : (
    <Trans>None, and your organization requires one.</Trans>
  )
}
