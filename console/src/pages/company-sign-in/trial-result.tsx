import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { SignInTrial } from 'rollbook/client'
import refused from '../../parts/connections/refused.module.css'
import { ServiceText } from '../../ui/service-text.tsx'
import { ClaimsTable } from './claims-table.tsx'
import { Outcome } from './outcome.tsx'
import styles from './sign-in-connections.module.css'

/** Shows what a sign-in would do, claim by claim. */
export function TrialResult({ trial }: { trial: SignInTrial }) {
  const { outcome, reason, detail, found, user, user_id, mapped, claims } = trial
  const attributes = Object.entries(mapped?.attributes ?? {})
  return (
    <div className={refused.told} role="status">
      <Outcome outcome={outcome} reason={reason} detail={detail} />
      {found !== undefined && (
        <p>
          <ServiceText>{found}</ServiceText>
        </p>
      )}
      {user_id !== undefined && (
        <p>
          <Link to="/users/$userId" params={{ userId: user_id }}>
            <Trans>Show the user</Trans>
          </Link>
        </p>
      )}
      {user !== undefined && (
        <p>
          <Trans>New user:</Trans> <bdi>{[user.first_name, user.last_name].filter(Boolean).join(' ')}</bdi>{' '}
          <bdi>{user.email}</bdi> · <bdi>{user.role}</bdi>
        </p>
      )}
      {mapped !== undefined && (
        <p className={styles.quiet}>
          <Trans>
            The mapping gives the role {mapped.role}. Groups: {mapped.groups.length}, attributes: {attributes.length}.
          </Trans>
        </p>
      )}
      {claims.length > 0 && <ClaimsTable claims={claims} />}
    </div>
  )
}
