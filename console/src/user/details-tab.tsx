import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { etagOf, RollbookError, type User } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Problem } from '../ui/problem.tsx'
import { Section } from '../ui/section.tsx'
import { Instant } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { type Details, detailNames, detailsOf, patchBetween, typedSince } from './changes.ts'
import { Conflict } from './conflict.tsx'
import { userKey } from './queries.ts'
import { RoleSelect } from './role-select.tsx'
import { useFieldFaults } from './use-field-faults.ts'
import { useOtherVersion } from './use-other-version.ts'
import styles from './user.module.css'
import { useMemberLabels } from './words.ts'

/** `sent`: the form as it was then. */
type Saving = { patch: Partial<Details>; etag: string | undefined; sent: Details }
type Props = { user: User; onDirty: (isDirty: boolean) => void }

export function DetailsTab({ user, onDirty }: Props) {
  const { t } = useLingui()
  const labels = useMemberLabels()
  const queries = useQueryClient()
  const mayWrite = useCan('users:write')
  /** What the form was filled with. While something is typed it stays, however often the user is read again. */
  const [base, setBase] = useState(user)
  const [theirs, setTheirs] = useState<User | undefined>()
  const form = useForm<Details>({ initialValues: detailsOf(user) })
  const patch = patchBetween(detailsOf(base), form.values)
  const isDirty = Object.keys(patch).length > 0
  const etag = etagOf(base)

  function fill(next: User, values = detailsOf(next)) {
    setBase(next)
    setTheirs(undefined)
    form.setInitialValues(detailsOf(next))
    form.setValues(values)
    form.clearErrors()
  }
  const { submit, isPending, error, reset } = useSubmit(
    ({ patch, etag }: Saving) => api.users.update(user.user_id, patch, { ifMatch: etag }),
    {
      onSuccess(saved, { sent }) {
        fill(saved, typedSince(sent, form.getValues(), detailsOf(saved)))
        queries.setQueryData(userKey(user.user_id), saved)
        void queries.invalidateQueries({ queryKey: ['users'] })
        showToast({ message: t`Saved.` })
      },
    },
  )
  const isStale = error instanceof RollbookError && error.code === 'precondition_failed'
  const hasMore = useFieldFaults(form, error, detailNames)

  // biome-ignore lint/correctness/useExhaustiveDependencies: when the user was read again, not when somebody types.
  useEffect(() => {
    if (!isDirty && user !== base) fill(user)
  }, [user])
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])
  useOtherVersion(isStale, {
    read: () => api.users.get(user.user_id),
    concerns: (read) => Object.keys(patchBetween(detailsOf(base), detailsOf(read))).length > 0,
    onTheirs: setTheirs,
    onSame(read) {
      setBase(read)
      submit({ patch, etag: etagOf(read), sent: form.values })
    },
    reset,
  })

  function saveMerged(merged: Details) {
    if (theirs === undefined) return
    const rest = patchBetween(detailsOf(theirs), merged)
    form.setValues(merged)
    setBase(theirs)
    setTheirs(undefined)
    reset()
    if (Object.keys(rest).length > 0) return submit({ patch: rest, etag: etagOf(theirs), sent: merged })
    fill(theirs)
    queries.setQueryData(userKey(user.user_id), theirs)
  }
  return (
    <div className={styles.columns}>
      <Section
        title={t`Details`}
        description={mayWrite ? undefined : t`You may look at users, not change them: that needs users:write.`}
      >
        {theirs !== undefined && isStale ? (
          <Conflict
            before={detailsOf(base)}
            theirs={detailsOf(theirs)}
            mine={form.values}
            labels={labels}
            isPending={isPending}
            onSave={saveMerged}
            onBack={() => {
              setTheirs(undefined)
              reset()
            }}
          />
        ) : (
          <form
            noValidate
            className={styles.form}
            onSubmit={form.onSubmit(() => {
              if (isDirty) submit({ patch, etag, sent: form.values })
            })}
          >
            <fieldset disabled={!mayWrite} className={styles.fields}>
              <TextInput
                className={styles.wide ?? ''}
                label={labels.username}
                required
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                {...form.getInputProps('username')}
              />
              <TextInput label={labels.first_name} autoComplete="off" {...form.getInputProps('first_name')} />
              <TextInput label={labels.last_name} autoComplete="off" {...form.getInputProps('last_name')} />
              <TextInput
                label={labels.email}
                type="email"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('email')}
              />
              <RoleSelect label={labels.role} current={base.role} {...form.getInputProps('role')} />
              <TextInput
                className={styles.wide ?? ''}
                label={labels.external_id}
                description={t`The product’s own id for the user, if it has one.`}
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('external_id')}
              />
              <Switch
                className={styles.wide ?? ''}
                label={labels.active}
                description={t`When switched off, the user cannot sign in and is signed out everywhere at once.`}
                {...form.getInputProps('active', { type: 'checkbox' })}
              />
            </fieldset>
            {hasMore && error && !isStale && <Problem error={error} title={t`Nothing was saved.`} />}
            {mayWrite && (
              <div className={styles.buttons}>
                <Button type="submit" loading={isPending || (isStale && theirs === undefined)} disabled={!isDirty}>
                  <Trans>Save</Trans>
                </Button>
                {isDirty && (
                  <Button
                    variant="default"
                    onClick={() => {
                      fill(user)
                      reset()
                    }}
                  >
                    <Trans>Discard</Trans>
                  </Button>
                )}
                <span className={styles.gap} />
                <ApiCallButton
                  calls={[
                    { operation: 'GET /users/{user_id}', path: { user_id: user.user_id } },
                    {
                      operation: 'PATCH /users/{user_id}',
                      path: { user_id: user.user_id },
                      body: patch,
                      ...(etag !== undefined && { ifMatch: etag }),
                    },
                  ]}
                />
              </div>
            )}
          </form>
        )}
      </Section>
      <Facts user={user} />
    </div>
  )
}

function Facts({ user }: { user: User }) {
  const { t } = useLingui()
  return (
    <Section title={t`About`}>
      <dl className={styles.facts}>
        <div>
          <dt>
            <Trans>Last sign-in</Trans>
          </dt>
          <dd>
            <Instant value={user.last_login_at} never={t`Never`} />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>Password</Trans>
          </dt>
          <dd>{user.has_password ? <Trans>Set</Trans> : <Trans>None: cannot sign in</Trans>}</dd>
        </div>
        <div>
          <dt>
            <Trans>Created</Trans>
          </dt>
          <dd>
            <Instant value={user.created_at} style="full" />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>Last changed</Trans>
          </dt>
          <dd>
            <Instant value={user.updated_at} style="full" />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>User id</Trans>
          </dt>
          <dd className={styles.id}>
            <code dir="ltr">{user.user_id}</code>
            <CopyButton text={user.user_id} label={t`the user id`} />
          </dd>
        </div>
      </dl>
    </Section>
  )
}
