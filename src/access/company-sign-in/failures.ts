/** Keeps why sign-ins through a connection failed, for its administrators. */
import type { Storage } from '../../store/storage/storage.ts'
import type * as connections from '../connections/service.ts'
import { requestAt, type Visit, type When } from '../sign-in/proof.ts'

export type Failing = {
  connection: connections.ConnectionRow
  reason: string
  detail: string
  claims?: connections.Failure['claims']
  visit?: Visit | undefined
}

export async function keepFailure(
  storage: Pick<Storage, 'change'>,
  { connection: { connection_id }, reason, detail, claims = [], visit }: Failing,
  when: When,
): Promise<void> {
  const failure = { connection_id, reason, detail, claims }
  const request = { ...requestAt(when), ...(visit && { origin: originOf(visit) }) }
  await storage.change('company_sign_ins.keep_failure', failure, request)
}

export function originOf({ address, userAgent }: Visit) {
  return { address, user_agent: userAgent }
}
