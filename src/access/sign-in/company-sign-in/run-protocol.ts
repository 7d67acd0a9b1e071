/** Runs a step of a connection's protocol, for all that a company sign-in does. */
import type { Storage } from '../../../store/storage/storage.ts'
import type { RelyingParty } from '../../credentials/factors/service.ts'
import type * as connections from '../../providers/connections/service.ts'
import {
  explainClaims,
  type Judging,
  type Protocol,
  ProtocolFailure,
  type Vouched,
} from '../../providers/connections/service.ts'
import type { Visit, When } from '../sign-in/service.ts'
import { keepProviderFailure } from './failures.ts'
import type { Way } from './judge.ts'
import type { Purpose } from './pending-store.ts'
import type { Protocols } from './protocols.ts'
import { activeConnection, SignInRefused } from './refused.ts'
import type { Tester } from './test-sign-in.ts'
import { connectionToTest, endTest } from './test-steps.ts'

export type CompanyParts = {
  storage: Storage
  protocols: Protocols
  relyingParty: RelyingParty
  rules: Judging['rules']
}

/** Only a test uses a connection that is not active. @throws SignInRefused; AppError `connection_not_found` */
export function connectionFor(
  { storage }: CompanyParts,
  { connection_id, purpose, tester }: { connection_id: string; purpose: Purpose; tester: Tester | undefined },
  when: When,
): Promise<connections.ConnectionRow> {
  return purpose === 'test'
    ? connectionToTest(storage, connection_id, tester, when)
    : activeConnection(storage, connection_id)
}

/** Runs a step of the protocol. Failures are kept for the administrator. */
export async function withProtocol<Result>(
  { storage, protocols }: CompanyParts,
  {
    connection,
    returnTo,
    visit,
    tester,
  }: Pick<Way, 'connection' | 'returnTo'> & { visit?: Visit; tester?: Tester | undefined },
  when: When,
  step: (protocol: Protocol) => Promise<Result>,
): Promise<Result> {
  try {
    return await step(await protocols.of(connection.kind))
  } catch (error) {
    if (!(error instanceof ProtocolFailure)) throw error
    const { reason, code, message: detail, claims } = error
    if (tester !== undefined) {
      const isWrongPassword = reason === 'wrong_password'
      return endTest(storage, { connection, tester }, { reason: code, detail, claims, isWrongPassword }, when)
    }
    const failing = { connection, failure: error, claims: explainFailed(connection, claims), visit }
    await keepProviderFailure(storage, failing, when)
    throw new SignInRefused(reason, connection, returnTo)
  }
}

function explainFailed(connection: connections.ConnectionRow, claims: Vouched['claims']) {
  return Object.keys(claims).length === 0 ? [] : explainClaims(connection, claims)
}
