/** Creates the first administrator from the link that the host shows, and signs them in. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { RollbookError } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { api } from '../../api/client.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { Problem } from '../../ui/problem.tsx'
import { forgetToken, takeToken } from './link-token.ts'
import styles from './setup.module.css'
import { SetupForm } from './setup-form.tsx'

export default function SetupPage() {
  const { t } = useLingui()
  const [token, setToken] = useState(takeToken)
  const [refusal, setRefusal] = useState<RollbookError>()
  const { data, error, refetch } = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => api.setup.state({ signal }),
    staleTime: 0,
  })
  // A newer link pasted into the same tab changes the end of the address only.
  useEffect(() => {
    const readToken = () => {
      setRefusal(undefined)
      setToken(takeToken())
    }
    window.addEventListener('hashchange', readToken)
    return () => window.removeEventListener('hashchange', readToken)
  }, [])
  const isDone = data?.open === false || refusal?.code === 'setup_done'
  useEffect(() => {
    if (isDone || refusal !== undefined) forgetToken()
  }, [isDone, refusal])

  if (isDone) {
    return (
      <Card title={t`Rollbook is already set up`}>
        <p>
          <Trans>The link was used. Sign in; if you have no account, ask an administrator for one.</Trans>
        </p>
        <Button component="a" href={placeOf('login')} size="md" fullWidth>
          <Trans>Go to the sign-in page</Trans>
        </Button>
      </Card>
    )
  }
  if (error !== null && data === undefined) {
    return (
      <Card title={t`Welcome to Rollbook`}>
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the setup.`} />
      </Card>
    )
  }
  if (data === undefined) {
    return (
      <Card title={t`Welcome to Rollbook`}>
        <div className={styles.waiting} role="status" aria-label={t`Loading`}>
          <i />
          <i />
          <i />
        </div>
      </Card>
    )
  }
  if (token === undefined || refusal !== undefined) {
    const isRefused = refusal !== undefined
    return (
      <Card title={isRefused ? t`This link no longer works` : t`A setup link is needed`}>
        <p role={isRefused ? 'alert' : undefined}>
          {isRefused ? (
            <Trans>It was used, replaced by a newer one, or is older than 24 hours.</Trans>
          ) : (
            <Trans>
              There is no administrator yet. Create the first one with the link that the service printed in the terminal
              where it was started.
            </Trans>
          )}
        </p>
        <p>
          <Trans>Print a new link where the service runs, and open it here:</Trans>
        </p>
        <CopyLine text="npx rollbook admin link" label={t`the command for a new link`} />
        <p className={styles.small}>
          <Trans>It works for 24 hours and for one administrator. Each new link replaces the previous one.</Trans>
        </p>
      </Card>
    )
  }
  return (
    <Card
      title={t`Welcome to Rollbook`}
      lead={<Trans>You are the first administrator. Choose how you sign in. The link works only once.</Trans>}
    >
      <SetupForm token={token} onRefused={setRefusal} />
    </Card>
  )
}

function Card({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Rollbook`
  }, [title])
  return (
    <main className={styles.place}>
      <div className={styles.card}>
        <p className={styles.brand}>
          <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
            <rect width="32" height="32" rx="7" fill="#1f5fbf" />
            <path
              d="M8 9h2.5v2.5H8zm5 0h11v2.5H13zM8 14.75h2.5v2.5H8zm5 0h11v2.5H13zM8 20.5h2.5V23H8zm5 0h7V23h-7z"
              fill="#fff"
            />
          </svg>
          Rollbook
        </p>
        <h1>{title}</h1>
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        {children}
      </div>
    </main>
  )
}
