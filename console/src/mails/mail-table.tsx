import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Mail } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { formatNumber } from '../ui/number.ts'
import { detailOf } from '../ui/problem.tsx'
import { type Column, type Disclosure, RecordTable } from '../ui/record-table.tsx'
import records from '../ui/records.module.css'
import { State } from '../ui/state.tsx'
import { Instant } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import styles from './mails.module.css'
import { useFaultWords, useKindWords, useStatusWords } from './words.ts'

export function MailTable({ mails }: { mails: readonly Mail[] }) {
  const { t } = useLingui()
  const kinds = useKindWords()
  const columns: Column<Mail>[] = [
    {
      label: t`Message`,
      kind: 'name',
      cell: ({ kind }) => <span className={records.name}>{kinds[kind]}</span>,
    },
    { label: t`To`, className: styles.to, cell: (mail) => <Recipient mail={mail} /> },
    { label: t`State`, cell: (mail) => <MailState mail={mail} /> },
    { label: t`Created`, className: records.nowrap, cell: ({ created_at }) => <Instant value={created_at} /> },
    { label: t`Next attempt`, className: records.nowrap, cell: (mail) => <NextAttempt mail={mail} /> },
    { label: t`Actions`, kind: 'actions', cell: (mail, details) => <Actions mail={mail} details={details} /> },
  ]
  return (
    <RecordTable
      rows={mails}
      keyOf={({ mail_id }) => mail_id}
      columns={columns}
      caption={t`Messages`}
      isOpening
      details={(mail) => <Details mail={mail} />}
    />
  )
}

function Recipient({ mail: { user_id, address } }: { mail: Mail }) {
  const mayRead = useCan('users:read')
  const text = (
    <span dir="ltr" className={styles.address}>
      {address}
    </span>
  )
  if (user_id === null || !mayRead) return text
  return (
    <Link to="/users/$userId" params={{ userId: user_id }}>
      {text}
    </Link>
  )
}

function MailState({ mail: { status, attempt_count, error } }: { mail: Mail }) {
  const { t } = useLingui()
  const states = useStatusWords()
  const faultOf = useFaultWords()
  const isRetried = status === 'waiting' && (attempt_count > 0 || error !== null)
  const kind = { sent: 'good', failed: 'fault', cancelled: 'off', waiting: isRetried ? 'warn' : 'busy' } as const
  return (
    <div className={styles.state}>
      <State kind={kind[status]}>{isRetried ? t`Retrying` : states[status]}</State>
      {error !== null && <span className={styles.why}>{faultOf(error)}</span>}
      {status === 'cancelled' && (
        <span className={styles.why}>
          <Trans>Its link was replaced or ended before it was sent.</Trans>
        </span>
      )}
    </div>
  )
}

function NextAttempt({ mail: { status, next_attempt_at } }: { mail: Mail }) {
  // While the mail server is failing, one message is tried at a time.
  const isLate = status === 'waiting' && Date.parse(next_attempt_at ?? '') < Date.now()
  if (isLate) return <Trans>As soon as possible</Trans>
  return <Instant value={status === 'waiting' ? next_attempt_at : null} style="until" />
}

function Actions({ mail, details }: { mail: Mail; details: Disclosure }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const mayWrite = useCan('mails:write')
  const { mail_id, address, status, expires_at } = mail
  const { submit, isPending } = useSubmit(
    async (one: string, idempotencyKey) => {
      try {
        return await api.mails.retry(one, { idempotencyKey })
      } catch (error) {
        const unreachable = t`The service cannot be reached. Check the connection.`
        showToast({ kind: 'fault', message: t`The message is not sent again. ${detailOf(error, unreachable)}` })
        throw error
      }
    },
    {
      onSuccess() {
        showToast({ message: t`The message is being sent again.` })
        void queries.invalidateQueries({ queryKey: ['mails'] })
      },
    },
  )
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <div className={records.actions}>
      {mayWrite && status === 'failed' && !isExpired && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="var(--rb-accent)"
          loading={isPending}
          aria-label={t`Send again: ${address}`}
          onClick={() => submit(mail_id)}
        >
          <Trans>Send again</Trans>
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="var(--rb-accent)"
        data-opens
        aria-expanded={details.isOpen}
        aria-controls={details.id}
        aria-label={t`Details: ${address}`}
        onClick={details.toggle}
      >
        <Trans>Details</Trans>
      </Button>
    </div>
  )
}

function Details({ mail }: { mail: Mail }) {
  const { t, i18n } = useLingui()
  const { mail_id, attempt_count, finished_at, expires_at, locale, response, status } = mail
  return (
    <>
      <dl className={styles.facts}>
        <Fact label="mail_id">
          <code dir="ltr">{mail_id}</code>
        </Fact>
        <Fact label={t`Attempts`}>{formatNumber(attempt_count, i18n.locale)}</Fact>
        <Fact label={t`Language`}>{locale ?? t`The configured one`}</Fact>
        {finished_at !== null && (
          <Fact label={status === 'sent' ? t`Sent` : t`Ended`}>
            <Instant value={finished_at} style="full" />
          </Fact>
        )}
        {expires_at !== null && (
          <Fact label={t`Its link works until`}>
            <Instant value={expires_at} style="full" />
          </Fact>
        )}
      </dl>
      {response !== null && (
        <div className={styles.said}>
          <p>
            <Trans>The mail server said:</Trans>
          </p>
          <pre dir="ltr">{response}</pre>
        </div>
      )}
      {status === 'failed' && (
        <ApiCallButton size="xs" calls={[{ operation: 'POST /mails/{mail_id}/retry', path: { mail_id } }]} />
      )}
    </>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
