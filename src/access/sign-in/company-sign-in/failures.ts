/** Keeps why sign-ins through a connection failed, for its administrators. */
import type { AppError } from '../../../core/errors.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import type * as connections from '../../providers/connections/service.ts'
import type { ProtocolFailure } from '../../providers/connections/service.ts'
import { requestAt, type Visit, type When } from '../sign-in/service.ts'

export type Failing = {
  connection: connections.ConnectionRow
  reason: string
  detail: string
  claims?: connections.Failure['claims']
  visit?: Visit | undefined
  /** False: the provider failed at something else, such as a sign-out. */
  isSignIn?: boolean
}

export async function keepFailure(
  storage: Pick<Storage, 'change'>,
  { connection: { connection_id }, reason, detail, claims = [], visit, isSignIn = true }: Failing,
  when: When,
): Promise<void> {
  const failure = { connection_id, reason, detail, claims, isSignIn }
  const request = { ...requestAt(when), ...(visit && { origin: originOf(visit) }) }
  await storage.change('company_sign_ins.keep_failure', failure, request)
}

const recorded = new WeakSet<ProtocolFailure>()

/** Keeps a failure of a provider. One that the protocol remembers is kept once, or visitors could fill the audit log. */
export async function keepProviderFailure(
  storage: Pick<Storage, 'change'>,
  { failure, ...failing }: Omit<Failing, 'reason' | 'detail'> & { failure: ProtocolFailure },
  when: When,
): Promise<void> {
  if (recorded.has(failure)) return
  recorded.add(failure)
  await keepFailure(storage, { ...failing, reason: failure.code, detail: failure.message }, when)
}

export function originOf({ address, userAgent }: Visit) {
  return { address, user_agent: userAgent }
}

/** With the members that are at fault, such as an attribute. */
export function detailOf({ message, errors = [] }: AppError): string {
  const faults = errors.map(({ pointer, detail }) => `${pointer.replace(/^#\//, '')}: ${detail}`)
  if (faults.length === 0) return message
  const isUnmapped = errors.some(
    ({ pointer, code }) => code === 'missing_member' && pointer.startsWith('#/attributes/'),
  )
  return [...faults, ...(isUnmapped ? ['Map a claim to it in attribute_claims.'] : [])].join(' ')
}
