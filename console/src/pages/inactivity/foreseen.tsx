import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { InactivityPreview } from 'rollbook/client'
import { type Column, plainLook, RecordTable } from '../../ui/record-table.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './inactivity.module.css'

/** Whom a rule disables, and when, if they do not return. */
export function Foreseen({ preview, caption }: { preview: InactivityPreview; caption: string }) {
  const { t } = useLingui()
  const { users, total, until, spared, stops } = preview
  const columns: Column<InactivityPreview['users'][number]>[] = [
    {
      label: t`User`,
      kind: 'name',
      cell: ({ user_id, username }) => (
        <Link to="/users/$userId" params={{ userId: user_id }}>
          <bdi>{username}</bdi>
        </Link>
      ),
    },
    { label: t`Last use`, cell: ({ last_used_at }) => <Instant value={last_used_at} never={t`never`} /> },
    {
      label: t`Notice`,
      cell: ({ noticed, notice_at }) => (
        <span>
          <Instant value={notice_at} style="date" />
          {noticed && ` · ${t`sent`}`}
        </span>
      ),
    },
    { label: t`Disabled on`, cell: ({ disable_at }) => <Instant value={disable_at} style="date" /> },
  ]
  return (
    <>
      <p className={styles.sentence} role="status">
        <Plural
          value={total}
          _0="No user is disabled until then."
          one="# user is disabled until then without another sign-in or use of a key."
          other="# users are disabled until then without another sign-in or use of a key."
        />{' '}
        (<Instant value={until} style="date" />)
      </p>
      {stops && (
        <p className={styles.warning}>
          <Trans>
            One run would disable more than 5 % of the active users. It stops, and waits until an administrator confirms
            it.
          </Trans>
        </p>
      )}
      {spared !== null && (
        <p className={styles.note}>
          <Trans>
            <bdi>{spared.username}</bdi> stays, because no other administrator would remain.
          </Trans>
        </p>
      )}
      {users.length > 0 && (
        <RecordTable
          rows={users}
          keyOf={({ user_id }) => user_id}
          columns={columns}
          caption={caption}
          look={plainLook}
        />
      )}
      {total > users.length && (
        <p className={styles.note}>
          <Trans>Only the first of them are listed. The command “rollbook inactivity preview” lists more.</Trans>
        </p>
      )}
    </>
  )
}
