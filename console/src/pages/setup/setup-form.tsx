import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { RollbookError } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { meQuery } from '../../api/me.ts'
import { setWeather } from '../../api/weather.ts'
import { inviteAfterSetup } from '../../parts/factors/reminder-pause.ts'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { forgetToken } from './link-token.ts'
import styles from './setup.module.css'

const leastCharacters = 15
const names = ['username', 'password', 'first_name', 'last_name', 'email'] as const
const empty = { username: '', password: '', first_name: '', last_name: '', email: '' }

type Props = { token: string; onRefused: (error: RollbookError) => void }

export function SetupForm({ token, onRefused }: Props) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isMoreOpen, setIsMoreOpen] = useState(false)
  const form = useForm({
    initialValues: empty,
    validate: {
      username: (value) => (value.trim() === '' ? t`Enter a username.` : null),
      password: (value) => (value === '' ? t`Choose a password.` : null),
    },
  })
  const { submit, isPending, error } = useSubmit(
    ({ username, password, ...rest }: typeof empty) => {
      const more = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''))
      return api.setup.complete({ token, username, password, ...more })
    },
    {
      async onSuccess() {
        forgetToken()
        inviteAfterSetup()
        setWeather({ isSignedOut: false })
        queries.removeQueries({ queryKey: meQuery.queryKey })
        await navigate({ to: '/users', replace: true })
      },
    },
  )

  const { setFieldError } = form
  const { faults, hasMore } = useMemo(() => fieldFaults(error, names), [error])
  useEffect(() => {
    if (!(error instanceof RollbookError)) return
    if (error.code === 'setup_link_invalid' || error.code === 'setup_done') return onRefused(error)
    const [first] = Object.entries(faults).map(([name, detail]) => {
      setFieldError(name, detail)
      return name
    })
    if (Object.keys(faults).some((name) => name !== 'username' && name !== 'password')) setIsMoreOpen(true)
    if (first !== undefined) document.querySelector<HTMLInputElement>(`input[name="${first}"]`)?.focus()
  }, [error, faults, onRefused, setFieldError])

  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack gap={18}>
        <TextInput
          {...form.getInputProps('username')}
          name="username"
          size="md"
          label={t`Username`}
          description={t`A name or an email address. It is not case-sensitive.`}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          withAsterisk={false}
        />
        <PasswordInput
          {...form.getInputProps('password')}
          name="password"
          size="md"
          label={t`Password`}
          description={t`At least 15 characters. A few unrelated words are easy to remember.`}
          autoComplete="new-password"
          // For other fields, the component announces this.
          aria-invalid={form.errors.password !== undefined || undefined}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password`, tabIndex: 0 }}
          required
          withAsterisk={false}
        />
        <Strength password={form.values.password} />
        <details
          className={styles.more}
          open={isMoreOpen}
          onToggle={(event) => setIsMoreOpen(event.currentTarget.open)}
        >
          <summary>
            <Trans>Name and email address (optional)</Trans>
          </summary>
          <MoreFields form={form} />
        </details>
        {hasMore && <Problem error={error} title={t`The administrator was not created.`} />}
        <Button type="submit" size="md" fullWidth loading={isPending}>
          <Trans>Create the administrator and sign in</Trans>
        </Button>
      </Stack>
    </form>
  )
}

/** How much of the least length a password has. */
function Strength({ password }: { password: string }) {
  const count = [...password].length
  if (count === 0) return null
  return (
    <p className={styles.strength} data-enough={count >= leastCharacters}>
      <span className={styles.meter} data-bar aria-hidden="true">
        <i style={{ inlineSize: `${Math.min(100, (count / leastCharacters) * 100)}%` }} />
      </span>
      <span role="status">
        {count >= leastCharacters ? (
          <Trans>Long enough</Trans>
        ) : (
          <Trans>
            {count} of {leastCharacters} characters
          </Trans>
        )}
      </span>
    </p>
  )
}

function MoreFields({ form }: { form: UseFormReturnType<typeof empty> }) {
  const { t } = useLingui()
  return (
    <Stack gap={18}>
      <TextInput
        {...form.getInputProps('first_name')}
        name="first_name"
        size="md"
        label={t`First name`}
        autoComplete="given-name"
      />
      <TextInput
        {...form.getInputProps('last_name')}
        name="last_name"
        size="md"
        label={t`Last name`}
        autoComplete="family-name"
      />
      <TextInput
        {...form.getInputProps('email')}
        name="email"
        type="email"
        size="md"
        label={t`Email address`}
        autoComplete="email"
      />
    </Stack>
  )
}
