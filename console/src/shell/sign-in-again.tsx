import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type CreateSession, type Me, RollbookError } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { api } from '../api/client.ts'
import { setWeather } from '../api/weather.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { codeBody } from './code-body.ts'

/** Covers the page without unmounting it, so that typed input is kept. */
export default function SignInAgain({ me }: { me: Me }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [challengeId, setChallengeId] = useState<string | undefined>()
  const { submit, isPending, error } = useSubmit(
    async (body: CreateSession) => {
      try {
        await api.sessions.create(body)
        return undefined
      } catch (error) {
        const next = challengeOf(error)
        if (next === undefined) throw error
        return next
      }
    },
    {
      onSuccess(next) {
        setCode('')
        if (next !== undefined) return setChallengeId(next)
        setWeather({ isSignedOut: false })
        void queries.invalidateQueries()
      },
    },
  )
  useSignInElsewhere(me)
  // The challenge has ended, and the password is asked for again.
  const isOver = error instanceof RollbookError && error.code === 'challenge_expired'
  const step = isOver ? undefined : challengeId
  return (
    <Dialog isOpen title={t`Sign in again`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isOver) setChallengeId(undefined)
          submit(step === undefined ? { username: me.username, password } : { challenge_id: step, ...codeBody(code) })
        }}
      >
        <Stack>
          <p style={{ margin: 0 }}>
            <Trans>
              Your session has ended. Sign in as <strong>{me.username}</strong> to continue. What you were saving is
              then saved.
            </Trans>
          </p>
          <input type="text" value={me.username} autoComplete="username" readOnly hidden />
          {step === undefined ? (
            <PasswordInput
              key="password"
              label={t`Password`}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              autoComplete="current-password"
              data-autofocus
              required
              withAsterisk={false}
            />
          ) : (
            <TextInput
              key="code"
              label={t`One-time code`}
              description={t`From your authenticator app. A recovery code works as well, once.`}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              autoComplete="one-time-code"
              spellCheck={false}
              dir="ltr"
              autoFocus
              required
              withAsterisk={false}
            />
          )}
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

/** Continues as soon as the user has signed in again in another tab. */
function useSignInElsewhere(me: Me): void {
  const queries = useQueryClient()
  useEffect(() => {
    const checkSession = () => {
      if (document.visibilityState !== 'visible') return
      api.me.get().then(
        (now) => {
          // Another user: what this page was about to save is not theirs.
          if (now.user_id !== me.user_id) return location.reload()
          setWeather({ isSignedOut: false })
          void queries.invalidateQueries()
        },
        () => undefined, // Still signed out, or away: the form is there.
      )
    }
    document.addEventListener('visibilitychange', checkSession)
    return () => document.removeEventListener('visibilitychange', checkSession)
  }, [queries, me.user_id])
}

/** The challenge of the second step, if the password was right and more is needed. */
function challengeOf(error: unknown): string | undefined {
  if (!(error instanceof RollbookError) || error.code !== 'second_factor_required') return undefined
  const { challenge_id } = error.extensions
  return typeof challenge_id === 'string' ? challenge_id : undefined
}
