import { Trans } from '@lingui/react/macro'
import type { SignInOutcome } from 'rollbook/client'
import { Badge } from '../ui/badge.tsx'
import { ServiceText } from '../ui/service-text.tsx'
import { State } from '../ui/state.tsx'
import { useReasonDetails, useReasonWords } from './reason-words.ts'

type Props = { outcome: SignInOutcome; reason: string | undefined; detail: string }

/** How a sign-in ends. `detail` is shown where the console has no words of its own. */
export function Outcome({ outcome, reason, detail }: Props) {
  const words = useReasonWords()
  const details = useReasonDetails()
  switch (outcome) {
    case 'signs_in':
      return (
        <State kind="good">
          <Trans>An existing user signs in.</Trans>
        </State>
      )
    case 'links':
      return (
        <State kind="good">
          <Trans>An existing user is linked and signs in.</Trans>
        </State>
      )
    case 'creates':
      return (
        <State kind="good">
          <Trans>A new user is created and signs in.</Trans>
        </State>
      )
    case 'reachable':
      return (
        <State kind="good">
          <Trans>The directory can be searched.</Trans>
        </State>
      )
    case 'refused':
      return (
        <>
          <State kind="fault">
            <Trans>The sign-in is refused.</Trans> {reason !== undefined && <Badge kind="fault">{words(reason)}</Badge>}
          </State>
          <span>{details(reason) ?? <ServiceText>{detail}</ServiceText>}</span>
        </>
      )
  }
}
