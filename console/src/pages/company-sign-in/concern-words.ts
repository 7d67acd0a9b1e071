import { useLingui } from '@lingui/react/macro'
import type { SignInConnection, SignInFailure } from 'rollbook/client'
import { useReasonWords } from './reason-words.ts'
import { type Concern, concernsOf } from './setup-steps.ts'

/** Returns what will not work if the connection is activated as it is, in words. */
export function useConcerns(
  connection: SignInConnection,
  failures: readonly SignInFailure[] | undefined,
): readonly string[] {
  const { t } = useLingui()
  const reasonWords = useReasonWords()
  const refused = failures?.find(({ test_outcome }) => test_outcome === 'refused')
  const reason = reasonWords(refused?.test_reason ?? refused?.reason ?? '')
  const domains = connection.domains.join(', ')
  const words: Record<Concern, string> = {
    values_missing: t`Values of the provider are missing, so it cannot be activated.`,
    secret_missing: t`There is no client secret. Most providers refuse every sign-in without it.`,
    certificate_expired: t`A certificate of the provider has expired.`,
    no_domain: t`No domain is listed, so no user is created or linked. Only users who link their account themselves can sign in.`,
    only_routed: t`Users of ${domains} are sent to the provider, but no domain is listed to create or link them. Only users who link their account themselves can sign in.`,
    emails_unverified: t`Addresses from there do not count as verified, so no user is created or linked by address.`,
    test_missing: t`No one has tried it with a test sign-in.`,
    test_failed: t`The last test sign-in was refused: ${reason}. Users will be refused as well.`,
    test_outdated: t`The settings have changed since the last test sign-in.`,
  }
  return concernsOf(connection, failures, Date.now()).map((concern) => words[concern])
}
