/** "Can this user sign in?": one sentence with the cause, and one button that helps. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Lock, SignInState, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan, useMe } from '../../../api/me.ts'
import { useManagerName } from '../../../data/provisioning.ts'
import { lockedKey, lockQuery, signInQuery, userKey } from '../../../data/users.ts'
import { formatEnd } from '../../../parts/end-date/end-date.ts'
import { DeviceName } from '../../../ui/device-name.tsx'
import { formatNumber } from '../../../ui/number.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Instant } from '../../../ui/time.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { Invitation } from './invitation.tsx'
import styles from './sign-in-answer.module.css'

type Wait = Lock['waiting'][number]
type Props = { user: User; onPassword: () => void; onInvite: () => void; onEnable: () => void }

const kinds = { yes: 'good', no: 'fault', not_everywhere: 'warn' } as const

/** Above the tabs, so that it is visible on each of them. */
export function SignInAnswer({ user, onPassword, onInvite, onEnable }: Props) {
  const { user_id, invited, managed_by } = user
  const { t } = useLingui()
  const { data: state, error, refetch } = useQuery(signInQuery(user_id))
  if (state === undefined) {
    return error === null ? (
      <div className={styles.waiting} aria-busy="true" />
    ) : (
      <Problem error={error} retry={() => void refetch()} title={t`Could not check whether the user can sign in.`} />
    )
  }
  const isHint = state.cause === 'wrong_passwords' || state.cause === 'must_change_password'
  return (
    <section
      className={styles.box}
      data-kind={state.cause === 'service_account' ? 'off' : isHint ? 'warn' : kinds[state.can_sign_in]}
      aria-label={t`Can this user sign in?`}
    >
      <p className={styles.sentence}>
        <span className={styles.dot} aria-hidden="true" />
        <span>
          <Sentence state={state} />
          {managed_by !== undefined && (
            <>
              {' '}
              <ManagedBy connectionId={managed_by} />
            </>
          )}
        </span>
      </p>
      {state.cause === 'no_password' && invited === true && <Invitation user_id={user_id} />}
      <Remedy
        user={user}
        state={state}
        isInvited={invited === true}
        onPassword={onPassword}
        onInvite={onInvite}
        onEnable={onEnable}
      />
      {state.remedy === 'unlock' && <Waits user_id={user_id} />}
    </section>
  )
}

function Sentence({ state }: { state: SignInState }) {
  switch (state.cause) {
    case 'none':
      return (
        <strong>
          <Trans>Can sign in.</Trans>
        </strong>
      )
    case 'must_change_password':
      return (
        <Trans>
          <strong>Can sign in,</strong> and must then choose another password.
        </Trans>
      )
    case 'wrong_passwords':
      return (
        <>
          <strong>
            <Trans>Can sign in with the right password.</Trans>
          </strong>{' '}
          <Failures state={state} />
        </>
      )
    case 'company_sign_in':
      return (
        <Trans>
          <strong>Can sign in</strong> with their company.
        </Trans>
      )
    case 'email_code_only':
      return (
        <Trans>
          <strong>Can sign in</strong> with a code by email. No password yet.
        </Trans>
      )
    case 'no_password':
      return (
        <Trans>
          <strong>Cannot sign in.</strong> No password yet.
        </Trans>
      )
    case 'service_account':
      return (
        <Trans>
          <strong>Cannot sign in.</strong> A service account acts with keys.
        </Trans>
      )
    case 'password_refused':
      return (
        <Trans>
          <strong>Not with a password:</strong> the user signs in with their company.
        </Trans>
      )
    case 'disabled':
      return <Disabled state={state} />
    case 'organization_disabled':
      return (
        <Trans>
          <strong>Cannot sign in.</strong> The organization of the user is disabled. Enable the organization first.
        </Trans>
      )
    case 'expired':
      return <Expired until={state.until} />
    default:
      return <Attempts state={state} />
  }
}

