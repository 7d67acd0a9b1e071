import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { SignInTrial } from 'rollbook/client'
import refused from '../connection/refused.module.css'
import { Badge } from '../ui/badge.tsx'
import { State } from '../ui/state.tsx'
import { ClaimsTable } from './claims-table.tsx'
import { useReasonWords } from './reason-words.ts'
import styles from './sign-in-connections.module.css'

/** Shows what a sign-in would do, claim by claim. */
export function TrialResult({ trial }: { trial: SignInTrial }) {
  const { user, user_id, mapped, claims, detail } = trial
  const attributes = Object.entries(mapped?.attributes ?? {})
  return (
    <div className={refused.told} role="status">
      <Outcome trial={trial} />
      <p lang="en" dir="auto">
        {detail}
      </p>
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

function Outcome({ trial: { outcome, reason } }: { trial: SignInTrial }) {
  const words = useReasonWords()
  switch (outcome) {
    case 'signs_in':
      return (
        <State kind="good">
          <Trans>An existing user signs in.</Trans>
        </State>
      )
    case 'links':
      return (
        <State kind="good">
          <Trans>An existing user is linked and signs in.</Trans>
        </State>
      )
    case 'creates':
      return (
        <State kind="good">
          <Trans>A new user is created and signs in.</Trans>
        </State>
      )
    case 'reachable':
      return (
        <State kind="good">
          <Trans>The directory can be searched.</Trans>
        </State>
      )
    case 'refused':
      return (
        <State kind="fault">
          <Trans>The sign-in is refused.</Trans> {reason !== undefined && <Badge kind="fault">{words(reason)}</Badge>}
        </State>
      )
  }
}
