import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { etagOf, type Me, RollbookError, type UpdateMe } from 'rollbook/client'
import { api } from '../api/client.ts'
import { meQuery } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { Problem } from '../ui/problem.tsx'
import { Section } from '../ui/section.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { patchBetween, typedSince } from '../user/changes.ts'
import { Conflict } from '../user/conflict.tsx'
import { useFieldFaults } from '../user/use-field-faults.ts'
import { useOtherVersion } from '../user/use-other-version.ts'
import { useMemberLabels } from '../user/words.ts'
import styles from './profile.module.css'

type Own = { first_name: string; last_name: string; email: string }
/** `sent`: the form as it was then. */
type Saving = { body: UpdateMe; etag: string | undefined; sent: Own }
type Props = { me: Me; onDirty: (isDirty: boolean) => void }

export function OwnDetails({ me, onDirty }: Props) {
  const { t } = useLingui()
  const labels = useMemberLabels()
  const queries = useQueryClient()
  const [base, setBase] = useState(me)
  const [theirs, setTheirs] = useState<Me | undefined>()
  const form = useForm({ initialValues: { ...ownOf(me), current_password: '' } })
  const { current_password, ...own } = form.values
  const patch = patchBetween(ownOf(base), own)
  const isDirty = Object.keys(patch).length > 0
  const needsPassword = 'email' in patch

  const bodyOf = (changes: Partial<Own>): UpdateMe => ({
    ...changes,
    ...('email' in changes && { current_password }),
  })
  function fill(next: Me, values = ownOf(next)) {
    setBase(next)
    setTheirs(undefined)
    form.setValues({ ...values, current_password: '' })
    form.clearErrors()
  }
  const { submit, isPending, error, reset } = useSubmit(
    ({ body, etag }: Saving) => api.me.update(body, { ifMatch: etag }),
    {
      onSuccess(saved, { sent }) {
        const { current_password: _, ...now } = form.getValues()
        fill(saved, typedSince(sent, now, ownOf(saved)))
        queries.setQueryData(meQuery.queryKey, saved)
        void queries.invalidateQueries({ queryKey: ['users'] })
        showToast({ message: t`Saved.` })
      },
    },
  )
  const isStale = error instanceof RollbookError && error.code === 'precondition_failed'
  const hasMore = useFieldFaults(form, error, ['first_name', 'last_name', 'email', 'current_password'])
  const told = useRef(onDirty)
  told.current = onDirty
  useEffect(() => told.current(isDirty), [isDirty])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when one was read again, not when one types.
  useEffect(() => {
    if (!isDirty && me !== base) fill(me)
  }, [me])
  useOtherVersion(isStale, {
    read: () => api.me.get(),
    concerns: (read) => Object.keys(patchBetween(ownOf(base), ownOf(read))).length > 0,
    onTheirs: setTheirs,
    onSame(read) {
      setBase(read)
      submit({ body: bodyOf(patch), etag: etagOf(read), sent: own })
    },
    reset,
  })

  function saveMerged(merged: Own) {
    if (theirs === undefined) return
    const rest = patchBetween(ownOf(theirs), merged)
    form.setValues(merged)
    setBase(theirs)
    setTheirs(undefined)
    reset()
    if (Object.keys(rest).length > 0) return submit({ body: bodyOf(rest), etag: etagOf(theirs), sent: merged })
    fill(theirs)
    queries.setQueryData(meQuery.queryKey, theirs)
  }
  return (
    <Section title={t`Name and e-mail`}>
      {isStale && theirs !== undefined ? (
        <Conflict
          before={ownOf(base)}
          theirs={ownOf(theirs)}
          mine={own}
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
            if (needsPassword && current_password === '')
              form.setFieldError('current_password', t`A new e-mail address needs your password.`)
            else if (isDirty) submit({ body: bodyOf(patch), etag: etagOf(base), sent: own })
          })}
        >
          <div className={styles.pair}>
            <TextInput label={labels.first_name} autoComplete="given-name" {...form.getInputProps('first_name')} />
            <TextInput label={labels.last_name} autoComplete="family-name" {...form.getInputProps('last_name')} />
            <TextInput
              label={labels.email}
              type="email"
              autoComplete="email"
              spellCheck={false}
              {...form.getInputProps('email')}
            />
            {needsPassword && (
              <PasswordInput
                label={t`Your current password`}
                autoComplete="current-password"
                dir="ltr"
                visibilityToggleFocusable
                visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
                {...form.getInputProps('current_password')}
                aria-invalid={'current_password' in form.errors || undefined}
              />
            )}
          </div>
          {hasMore && error && !isStale && <Problem error={error} title={t`Nothing was saved.`} />}
          <div className={styles.buttons}>
            <Button type="submit" disabled={!isDirty} loading={isPending || (isStale && theirs === undefined)}>
              <Trans>Save</Trans>
            </Button>
            {isDirty && (
              <Button
                variant="default"
                onClick={() => {
                  fill(me)
                  reset()
                }}
              >
                <Trans>Discard</Trans>
              </Button>
            )}
            <span className={styles.gap} />
            <ApiCallButton
              calls={[
                { operation: 'GET /me' },
                { operation: 'PATCH /me', body: { ...patch, ...(needsPassword && { current_password: '…' }) } },
              ]}
            />
          </div>
        </form>
      )}
    </Section>
  )
}

function ownOf({ first_name, last_name, email }: Pick<Me, 'first_name' | 'last_name' | 'email'>): Own {
  return { first_name, last_name, email: email ?? '' }
}