function ManagedBy({ connectionId }: { connectionId: string }) {
  const name = useManagerName(connectionId)
  if (name === undefined) return <Trans>Managed by an identity provider.</Trans>
  return (
    <Trans>
      Managed by{' '}
      <Link to="/provisioning/$connectionId" params={{ connectionId }}>
        <bdi>{name}</bdi>
      </Link>
      .
    </Trans>
  )
}

/** The causes that come from attempts to sign in. */
function Attempts({ state }: { state: SignInState }) {
  const { cause, can_sign_in, until, network } = state
  const place = <bdi dir="ltr">{network}</bdi>
  const time = <Instant value={until} style="not before" />
  switch (cause) {
    case 'locked':
      return (
        <>
          <strong>
            {can_sign_in === 'no' ? (
              <Trans>Cannot sign in: too many wrong passwords.</Trans>
            ) : (
              <Trans>Cannot sign in with a new browser: too many wrong passwords.</Trans>
            )}
          </strong>{' '}
          <Failures state={state} />
        </>
      )
    case 'wrong_passwords_from_many_networks':
      return (
        <>
          <strong>
            <Trans>Must wait until {time} in a new browser (attempts from several networks).</Trans>
          </strong>{' '}
          <Failures state={state} />
        </>
      )
    case 'wrong_passwords_for_many_users':
      return (
        <strong>
          <Trans>
            Must wait until {time} (attempts from {place} for several users).
          </Trans>
        </strong>
      )
    case 'network_shut_out':
      return (
        <>
          <strong>
            <Trans>
              Must wait until {time}, even with the right password (attempts from {place}).
            </Trans>
          </strong>{' '}
          <Failures state={state} />
        </>
      )
    case 'wrong_passwords_for_user':
      return (
        <>
          <strong>
            {network === null ? (
              <Trans>Must wait until {time} in a browser used before (attempts there).</Trans>
            ) : (
              <Trans>
                Must wait until {time} (attempts from {place}).
              </Trans>
            )}
          </strong>{' '}
          <Failures state={state} />
        </>
      )
    default:
      return null
  }
}

function Failures({ state: { failures, last_failure: last } }: { state: SignInState }) {
  if (failures === 0) return null
  if (last === null || last.address === null) {
    return (
      <Trans>
        Wrong password <Plural value={failures} one="once" other="# times" />.
      </Trans>
    )
  }
  const time = <Instant value={last.occurred_at} style="at" />
  const address = <bdi dir="ltr">{last.address}</bdi>
  const device = last.device === null ? undefined : <DeviceName name={last.device} />
  return device === undefined ? (
    <Trans>
      Wrong password <Plural value={failures} one="once, at" other="# times, last at" /> {time} from {address}.
    </Trans>
  ) : (
    <Trans>
      Wrong password <Plural value={failures} one="once, at" other="# times, last at" /> {time} from {address} ({device}
      ).
    </Trans>
  )
}

function Expired({ until }: Pick<SignInState, 'until'>) {
  const { i18n } = useLingui()
  const time = formatEnd(until ?? '', i18n.locale)
  return (
    <Trans>
      <strong>Cannot sign in.</strong> The access ended on {time}. Set a later end date below, under Details.
    </Trans>
  )
}

function Disabled({ state: { disabled } }: { state: SignInState }) {
  if (disabled === null)
    return (
      <Trans>
        <strong>Cannot sign in.</strong> Disabled.
      </Trans>
    )
  const time = <Instant value={disabled.at} />
  const name = <bdi>{disabled.by.name}</bdi>
  if (disabled.by.name === null || disabled.by.kind === 'system')
    return (
      <Trans>
        <strong>Cannot sign in.</strong> Disabled {time}.
      </Trans>
    )
  return disabled.by.kind === 'api_key' ? (
    <Trans>
      <strong>Cannot sign in.</strong> Disabled by the API key {name} {time}.
    </Trans>
  ) : (
    <Trans>
      <strong>Cannot sign in.</strong> Disabled by {name} {time}.
    </Trans>
  )
}

type RemedyProps = {
  user: User
  state: SignInState
  isInvited: boolean
  onPassword: () => void
  onInvite: () => void
  onEnable: () => void
}

