/** The keys that sign access tokens. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { SigningKey } from 'rollbook/client'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { Badge } from '../ui/badge.tsx'
import { Problem } from '../ui/problem.tsx'
import records from '../ui/records.module.css'
import { Section } from '../ui/section.tsx'
import { Instant } from '../ui/time.tsx'
import { keySetQuery, signingKeysQuery } from './queries.ts'
import styles from './system.module.css'

const RotateDialog = lazy(() => import('./rotate-dialog.tsx'))

export function SigningKeys() {
  const { t } = useLingui()
  const canWrite = useCan('signing_keys:write')
  const [isOpen, setIsOpen] = useState(false)
  const keys = useQuery({ ...signingKeysQuery, enabled: canWrite })
  const published = useQuery({ ...keySetQuery, enabled: !canWrite })
  const { error, refetch } = canWrite ? keys : published
  return (
    <Section
      title={t`Signing keys`}
      description={t`They sign access tokens. The main API verifies those with the published keys.`}
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[{ operation: canWrite ? 'GET /signing-keys' : 'GET /.well-known/jwks.json' }]}
          />
          {canWrite && (
            <Button variant="default" onClick={() => setIsOpen(true)}>
              <Trans>Rotate the key</Trans>
            </Button>
          )}
        </>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} title={t`The keys could not be read.`} />}
      {keys.data !== undefined && <KeyTable keys={keys.data} />}
      {published.data !== undefined && (
        <>
          <ul className={styles.kids}>
            {published.data.keys.map(({ kid }) => (
              <li key={String(kid)}>
                <code dir="ltr">{String(kid)}</code>
              </li>
            ))}
          </ul>
          <p className={styles.quiet}>
            <Trans>
              To replace them your role needs the permission <code>signing_keys:write</code>.
            </Trans>
          </p>
        </>
      )}
      {error === null && keys.data === undefined && published.data === undefined && (
        <div className={styles.waiting} role="status" aria-label={t`Loading`}>
          <i data-size="row" />
        </div>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <RotateDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </Section>
  )
}

function KeyTable({ keys }: { keys: readonly SigningKey[] }) {
  const { t } = useLingui()
  return (
    <div className={records.box}>
      <table className={records.table}>
        <caption className="visually-hidden">{t`Signing keys`}</caption>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Key</Trans>
            </th>
            <th scope="col">
              <Trans>State</Trans>
            </th>
            <th scope="col">
              <Trans>Created</Trans>
            </th>
            <th scope="col">
              <Trans>Published until</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map(({ kid, state, created_at, signs_from, expires_at }) => (
            <tr key={kid}>
              <td>
                <code dir="ltr" className={styles.kid}>
                  {kid}
                </code>
              </td>
              <td data-label={t`State`}>
                <span>
                  {state === 'signing' ? (
                    <Badge kind="good">
                      <Trans>Signing</Trans>
                    </Badge>
                  ) : state === 'next' ? (
                    <Badge kind="accent">
                      <Trans>
                        Signs <Instant value={signs_from} style="until" />
                      </Trans>
                    </Badge>
                  ) : (
                    <Badge>
                      <Trans>Retired</Trans>
                    </Badge>
                  )}
                </span>
              </td>
              <td data-label={t`Created`}>
                <Instant value={created_at} />
              </td>
              <td data-label={t`Published until`}>
                <Instant value={expires_at} style="full" never={t`it is replaced`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
