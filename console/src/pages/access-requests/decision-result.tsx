/** The parts that both dialogs share: whom a decision is about, and what was refused. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { AccessRequest } from 'rollbook/client'
import problem from '../../ui/problem.module.css'
import styles from './access-requests.module.css'
import type { Outcome } from './use-decisions.ts'

export function People({ requests }: { requests: readonly AccessRequest[] }) {
  const { t } = useLingui()
  return (
    <ul className={styles.people} aria-label={t`People`}>
      {requests.map(({ request_id, email }) => (
        <li key={request_id}>
          <bdi>{email}</bdi>
        </li>
      ))}
    </ul>
  )
}

export function Refusals({ outcome: { decided, refused } }: { outcome: Outcome }) {
  if (refused.length === 0) return null
  return (
    <div className={problem.problem} role="alert">
      <p className={problem.title}>
        <Plural value={refused.length} one="# request was not decided." other="# requests were not decided." />
      </p>
      <ul>
        {refused.map(({ request, reason }) => (
          <li key={request.request_id}>
            <bdi>{request.email}</bdi>: {reason}
          </li>
        ))}
      </ul>
      {decided.length > 0 && (
        <p>
          <Plural value={decided.length} one="# request was decided." other="# requests were decided." />{' '}
          <Trans>Another try is about the others only.</Trans>
        </p>
      )}
    </div>
  )
}
