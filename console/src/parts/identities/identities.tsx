/** The company accounts with which a user signs in. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConfirmationOfIdentityRemoval, Identity } from 'rollbook/client'
import type { ApiCall } from '../../api/call.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { RowAction } from '../../ui/row-actions.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './identities.module.css'

type Props = {
  queryKey: QueryKey
  list: (signal: AbortSignal) => Promise<Identity[]>
  /** Undefined: the viewer may only look. */
  remove: ((identityId?: string) => Promise<ConfirmationOfIdentityRemoval>) | undefined
  /** Undefined: the viewer may not link accounts here. */
  onLink?: (() => void) | undefined
  description: string
  /** Explains what unlinking ends. */
  consequence: string
  calls: { list: ApiCall; remove: (identityId?: string) => ApiCall }
}

/** Renders nothing if the user has no identity and the viewer can link none: most deployments have no connections. */
export function Identities({ queryKey, list, remove, onLink, description, consequence, calls }: Props) {
  const { t } = useLingui()
  const [selected, setSelected] = useState<Identity | 'all' | undefined>()
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => list(signal) })
  const removal = useSubmit(
    (one: Identity | 'all') => remove?.(idOf(one)) ?? Promise.reject(new Error('Nothing can be removed here.')),
    {
      stale: [queryKey, ['sessions'], ['users']],
      onSuccess({ removed }) {
        setSelected(undefined)
        showToast({
          message: <Plural value={removed} one="# account was unlinked." other="# accounts were unlinked." />,
        })
      },
    },
  )
  if (error) return <Problem error={error} title={t`Could not load the linked accounts.`} />
  if (data === undefined || (data.length === 0 && onLink === undefined)) return null
  const close = () => {
    setSelected(undefined)
    removal.reset()
  }
  return (
    <Section
      title={t`Linked accounts`}
      description={description}
      actions={
        <>
          <ApiCallButton size="xs" calls={[calls.list, calls.remove()]} />
          {onLink !== undefined && (
            <Button size="xs" variant="default" onClick={onLink}>
              <Trans>Link an account</Trans>
            </Button>
          )}
          {remove !== undefined && data.length > 0 && (
            <Button size="xs" variant="default" onClick={() => setSelected('all')}>
              <Trans>Unlink all</Trans>
            </Button>
          )}
        </>
      }
    >
      {data.length === 0 && (
        <p className={styles.plain}>
          <Trans>None.</Trans>
        </p>
      )}
      <ul className={styles.list}>
        {data.map((one) => (
          <Row key={one.identity_id} identity={one} onUnlink={remove && (() => setSelected(one))} />
        ))}
      </ul>
      {selected !== undefined && (
        <ConfirmDialog
          title={
            selected === 'all'
              ? t`Unlink all accounts?`
              : t`Unlink ${selected.email ?? selected.subject} of ${selected.connection_name}?`
          }
          sending={removal}
          refusal={t`Nothing was unlinked.`}
          calls={[calls.remove(idOf(selected))]}
          action={selected === 'all' ? <Trans>Unlink all</Trans> : <Trans>Unlink</Trans>}
          isDangerous
          onConfirm={() => removal.submit(selected)}
          onClose={close}
        >
          <p className={styles.plain}>{consequence}</p>
          <p className={styles.plain}>
            <Trans>A company that is trusted for the address links the account again at the next sign-in there.</Trans>
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

function Row({ identity, onUnlink }: { identity: Identity; onUnlink: (() => void) | undefined }) {
  const { t } = useLingui()
  const { connection_name, email, subject, linked_by, created_at, last_used_at } = identity
  return (
    <li>
      <div className={styles.what}>
        <strong>
          <bdi>{connection_name}</bdi>
        </strong>
        <span className={styles.details}>
          <bdi>{email ?? subject}</bdi>
          <LinkedBy by={linked_by} at={created_at} />
          <span>
            <Trans>
              last used <Instant value={last_used_at} />
            </Trans>
          </span>
        </span>
      </div>
      {onUnlink && (
        <RowAction label={t`Unlink ${email ?? subject} of ${connection_name}`} onClick={onUnlink}>
          <Trans>Unlink</Trans>
        </RowAction>
      )}
    </li>
  )
}

const idOf = (choice: Identity | 'all') => (choice === 'all' ? undefined : choice.identity_id)

function LinkedBy({ by, at }: { by: Identity['linked_by']; at: string }) {
  const when = <Instant value={at} style="date" />
  return (
    <span>
      {by === 'user' ? (
        <Trans>linked by the user on {when}</Trans>
      ) : by === 'domain' ? (
        <Trans>linked by the trusted domain on {when}</Trans>
      ) : by === 'administrator' ? (
        <Trans>linked by an administrator on {when}</Trans>
      ) : (
        <Trans>created the user on {when}</Trans>
      )}
    </span>
  )
}
