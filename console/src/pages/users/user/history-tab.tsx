import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { AuditRecord, User } from 'rollbook/client'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { useAttributeLabels } from '../../../data/attributes.ts'
import { historyLimit, historyQuery } from '../../../data/users.ts'
import { useRecordWords } from '../../../parts/audit/record-words.ts'
import { type Run, runsOf } from '../../../parts/audit/runs.ts'
import { Value } from '../../../parts/user-details/conflict.tsx'
import { useActionWords, useMemberLabels } from '../../../parts/user-details/words.ts'
import { IconDown } from '../../../ui/icons.tsx'
import { Records } from '../../../ui/records.tsx'
import { Section } from '../../../ui/section.tsx'
import { Instant } from '../../../ui/time.tsx'
import styles from './history.module.css'

export function HistoryTab({ user: { user_id } }: { user: User }) {
  const { t } = useLingui()
  const query = useInfiniteQuery(historyQuery(user_id))
  return (
    <Section
      title={t`History`}
      description={t`Changes to this user, newest first: who made them, from where, and the values before.`}
      actions={
        <ApiCallButton
          size="xs"
          calls={[{ operation: 'GET /users/{user_id}/audit', path: { user_id }, query: { limit: historyLimit } }]}
        />
      }
    >
      <Records
        source={query}
        rows={query.data?.pages.flatMap((page) => page.records)}
        problem={t`Could not load the history.`}
        waiting={
          <Stack aria-busy="true" gap="sm">
            <Skeleton height={60} />
            <Skeleton height={60} />
            <Skeleton height={60} />
          </Stack>
        }
        empty={
          <p className={styles.empty}>
            <Trans>No records yet.</Trans>
          </p>
        }
        more={{ label: <Trans>Show older</Trans> }}
      >
        {(records) => (
          <ol className={styles.list}>
            {runsOf(records).map((run) => (
              <RunEntry key={run.records[0].record_id} run={run} />
            ))}
          </ol>
        )}
      </Records>
    </Section>
  )
}

/** A record, or a run of the same event that opens to its records. */
function RunEntry({ run }: { run: Run }) {
  const words = useRecordWords()
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const [first] = run.records
  const last = run.records.at(-1) ?? first
  if (run.records.length === 1) return <Entry record={first} />
  return (
    <li className={styles.entry} data-outcome={first.outcome}>
      <p className={styles.what}>
        <button
          type="button"
          className={styles.run}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          <strong>{words.event(run)}</strong>
          {words.reason(first) !== undefined && <> · {words.reason(first)}</>} <IconDown size={14} />
        </button>
      </p>
      <p className={styles.where}>
        <span>
          <Instant value={last.occurred_at} style="full" /> – <Instant value={first.occurred_at} style="full" />
        </span>
      </p>
      <ol id={id} hidden={!isOpen} className={styles.inner} aria-label={words.event(run)}>
        {isOpen && run.records.map((record) => <Entry key={record.record_id} record={record} />)}
      </ol>
    </li>
  )
}

function Entry({ record }: { record: AuditRecord }) {
  const { t } = useLingui()
  const words = useRecordWords()
  const reason = words.reason(record)
  const wordsOf = useActionWords()
  const labels: Record<string, string> = {
    ...useMemberLabels(),
    ...useAttributeLabels(),
    kind: t`Kind`,
    password: t`Password`,
  }
  const { action, outcome, changes, actor } = record
  const { import_id, file_name, group_id, group, session_id: _, reason: __, ...others } = record.details ?? {}
  // Session IDs are left out: the Sessions tab shows them.
  const details = Object.entries(others)
  return (
    <li className={styles.entry} data-outcome={outcome}>
      <p className={styles.what}>
        <strong>{wordsOf(action, outcome)}</strong> <Actor actor={actor} />
        {reason !== undefined && <> · {reason}</>}
      </p>
      {changes !== null && Object.keys(changes).length > 0 && (
        <dl className={styles.changes}>
          {Object.entries(changes).map(([name, change]) => (
            <div key={name}>
              <dt>
                <bdi>{name === 'active' ? t`State` : (labels[name] ?? name)}</bdi>
              </dt>
              <dd>
                <Change name={name} change={change} isNew={action === 'user.created'} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {typeof group_id === 'string' && (
        <p className={styles.what}>
          <Link to="/groups/$groupId" params={{ groupId: group_id }}>
            <bdi>{typeof group === 'string' ? group : group_id}</bdi>
          </Link>
        </p>
      )}
      {typeof import_id === 'string' && (
        <p className={styles.what}>
          <Link to="/imports/$jobId" params={{ jobId: import_id }}>
            {typeof file_name === 'string' ? <Trans>Import of {file_name}</Trans> : <Trans>Open the import</Trans>}
          </Link>
        </p>
      )}
      {details.length > 0 && (
        <p className={styles.details}>
          {details.map(([name, value]) => (
            <code key={name} dir="ltr">
              {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
            </code>
          ))}
        </p>
      )}
      <p className={styles.where}>
        <Instant value={record.occurred_at} style="full" />
        {record.address !== null && <code dir="ltr">{record.address}</code>}
      </p>
    </li>
  )
}

function Actor({ actor: { kind, id, name } }: Pick<AuditRecord, 'actor'>) {
  const label = <bdi>{name ?? id}</bdi>
  switch (kind) {
    case 'user':
      return (
        <Trans>
          by{' '}
          <Link to="/users/$userId" params={{ userId: id }}>
            {label}
          </Link>
        </Trans>
      )
    case 'api_key':
      return <Trans>with the API key {label}</Trans>
    case 'service':
      return <Trans>by the service {label}</Trans>
    case 'system':
      return <Trans>by the system</Trans>
    default:
      return <Trans>by an unknown caller</Trans>
  }
}

function Change({ name, change, isNew }: { name: string; change: unknown; isNew: boolean }) {
  const { t } = useLingui()
  if (change === 'changed') return <Trans>changed</Trans>
  if (typeof change === 'object' && change !== null && 'before' in change && 'after' in change) {
    // A new user has no earlier values.
    if (isNew) return <Value name={name} value={change.after} />
    return (
      <>
        <Value name={name} value={change.before} />{' '}
        <span role="img" aria-label={t`became`} className={styles.arrow}>
          →
        </span>{' '}
        <Value name={name} value={change.after} />
      </>
    )
  }
  return <Value name={name} value={change} />
}
