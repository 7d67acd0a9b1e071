import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Factor, Factors, User } from 'rollbook/client'
import { placeAndBack } from '../../../api/base.ts'
import { api } from '../../../api/client.ts'
import { useCan, useMe } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { factorsOfUserQuery } from '../../../data/factors.ts'
import { keysOfUserQuery } from '../../../data/keys.ts'
import { signInConnectionsQuery } from '../../../data/sign-in-connections.ts'
import { userKey } from '../../../data/users.ts'
import { FactorList, WaitingFactors } from '../../../parts/factors/factor-list.tsx'
import { TrustedBrowsers } from '../../../parts/factors/trusted-browsers.tsx'
import { Identities } from '../../../parts/identities/identities.tsx'
import { KeysOfUser } from '../../../parts/keys/keys-of-user.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Records } from '../../../ui/records.tsx'
import { RowAction } from '../../../ui/row-actions.tsx'
import { Section } from '../../../ui/section.tsx'
import { State } from '../../../ui/state.tsx'
import { Instant } from '../../../ui/time.tsx'
import { useMayRank } from './use-may-rank.ts'

const RemoveFactorOfUserDialog = lazy(() => import('./remove-factor-dialog.tsx'))
const LinkIdentityDialog = lazy(() => import('./link-identity-dialog.tsx'))
const LostPhoneDialog = lazy(() => import('./lost-phone-dialog.tsx'))

/** The user's second factors and passkeys, and what the policy requires. */
export function SecurityTab({ user }: { user: User }) {
  const { t } = useLingui()
  const { user_id } = user
  const { data } = useQuery(factorsOfUserQuery(user_id))
  const isMe = useMe().user_id === user_id
  const mayRank = useMayRank(user)
  const mayChange = useCan('users:write', user) && mayRank
  const mayReadSessions = useCan('sessions:read')
  const mayEndSessions = useCan('sessions:write', user)
  const mayReadKeys = useCan('keys:read')
  const keys = useQuery({ ...keysOfUserQuery(user_id), enabled: mayReadKeys })
  const mayRevokeKeys = useCan('keys:write', user)
  const [removing, setRemoving] = useState<Factor>()
  const mayReadConnections = useCan('connections:read')
  const mayLink = useCan('connections:write') && mayReadConnections && mayChange && !isMe && user.kind !== 'service'
  const { data: connections = [] } = useQuery({ ...signInConnectionsQuery, enabled: mayLink })
  const [isLinking, setIsLinking] = useState(false)
  const [isLost, setIsLost] = useState(false)
  return (
    <Stack gap="lg">
      <SecondFactors user={user} mayRemove={mayChange && !isMe} onRemove={setRemoving} />
      {!isMe && mayChange && data !== undefined && (data.factors.length > 0 || data.recovery_codes > 0) && (
        <LostPhone onRemoveAll={() => setIsLost(true)} />
      )}
      {mayReadSessions && (
        <TrustedBrowsers
          queryKey={['users', 'one', user_id, 'trusted-browsers']}
          list={(signal) => api.sessions.listTrustedBrowsersOf(user_id, { signal })}
          remove={
            mayEndSessions && mayRank
              ? (browser_id) => api.sessions.removeTrustedBrowserOf(user_id, browser_id)
              : undefined
          }
          description={t`This user is not asked for the second factor in these browsers.`}
          calls={({ browser_id }) => [
            { operation: 'GET /users/{user_id}/trusted-browsers', path: { user_id } },
            { operation: 'DELETE /users/{user_id}/trusted-browsers/{browser_id}', path: { user_id, browser_id } },
          ]}
        />
      )}
      <Identities
        queryKey={[...userKey(user_id), 'identities']}
        list={(signal) => api.connections.identitiesOf(user_id, { signal })}
        remove={
          mayChange && !isMe
            ? (identityId) =>
                identityId === undefined
                  ? api.connections.removeIdentitiesOf(user_id)
                  : api.connections.removeIdentityOf(user_id, identityId)
            : undefined
        }
        onLink={mayLink && connections.length > 0 ? () => setIsLinking(true) : undefined}
        description={t`Company accounts that this user signs in with.`}
        consequence={t`The user no longer signs in with them, and is signed out everywhere.`}
        calls={{
          list: { operation: 'GET /users/{user_id}/identities', path: { user_id } },
          remove: (identity_id) =>
            identity_id === undefined
              ? { operation: 'DELETE /users/{user_id}/identities', path: { user_id } }
              : { operation: 'DELETE /users/{user_id}/identities/{identity_id}', path: { user_id, identity_id } },
        }}
      />
      {mayReadKeys && (
        <KeysOfUser
          title={t`Personal keys`}
          source={keys}
          description={t`Keys for the user’s own programs and scripts, which act as the user.`}
          empty={t`This user has no personal keys.`}
          mayRevoke={mayRevokeKeys && mayRank}
          actions={<ApiCallButton size="xs" calls={[{ operation: 'GET /users/{user_id}/keys', path: { user_id } }]} />}
        />
      )}
      {isMe && (
        <p className={styles.empty}>
          <Trans>
            Change your own in <a href={placeAndBack('account')}>your account</a>.
          </Trans>
        </p>
      )}
      <Suspense fallback={null}>
        {removing !== undefined && data !== undefined && (
          <RemoveFactorOfUserDialog
            user={user}
            factor={removing}
            factors={data}
            onClose={() => setRemoving(undefined)}
          />
        )}
        {isLinking && <LinkIdentityDialog user={user} connections={connections} onClose={() => setIsLinking(false)} />}
        {isLost && data !== undefined && (
          <LostPhoneDialog user={user} factors={data} onClose={() => setIsLost(false)} />
        )}
      </Suspense>
    </Stack>
  )
}

