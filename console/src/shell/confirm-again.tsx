import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, Skeleton, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Identity, Me, Reauthenticate } from 'rollbook/client'
import { api } from '../api/client.ts'
import { ownFactorsQuery } from '../data/factors.ts'
import { ownIdentitiesQuery } from '../data/identities.ts'
import { canUsePasskeys, showPasskey } from '../parts/factors/passkey.ts'
import { PasskeyProblem } from '../parts/factors/passkey-problem.tsx'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { codeBody } from './code-body.ts'
import { ConfirmCompany, ConfirmOnPage } from './confirm-company.tsx'

type Props = { me: Me; onAnswer: (isConfirmed: boolean) => void }

/** Shown over the form whose change needs it. */
export default function ConfirmAgain({ me, onAnswer }: Props) {
  const { t } = useLingui()
  const [proof, setProof] = useState('')
  const { data, error: unread } = useQuery({ ...ownFactorsQuery, staleTime: 0 })
  // A connection may refuse a password that the user has.
  const byCompany = data?.factors.length === 0
  const { data: identities } = useQuery({ ...ownIdentitiesQuery, enabled: byCompany })
  // Or of none, and signed in with a code by email.
  const isOfCompany = byCompany && !me.has_password
  const hasFactor = data !== undefined && data.factors.length > 0
  const hasPasskey = canUsePasskeys && data?.factors.some(({ kind }) => kind === 'passkey') === true
  // A field that nothing fits would only confuse.
  const byCode = hasFactor && (data.recovery_codes > 0 || data.factors.some(({ kind }) => kind === 'totp'))
  const { submit, isPending, error } = useSubmit((body: Reauthenticate) => api.sessions.reauthenticate(body), {
    onSuccess: () => onAnswer(true),
  })
  const passkey = useSubmit(confirmByPasskey, { onSuccess: () => onAnswer(true) })
  return (
    <Dialog isOpen onClose={() => onAnswer(false)} title={t`Confirm that it is you`}>
      <p style={{ margin: 0 }}>
        {data === undefined || hasFactor || isOfCompany ? (
          <Trans>Confirm to continue. Nothing you typed is lost.</Trans>
        ) : (
          <Trans>Enter your password to continue. Nothing you typed is lost.</Trans>
        )}
      </p>
      {isOfCompany && identities === undefined && <Skeleton height={60} />}
      {byCompany &&
        onePerConnection(identities).map((identity) => (
          <ConfirmCompany
            key={identity.connection_id}
            identity={identity}
            isBeside={me.has_password}
            onAnswer={onAnswer}
          />
        ))}
      {isOfCompany && identities?.length === 0 && <ConfirmOnPage onAnswer={onAnswer} />}
      {!isOfCompany && (
        <form
          style={{ display: 'contents' }}
          onSubmit={(event) => {
            event.preventDefault()
            submit(byCode ? codeBody(proof) : { password: proof })
          }}
        >
          <input type="text" value={me.username} autoComplete="username" readOnly hidden />
          {data === undefined && !unread && <Skeleton height={60} />}
          {unread && <Problem error={unread} />}
          {hasPasskey && (
            <Button
              variant={byCode ? 'default' : 'filled'}
              loading={passkey.isPending}
              onClick={() => passkey.submit('passkey')}
              {...(!byCode && { 'data-autofocus': true })}
            >
              <Trans>Use a passkey</Trans>
            </Button>
          )}
          {passkey.error && <PasskeyProblem error={passkey.error} title={t`That did not work.`} />}
          {hasFactor && !hasPasskey && !byCode && (
            <p style={{ margin: 0 }} role="alert">
              <Trans>
                You confirm with a passkey, which this browser cannot use here. Try the browser you added it in.
              </Trans>
            </p>
          )}
          {data !== undefined && (!hasFactor || byCode) && (
            <ProofField isCode={byCode} value={proof} onChange={setProof} />
          )}
          {error && <Problem error={error} title={t`That did not work.`} />}
          <DialogFoot>
            <Button variant="default" onClick={() => onAnswer(false)}>
              <Trans>Cancel</Trans>
            </Button>
            {(!hasFactor || byCode) && (
              <Button type="submit" loading={isPending} disabled={data === undefined}>
                <Trans>Confirm</Trans>
              </Button>
            )}
          </DialogFoot>
        </form>
      )}
    </Dialog>
  )
}

type ProofProps = { isCode: boolean; value: string; onChange: (value: string) => void }

function ProofField({ isCode, value, onChange }: ProofProps) {
  const { t } = useLingui()
  return isCode ? (
    <TextInput
      label={t`One-time code`}
      description={t`From your authenticator app. A recovery code works as well, once.`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="one-time-code"
      spellCheck={false}
      dir="ltr"
      data-autofocus
      required
      withAsterisk={false}
    />
  ) : (
    <PasswordInput
      label={t`Password`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="current-password"
      dir="ltr"
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
      data-autofocus
      required
      withAsterisk={false}
    />
  )
}

function onePerConnection(identities: readonly Identity[] = []): Identity[] {
  return [...new Map(identities.map((one) => [one.connection_id, one])).values()]
}

async function confirmByPasskey(_: 'passkey') {
  const begun = await api.sessions.beginPasskeyConfirmation()
  return api.sessions.reauthenticate({ passkey: await showPasskey(begun) })
}
