/** The keys that sign access tokens. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { SigningKey } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { keySetQuery, signingKeysQuery } from '../../data/system.ts'
import { Needs } from '../../ui/missing-permission.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './system.module.css'

const RotateDialog = lazy(() => import('./rotate-dialog.tsx'))

export function SigningKeys() {
  const { t } = useLingui()
  const canWrite = useCan('signing_keys:write')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Section
      title={t`Signing keys`}
      description={t`These keys sign access tokens. The main API verifies tokens with the published keys.`}
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[{ operation: canWrite ? 'GET /signing-keys' : 'GET /.well-known/jwks.json' }]}
          />
          {canWrite && (
            <Button variant="default" onClick={() => setIsOpen(true)}>
              <Trans>Rotate signing key</Trans>
            </Button>
          )}
        </>
      }
    >
      {canWrite ? <KeyTable /> : <PublishedKeys />}
      {isOpen && (
        <Suspense fallback={null}>
          <RotateDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </Section>
  )
}

function PublishedKeys() {
  const { t } = useLingui()
  const query = useQuery(keySetQuery)
  return (
    <Records source={query} rows={query.data?.keys} problem={t`Could not load the keys.`} waiting={<Waiting />}>
      {(keys) => (
        <>
          <ul className={styles.kids}>
            {keys.map(({ kid }) => (
              <li key={String(kid)}>
                <code dir="ltr">{String(kid)}</code>
              </li>
            ))}
          </ul>
          <Needs permissions={['signing_keys:write']} />
        </>
      )}
    </Records>
  )
}

function KeyTable() {
  const { t } = useLingui()
  const query = useQuery(signingKeysQuery)
  const columns: Column<SigningKey>[] = [
    {
      label: t`Key`,
      kind: 'name',
      cell: ({ kid }) => (
        <code dir="ltr" className={styles.kid}>
          {kid}
        </code>
      ),
    },
    {
      label: t`State`,
      cell: (key) => (
        <span>
          <KeyState signingKey={key} />
        </span>
      ),
    },
    { label: t`Created`, cell: ({ created_at }) => <Instant value={created_at} /> },
    {
      label: t`Published until`,
      cell: ({ expires_at }) => <Instant value={expires_at} style="date" never={t`it is replaced`} />,
    },
  ]
  return (
    <Records source={query} rows={query.data} problem={t`Could not load the keys.`} waiting={<Waiting />}>
      {(keys) => <RecordTable rows={keys} keyOf={({ kid }) => kid} columns={columns} caption={t`Signing keys`} />}
    </Records>
  )
}

function KeyState({ signingKey: { state, signs_from } }: { signingKey: SigningKey }) {
  if (state === 'signing')
    return (
      <State kind="good">
        <Trans>Signing</Trans>
      </State>
    )
  if (state === 'next')
    return (
      <State kind="busy">
        <Trans>
          Signs <Instant value={signs_from} style="until" />
        </Trans>
      </State>
    )
  return (
    <State kind="off">
      <Trans>Retired</Trans>
    </State>
  )
}

function Waiting() {
  const { t } = useLingui()
  return (
    <div className={styles.waiting} role="status" aria-label={t`Loading`}>
      <i data-size="row" />
    </div>
  )
}
