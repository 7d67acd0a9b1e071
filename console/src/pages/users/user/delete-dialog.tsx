import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type ConfirmationOfDeletion, RollbookError, type User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { userKey } from '../../../data/users.ts'
import { DatabaseAccount } from '../../../parts/database-account/database-account.tsx'
import { ManagedNotice } from '../../../parts/user-actions/managed-notice.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Consequences, Dialog, DialogFoot } from '../../../ui/dialog.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Instant } from '../../../ui/time.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

type Props = {
  user: User
  isOpen: boolean
  onClose: () => void
  /** Called when the result has been read and was not undone. */
  onDeleted: () => void
  /** Called when the user was restored. */
  onRestored: () => void
}

/** Shows the consequences, deletes the user, then shows how to undo it and what is left to do. */
export default function DeleteDialog({ user, isOpen, onClose, onDeleted, onRestored }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { user_id, username } = user
  const [deletion, setDeletion] = useState<ConfirmationOfDeletion | undefined>()
  const [override, setOverride] = useState(false)
  const plan = useQuery({
    queryKey: [...userKey(user_id), 'deletion', override],
    queryFn: ({ signal }) => api.users.delete(user_id, { dryRun: true, override, signal }),
    enabled: isOpen && deletion === undefined,
    staleTime: 0,
    gcTime: 0,
  })
  // Keep the cached user until the dialog closes: the page behind still shows it.
  const refresh = () => {
    const isAnother = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[1] !== 'one'
    void queries.invalidateQueries({ queryKey: ['users'], predicate: isAnother })
    void queries.invalidateQueries({ queryKey: ['deleted-users'] })
    void queries.invalidateQueries({ queryKey: ['statistics'] })
  }
  const removal = useSubmit((id: string) => api.users.delete(id, { override }), {
    onSuccess(confirmation) {
      setDeletion(confirmation)
      refresh()
    },
  })
  const restoration = useSubmit((id: string, idempotencyKey) => api.users.restore(id, { idempotencyKey }), {
    onSuccess() {
      refresh()
      showToast({ message: t`${username} was restored.` })
      setDeletion(undefined)
      onRestored()
    },
  })

  function close() {
    if (deletion === undefined) return onClose()
    const undone = t`${username} was restored.`
    const failed = t`${username} could not be restored:`
    showToast({
      message: t`${username} was deleted.`,
      action: {
        label: t`Undo`,
        onClick: () =>
          void api.users.restore(user_id).then(
            () => {
              refresh()
              void queries.invalidateQueries({ queryKey: userKey(user_id) })
              showToast({ message: undone })
            },
            (error: unknown) =>
              showToast({ kind: 'fault', message: `${failed} ${error instanceof Error ? error.message : error}` }),
          ),
      },
    })
    onDeleted()
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      size="lg"
      title={deletion === undefined ? t`Delete ${username}?` : t`${username} was deleted`}
    >
      {deletion === undefined ? (
        <BeforeDeletion
          user={user}
          plan={plan}
          removal={removal}
          override={override}
          onOverride={setOverride}
          onCancel={close}
        />
      ) : (
        <AfterDeletion user={user} deletion={deletion} restoration={restoration} onDone={close} />
      )}
    </Dialog>
  )
}

type Submission = Pick<ReturnType<typeof useSubmit<string, unknown>>, 'submit' | 'isPending' | 'error'>

type BeforeProps = {
  user: User
  plan: UseQueryResult<ConfirmationOfDeletion>
  removal: Submission
  override: boolean
  onOverride: (override: boolean) => void
  onCancel: () => void
}

/** What the deletion would do, and the button that does it. */
function BeforeDeletion({ user, plan, removal, override, onOverride, onCancel }: BeforeProps) {
  const { t } = useLingui()
  const { user_id, username, kind, managed_by } = user
  const isMe = useMe().user_id === user_id
  const isLastAdmin = plan.error instanceof RollbookError && /^last_(organization_)?admin$/.test(plan.error.code)
  return (
    <>
      {managed_by !== undefined && (
        <ManagedNotice connectionId={managed_by} mayWrite isOverridden={override} onOverride={onOverride} />
      )}
      {plan.error ? (
        <Problem
          error={plan.error}
          title={isLastAdmin ? t`This is the last administrator.` : t`This user cannot be deleted.`}
          retry={isLastAdmin ? undefined : () => void plan.refetch()}
        />
      ) : (
        <Consequences>
          <li>
            {kind === 'service' ? (
              <Trans>Its keys are deleted at once, and are not restored with it.</Trans>
            ) : isMe ? (
              <Trans>This is your own account: you are signed out at once.</Trans>
            ) : (
              <Trans>Signed out everywhere at once, and can no longer sign in.</Trans>
            )}
          </li>
          <li>
            {plan.data === undefined ? (
              <Skeleton height={20} width="70%" />
            ) : plan.data.restorable_until === null ? (
              <Trans>Erased at once: this service is configured to keep no deleted users.</Trans>
            ) : (
              <Trans>
                Can be restored until <Instant value={plan.data.restorable_until} style="full" />; then all personal
                data is erased.
              </Trans>
            )}
          </li>
          <li>
            <Trans>
              Not changed: a database account named <bdi>{username}</bdi>. It can still connect.
            </Trans>
          </li>
        </Consequences>
      )}
      {removal.error && <Problem error={removal.error} title={t`${username} was not deleted.`} />}
      <DialogFoot aside={<ApiCallButton calls={[{ operation: 'DELETE /users/{user_id}', path: { user_id } }]} />}>
        <Button variant="default" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          className={styles.dangerous ?? ''}
          data-autofocus
          disabled={plan.error !== null}
          loading={removal.isPending}
          onClick={() => removal.submit(user_id)}
        >
          <Trans>Delete user</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

type AfterProps = {
  user: User
  deletion: ConfirmationOfDeletion
  restoration: Submission
  onDone: () => void
}

/** What was done, how to undo it, and what is left to do. */
function AfterDeletion({ user: { user_id, username }, deletion, restoration, onDone }: AfterProps) {
  const { t } = useLingui()
  const undo = useRef<HTMLButtonElement>(null)
  useEffect(() => undo.current?.focus(), [])
  return (
    <>
      <p className={styles.said} role="status">
        {deletion.restorable_until === null ? (
          <Trans>All personal data was erased. This cannot be undone.</Trans>
        ) : (
          <Trans>
            Until <Instant value={deletion.restorable_until} style="full" /> you can undo this, here or on the Deleted
            users page.
          </Trans>
        )}
      </p>
      <section className={styles.step}>
        <h3>
          <Trans>Database account</Trans>
        </h3>
        <DatabaseAccount username={username} kind="drop" />
      </section>
      {restoration.error && <Problem error={restoration.error} title={t`${username} was not restored.`} />}
      <DialogFoot>
        {deletion.restorable_until !== null && (
          <Button
            ref={undo}
            variant="default"
            loading={restoration.isPending}
            onClick={() => restoration.submit(user_id)}
          >
            <Trans>Undo</Trans>
          </Button>
        )}
        <Button onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}
