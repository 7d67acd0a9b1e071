import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Identity } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { api } from '../api/client.ts'
import { DialogFoot } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { useSubmit } from '../ui/use-submit.ts'

type Props = {
  identity: Identity
  /** Above the field for the user's own password, which has the button to cancel. */
  isBeside: boolean
  onAnswer: (isConfirmed: boolean) => void
}

/** Confirms with a company account: directories check the password here, other providers in their own window. */
export function ConfirmCompany(props: Props) {
  return props.identity.connection_kind === 'ldap' ? <Directory {...props} /> : <Provider {...props} />
}

function Directory({ identity: { connection_id, connection_name, email }, isBeside, onAnswer }: Props) {
  const { t } = useLingui()
  const [username, setUsername] = useState(email ?? '')
  const [password, setPassword] = useState('')
  const { submit, isPending, error } = useSubmit(
    (credentials: { username: string; password: string }) =>
      api.sessions.reauthenticate({ connection_id, ...credentials }),
    { onSuccess: () => onAnswer(true) },
  )
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(event) => {
        event.preventDefault()
        submit({ username, password })
      }}
    >
      <TextInput
        label={t`Username or email address at ${connection_name}`}
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        required
        withAsterisk={false}
      />
      <PasswordInput
        label={t`Password at ${connection_name}`}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="current-password"
        dir="ltr"
        visibilityToggleFocusable
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
        {...(!isBeside && { 'data-autofocus': true })}
        required
        withAsterisk={false}
      />
      {error && <Problem error={error} title={t`That did not work.`} />}
      <DialogFoot>
        {!isBeside && <Cancel onAnswer={onAnswer} />}
        <Button type="submit" loading={isPending}>
          <Trans>Confirm</Trans>
        </Button>
      </DialogFoot>
    </form>
  )
}

function Provider({ identity: { connection_id, connection_name }, isBeside, onAnswer }: Props) {
  return (
    <InNewTab href={`${placeOf('login')}?connection=${connection_id}&confirm`} isBeside={isBeside} onAnswer={onAnswer}>
      <Trans>Confirm with {connection_name} in a new tab</Trans>
    </InNewTab>
  )
}

/** For a user without a password and a company: the page knows the ways that are left, such as a code by email. */
export function ConfirmOnPage({ onAnswer }: Pick<Props, 'onAnswer'>) {
  return (
    <InNewTab href={placeOf('confirm')} isBeside={false} onAnswer={onAnswer}>
      <Trans>Confirm in a new tab</Trans>
    </InNewTab>
  )
}

type InNewTabProps = Pick<Props, 'isBeside' | 'onAnswer'> & { href: string; children: ReactNode }

function InNewTab({ href, isBeside, onAnswer, children }: InNewTabProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        component="a"
        href={href}
        target="_blank"
        rel="noreferrer"
        variant={isOpen ? 'default' : 'filled'}
        onClick={() => setIsOpen(true)}
      >
        {children}
      </Button>
      <DialogFoot>
        {!isBeside && <Cancel onAnswer={onAnswer} />}
        {isOpen && (
          <Button onClick={() => onAnswer(true)}>
            <Trans>I have confirmed</Trans>
          </Button>
        )}
      </DialogFoot>
    </>
  )
}

function Cancel({ onAnswer }: Pick<Props, 'onAnswer'>) {
  return (
    <Button variant="default" onClick={() => onAnswer(false)}>
      <Trans>Cancel</Trans>
    </Button>
  )
}