function Remedy({ user, state: { remedy, cause }, isInvited, onPassword, onInvite, onEnable }: RemedyProps) {
  const { t } = useLingui()
  const { user_id } = user
  const isMe = useMe().user_id === user_id
  const mayWrite = useCan('users:write', user)
  const unlock = useUnlock(user_id)
  // Your own password and failed attempts are not for you to reset as an administrator.
  if (['none', 'extend', 'enable_organization'].includes(remedy) || !mayWrite || isMe) return null
  return (
    <>
      {unlock.error && <Problem error={unlock.error} title={t`Sign-in is still paused.`} />}
      <Group gap={8} align="stretch">
        {cause === 'no_password' && !isInvited && (
          <Button size="xs" onClick={onInvite}>
            <Trans>Invite</Trans>
          </Button>
        )}
        {remedy === 'unlock' ? (
          <Button size="xs" loading={unlock.isPending} onClick={() => unlock.submit('unlock')}>
            <Trans>Allow sign-in</Trans>
          </Button>
        ) : remedy === 'enable' ? (
          <Button size="xs" onClick={onEnable}>
            <Trans>Enable user</Trans>
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={onPassword}>
            {remedy === 'set_password' ? <Trans>Set password</Trans> : <Trans>Reset password</Trans>}
          </Button>
        )}
      </Group>
    </>
  )
}

/** Lists everything that must wait, if the sentence does not name all of it. */
function Waits({ user_id }: { user_id: string }) {
  const { i18n } = useLingui()
  const { data: lock } = useQuery(lockQuery(user_id))
  const waiting = lock?.waiting ?? []
  if (waiting.length < 2) return null
  const count = formatNumber(waiting.length, i18n.locale)
  return (
    <details className={styles.more}>
      <summary>
        <Trans>Show all {count}</Trans>
      </summary>
      <ul className={styles.waits}>
        {waiting.map((wait) => (
          <li key={`${wait.kind} ${wait.network} ${wait.reason}`}>
            <Reason wait={wait} />{' '}
            {wait.until === null ? (
              <Trans>It lasts until an administrator allows sign-in or sets another password.</Trans>
            ) : (
              <Trans>
                The next attempt is accepted <Instant value={wait.until} style="until" />.
              </Trans>
            )}{' '}
            <Trans>
              Last attempt: <Instant value={wait.last_attempt_at} />.
            </Trans>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Reason({ wait: { kind, network, reason, attempts } }: { wait: Wait }) {
  const { i18n } = useLingui()
  const count = formatNumber(attempts, i18n.locale)
  const place = <bdi dir="ltr">{network}</bdi>
  if (reason === 'locked')
    return <Trans>Locked after {count} wrong passwords in a row: even the right password is refused.</Trans>
  if (reason === 'wrong_passwords_from_many_networks')
    return (
      <Trans>
        Browsers in which this user has not signed in before must wait: {count} wrong passwords from several networks.
      </Trans>
    )
  if (reason === 'network_shut_out')
    return (
      <Trans>
        Attempts from {place} are refused, even with the right password: {count} wrong passwords in a row.
      </Trans>
    )
  if (reason === 'wrong_passwords_for_many_users')
    return (
      <Trans>
        Attempts from {place} must wait: {count} wrong passwords from this network, for any users.
      </Trans>
    )
  if (kind === 'browser')
    return <Trans>A browser that this user has used before must wait: {count} wrong passwords in a row.</Trans>
  return (
    <Trans>
      Attempts from {place} must wait: {count} wrong passwords in a row.
    </Trans>
  )
}

export function useUnlock(user_id: string) {
  const { t } = useLingui()
  const queries = useQueryClient()
  return useSubmit((_: 'unlock') => api.users.unlock(user_id), {
    stale: [userKey(user_id), lockedKey],
    onSuccess(unlocked) {
      queries.setQueryData(lockQuery(user_id).queryKey, unlocked)
      showToast({ message: t`The user can sign in again.` })
    },
  })
}
