import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { SignInOutcome } from 'rollbook/client'
import { Badge } from '../../ui/badge.tsx'
import { ServiceText } from '../../ui/service-text.tsx'
import { State } from '../../ui/state.tsx'
import { useReasonDetails, useReasonWords } from './reason-words.ts'

type Props = { outcome: SignInOutcome; reason: string | undefined; detail: string }

const successes = {
  signs_in: <Trans>An existing user signs in.</Trans>,
  links: <Trans>An existing user is linked and signs in.</Trans>,
  creates: <Trans>A new user is created and signs in.</Trans>,
  reachable: <Trans>The directory can be searched.</Trans>,
} satisfies Partial<Record<SignInOutcome, ReactNode>>

/** Shows how a sign-in ends. `detail` is shown where the console has no words of its own. */
export function Outcome({ outcome, reason, detail }: Props) {
  const words = useReasonWords()
  const details = useReasonDetails()
  if (outcome !== 'refused') return <State kind="good">{successes[outcome]}</State>
  return (
    <>
      <State kind="fault">
        <Trans>The sign-in is refused.</Trans> {reason !== undefined && <Badge kind="fault">{words(reason)}</Badge>}
      </State>
      <span>{details(reason) ?? <ServiceText>{detail}</ServiceText>}</span>
    </>
  )
}
