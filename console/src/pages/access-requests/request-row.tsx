import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { AccessRequest } from 'rollbook/client'
import { useAttributes } from '../../data/attributes.ts'
import { useValueText } from '../../parts/attributes/value-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { RowAction } from '../../ui/row-actions.tsx'
import { Tick } from '../../ui/tick.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './access-requests.module.css'
import { personOf } from './words.ts'

type Props = {
  request: AccessRequest
  isSelected: boolean
  /** Left out if the viewer may not decide, or the request is decided. */
  onSelect?: (isWanted: boolean) => void
  onDecide?: (decision: 'approve' | 'decline') => void
}

export function RequestRow({ request, isSelected, onSelect, onDecide }: Props) {
  const { t } = useLingui()
  const name = personOf(request)
  return (
    <li className={styles.row} data-selected={isSelected || undefined}>
      {onSelect !== undefined && <Tick label={t`Select ${name}`} isSelected={isSelected} onSelect={onSelect} />}
      <div className={styles.who}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {name !== request.email && <bdi className={styles.quiet}>{request.email}</bdi>}
        <p className={styles.reason} dir="auto">
          {request.reason}
        </p>
        <Values request={request} />
        <Remarks request={request} />
      </div>
      <div className={styles.when}>
        <State request={request} />
      </div>
      {onDecide !== undefined && (
        <div className={styles.actions}>
          {request.existing_user_id === null && (
            <RowAction label={t`Approve ${name}`} onClick={() => onDecide('approve')}>
              <Trans>Approve</Trans>
            </RowAction>
          )}
          <RowAction label={t`Decline ${name}`} tone="fault" onClick={() => onDecide('decline')}>
            <Trans>Decline</Trans>
          </RowAction>
        </div>
      )}
    </li>
  )
}

/** The required attributes, as the person stated them. */
function Values({ request: { attributes } }: Pick<Props, 'request'>) {
  const textOf = useValueText()
  const definitions = useAttributes() ?? []
  const labelOf = (name: string) => definitions.find((one) => one.name === name)?.label ?? name
  return Object.entries(attributes).map(([name, value]) => (
    <span key={name} className={styles.quiet}>
      <bdi>{labelOf(name)}</bdi>: <bdi>{textOf(value)}</bdi>
    </span>
  ))
}

function Remarks({ request: { company, existing_user_id, user_id } }: Pick<Props, 'request'>) {
  const { t } = useLingui()
  return (
    <>
      {company !== null && (
        <div>
          <Badge kind="accent">{t`Signs in with ${company}, without an invitation`}</Badge>
        </div>
      )}
      {existing_user_id !== null && (
        <div>
          <Badge kind="warn">{t`A user has this address by now`}</Badge> <ToUser userId={existing_user_id} />
        </div>
      )}
      {user_id !== null && <ToUser userId={user_id} />}
    </>
  )
}

function ToUser({ userId }: { userId: string }) {
  return (
    <Link to="/users/$userId" params={{ userId }}>
      <Trans>Show the user</Trans>
    </Link>
  )
}

function State({ request }: Pick<Props, 'request'>) {
  const { state, created_at, expires_at, decided_at, decided_by, decline_reason } = request
  const createdAt = (
    <span>
      <Trans>
        asked <Instant value={created_at} />
      </Trans>
    </span>
  )
  if (state === 'waiting' || state === 'expired') {
    return (
      <>
        {createdAt}
        <span className={styles.quiet}>
          {state === 'waiting' ? (
            <Trans>
              waits until <Instant value={expires_at} style="date" />
            </Trans>
          ) : (
            <Trans>
              expired <Instant value={expires_at} style="date" />
            </Trans>
          )}
        </span>
      </>
    )
  }
  const who = <bdi>{decided_by?.name || decided_by?.id}</bdi>
  return (
    <>
      {createdAt}
      <span>
        {state === 'approved' ? (
          <Trans>
            approved by {who} <Instant value={decided_at} />
          </Trans>
        ) : (
          <Trans>
            declined by {who} <Instant value={decided_at} />
          </Trans>
        )}
      </span>
      {decline_reason && (
        <span className={styles.quiet} dir="auto">
          {decline_reason}
        </span>
      )}
    </>
  )
}
