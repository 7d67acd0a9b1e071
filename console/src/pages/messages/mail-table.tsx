import { Trans, useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Mail } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { useDefaultLanguage } from '../../parts/user-details/default-language.ts'
import { formatNumber } from '../../ui/number.ts'
import { type Column, type Disclosure, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { DetailsOpener, RowActions } from '../../ui/row-actions.tsx'
import { NextAttempt, SendAgain } from '../../ui/send-again.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
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
    {
      label: t`Next attempt`,
      className: records.nowrap,
      cell: ({ status, next_attempt_at }) => <NextAttempt at={status === 'waiting' ? next_attempt_at : null} />,
    },
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
  const isRetried = isWaitingToRetry({ status, attempt_count, error })
  const kind = {
    sent: 'good',
    failed: 'fault',
    cancelled: 'off',
    held: 'warn',
    waiting: isRetried ? 'warn' : 'busy',
  } as const
  return (
    <Stack gap={4} align="flex-start">
      <State kind={kind[status]}>{isRetried ? t`Retrying` : states[status]}</State>
      {error !== null && <span className={styles.why}>{faultOf(error)}</span>}
      {status === 'cancelled' && (
        <span className={styles.why}>
          <Trans>Its link was replaced or ended before it was sent, or it was discarded.</Trans>
        </span>
      )}
    </Stack>
  )
}

function isWaitingToRetry({ status, attempt_count, error }: Pick<Mail, 'status' | 'attempt_count' | 'error'>): boolean {
  return status === 'waiting' && (attempt_count > 0 || error !== null)
}

function Actions({ mail, details }: { mail: Mail; details: Disclosure }) {
  const { mail_id, address, status, expires_at } = mail
  const { t } = useLingui()
  const mayWrite = useCan('mails:write')
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <RowActions>
      {mayWrite && (status === 'failed' || isWaitingToRetry(mail)) && !isExpired && (
        <SendAgain
          id={mail_id}
          name={address}
          send={(id, options) => api.mails.retry(id, options)}
          queryKey={['mails']}
          done={t`The message is being sent again.`}
          failed={t`The message was not sent again.`}
        />
      )}
      <DetailsOpener details={details} label={t`Details: ${address}`}>
        <Trans>Details</Trans>
      </DetailsOpener>
    </RowActions>
  )
}

function Details({ mail }: { mail: Mail }) {
  const { t, i18n } = useLingui()
  const standard = useDefaultLanguage()
  const { mail_id, attempt_count, finished_at, expires_at, locale, response, status } = mail
  return (
    <>
      <dl className={styles.facts}>
        <Fact label="mail_id">
          <code dir="ltr">{mail_id}</code>
        </Fact>
        <Fact label={t`Attempts`}>{formatNumber(attempt_count, i18n.locale)}</Fact>
        <Fact label={t`Language`}>{locale ?? standard}</Fact>
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