type SecondFactorsProps = { user: User; mayRemove: boolean; onRemove: (factor: Factor) => void }

function SecondFactors({ user: { user_id }, mayRemove, onRemove }: SecondFactorsProps) {
  const { t } = useLingui()
  const query = useQuery(factorsOfUserQuery(user_id))
  const { data } = query
  return (
    <Section
      title={t`Second factors`}
      description={t`What this user signs in with besides the password.`}
      actions={
        <ApiCallButton
          size="xs"
          calls={[
            { operation: 'GET /users/{user_id}/factors', path: { user_id } },
            ...(data?.factors ?? []).slice(0, 1).map(({ factor_id }) => ({
              operation: 'DELETE /users/{user_id}/factors/{factor_id}' as const,
              path: { user_id, factor_id },
            })),
            { operation: 'DELETE /users/{user_id}/factors', path: { user_id } },
          ]}
        />
      }
    >
      {data !== undefined && <Standing factors={data} />}
      <Records
        source={query}
        rows={data?.factors}
        problem={t`Could not load the second factors.`}
        waiting={<WaitingFactors />}
        empty={
          <p className={styles.empty}>
            <Trans>None. Signs in with a password only.</Trans>
          </p>
        }
      >
        {(factors) => (
          <>
            <FactorList
              factors={factors}
              actions={
                mayRemove
                  ? (factor) => (
                      <RowAction label={t`Remove ${factor.name}`} tone="fault" onClick={() => onRemove(factor)}>
                        <Trans>Remove</Trans>
                      </RowAction>
                    )
                  : undefined
              }
            />
            {data !== undefined && (
              <p className={styles.empty}>
                <Plural
                  value={data.recovery_codes}
                  _0="No recovery codes are left."
                  one="# recovery code is left."
                  other="# recovery codes are left."
                />
              </p>
            )}
          </>
        )}
      </Records>
    </Section>
  )
}

function LostPhone({ onRemoveAll }: { onRemoveAll: () => void }) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Lost phone`}
      description={t`If the user has lost the phone and the recovery codes: make sure who is asking, then remove all factors.`}
      actions={
        <Button size="xs" variant="default" onClick={onRemoveAll}>
          <Trans>Remove all factors</Trans>
        </Button>
      }
    />
  )
}

/** Whether the policy requires a factor of the user, and whether there is one. */
function Standing({ factors: { required, required_from, factors } }: { factors: Factors }) {
  const hasOne = factors.length > 0
  if (!required)
    return (
      <p className={styles.said}>
        <State kind={hasOne ? 'good' : 'off'}>
          <Trans>Not required by the policy</Trans>
        </State>
      </p>
    )
  const isLater = required_from !== null && Date.parse(required_from) > Date.now()
  return (
    <p className={styles.said}>
      {hasOne ? (
        <State kind="good">
          <Trans>Required by the policy, and there is one</Trans>
        </State>
      ) : isLater ? (
        <State kind="warn">
          <Trans>
            Required from <Instant value={required_from} style="date" /> on, and missing
          </Trans>
        </State>
      ) : (
        <State kind="fault">
          <Trans>Required and missing: the user adds one at the next sign-in</Trans>
        </State>
      )}
    </p>
  )
}
