import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCan } from '../../api/me.ts'
import { connectionsQuery } from '../../data/provisioning.ts'
import styles from '../user-details/user.module.css'

type Props = { connectionId: string; mayWrite: boolean; isOverridden: boolean; onOverride: (override: boolean) => void }

/** Says who manages a user, and offers to change the user nevertheless. */
export function ManagedNotice({ connectionId, mayWrite, isOverridden, onOverride }: Props) {
  const { t } = useLingui()
  const mayRead = useCan('provisioning:read')
  const { data } = useQuery({ ...connectionsQuery, enabled: mayRead })
  const name = data?.find(({ connection_id }) => connection_id === connectionId)?.name
  return (
    <div className={styles.managed} role="note">
      <p>
        {name === undefined ? (
          <Trans>An identity provider manages this user. Change name, address and state there.</Trans>
        ) : (
          <Trans>
            <Link to="/provisioning/$connectionId" params={{ connectionId }}>
              <bdi>{name}</bdi>
            </Link>{' '}
            manages this user. Change name, address and state there.
          </Trans>
        )}
      </p>
      {mayWrite && (
        <Checkbox
          label={t`Change them here anyway. The next synchronization may undo it.`}
          checked={isOverridden}
          onChange={(event) => onOverride(event.currentTarget.checked)}
        />
      )}
    </div>
  )
}
