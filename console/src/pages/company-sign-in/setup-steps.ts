/** The steps of the setup, and which of them are done. */
import type { SignInConnection, SignInFailure } from 'rollbook/client'
import { hasAddresses, type KindName } from '../../parts/connections/providers.ts'

export type Step = 'provider' | 'connect' | 'people' | 'test'

export const steps: readonly Step[] = ['provider', 'connect', 'people', 'test']

/** What the provider gives; without it the service refuses to activate the connection. */
const needed: Record<KindName, readonly (keyof SignInConnection)[]> = {
  oidc: ['issuer', 'client_id'],
  github: ['client_id'],
  saml: ['entity_id', 'sso_url', 'certificates'],
  ldap: ['servers', 'user_base'],
}

function isComplete(connection: SignInConnection): boolean {
  return needed[connection.kind].every((name) => connection[name] !== undefined)
}

/** Whether a user can be created, linked or sent here by address. */
function namesPeople({ provisioning_domains, trusted_domains, domains }: SignInConnection): boolean {
  return [provisioning_domains, trusted_domains, domains].some(({ length }) => length > 0)
}

/** @param failures newest first; undefined: not known yet */
export function isDone(
  step: Step,
  connection: SignInConnection | undefined,
  failures: readonly SignInFailure[] | undefined,
): boolean {
  if (connection === undefined) return false
  switch (step) {
    case 'provider':
      return true
    case 'connect':
      return isComplete(connection)
    case 'people':
      return namesPeople(connection)
    case 'test':
      return connection.active || lastTestOf(connection, failures) === 'succeeded'
  }
}

type LastTest = 'unknown' | 'missing' | 'failed' | 'outdated' | 'succeeded'

/** How the last test sign-in ended, and whether the settings have changed since. */
function lastTestOf(
  { updated_at }: Pick<SignInConnection, 'updated_at'>,
  failures: readonly SignInFailure[] | undefined,
): LastTest {
  if (failures === undefined) return 'unknown'
  const test = failures.find(({ test_outcome }) => test_outcome !== null)
  if (test === undefined) return 'missing'
  if (test.test_outcome === 'refused') return 'failed'
  return Date.parse(test.failed_at) < Date.parse(updated_at) ? 'outdated' : 'succeeded'
}

export type Concern =
  | 'values_missing'
  | 'secret_missing'
  | 'certificate_expired'
  | 'no_domain'
  | 'only_routed'
  | 'emails_unverified'
  | 'test_missing'
  | 'test_failed'
  | 'test_outdated'

/** Returns what will not work if the connection is activated as it is. */
export function concernsOf(
  connection: SignInConnection,
  failures: readonly SignInFailure[] | undefined,
  now: number,
): readonly Concern[] {
  const { kind, certificate_details = [], has_client_secret } = connection
  const { provisioning_domains, trusted_domains, domains, emails_verified } = connection
  const byAddress = [...provisioning_domains, ...trusted_domains]
  const test = lastTestOf(connection, failures)
  const concerns: [Concern, boolean][] = [
    ['values_missing', !isComplete(connection)],
    ['secret_missing', hasAddresses(kind) && kind !== 'saml' && has_client_secret !== true],
    ['certificate_expired', certificate_details.some(({ not_after }) => Date.parse(not_after) < now)],
    ['no_domain', byAddress.length === 0 && domains.length === 0],
    ['only_routed', byAddress.length === 0 && domains.length > 0],
    ['emails_unverified', byAddress.length > 0 && emails_verified === false],
    ['test_missing', test === 'missing'],
    ['test_failed', test === 'failed'],
    ['test_outdated', test === 'outdated'],
  ]
  return concerns.flatMap(([concern, holds]) => (holds ? [concern] : []))
}
