import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Me } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { api } from '../api/client.ts'
import { setWeather } from '../api/weather.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { useSubmit } from '../ui/use-submit.ts'

/** Covers the page without unmounting it, so that typed input is kept. */
export default function SignInAgain({ me }: { me: Me }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const { submit, isPending, error } = useSubmit(
    (given: string) => api.sessions.create({ username: me.username, password: given }),
    {
      onSuccess() {
        setWeather({ isSignedOut: false })
        void queries.invalidateQueries()
      },
    },
  )
  // The user may have signed in again in another tab.
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState !== 'visible') return
      api.me.get().then(
        () => {
          setWeather({ isSignedOut: false })
          void queries.invalidateQueries()
        },
        () => undefined, // Still signed out, or away: the form is there.
      )
    }
    document.addEventListener('visibilitychange', ask)
    return () => document.removeEventListener('visibilitychange', ask)
  }, [queries])
  return (
    <Dialog isOpen title={t`Sign in again`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(password)
        }}
      >
        <Stack>
          <p style={{ margin: 0 }}>
            <Trans>
              Your session has ended. Sign in as <strong>{me.username}</strong> to continue where you were; nothing you
              typed is lost.
            </Trans>
          </p>
          <input type="text" value={me.username} autoComplete="username" readOnly hidden />
          <PasswordInput
            label={t`Password`}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            data-autofocus
            required
            withAsterisk={false}
          />
          {error && <Problem error={error} />}
          <Button type="submit" loading={isPending}>
            <Trans>Sign in</Trans>
          </Button>
          <a href={placeOf('login')}>
            <Trans>Sign in as another user, and leave this page</Trans>
          </a>
        </Stack>
      </form>
    </Dialog>
  )
}
