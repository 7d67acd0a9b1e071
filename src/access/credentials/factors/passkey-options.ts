/** What browsers are asked: options for a new passkey, and for the use of one (WebAuthn §5.4 and §5.5). */
import type { SignedIn } from '../../../core/actor.ts'
import { challengeSeconds } from '../challenges/service.ts'
import type { PasskeyRequestOptions } from './passkey-schema.ts'
import { algorithms, userHandle } from './passkeys.ts'
import { domainForNew, type RelyingParty } from './relying-party.ts'
import type { FactorRow } from './store.ts'

const timeout = challengeSeconds * 1000

export function creationOptions(
  party: RelyingParty,
  { person, rows, challenge }: { person: Named & { user_id: string }; rows: readonly FactorRow[]; challenge: string },
) {
  const id = domainForNew(party)
  const { user_id, username } = person
  return {
    challenge,
    rp: { id, name: party.name },
    user: { id: userHandle(user_id), name: username, displayName: displayName(person) },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout,
    attestation: 'none' as const,
    // Resident: or it could not stand alone at the next sign-in.
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'preferred' as const,
    },
    excludeCredentials: rows.filter(({ rp_id }) => rp_id === id).map(descriptor),
  }
}

/** For a user who is known by now: one of their passkeys. A ceremony has one domain, so the first one with a passkey. */
export function optionsFor(
  { ids }: RelyingParty,
  rows: readonly FactorRow[],
  challenge: string,
): PasskeyRequestOptions | undefined {
  const rpId = ids.find((id) => rows.some(({ rp_id }) => rp_id === id))
  if (rpId === undefined) return undefined
  const allowCredentials = rows.filter(({ rp_id }) => rp_id === rpId).map(descriptor)
  return { challenge, rpId, timeout, userVerification: 'preferred', allowCredentials }
}

/** For a user who is not known yet: any passkey will do. */
export function optionsForAnyone(party: RelyingParty, challenge: string): PasskeyRequestOptions {
  const rpId = domainForNew(party)
  return { challenge, rpId, timeout, userVerification: 'required', allowCredentials: [] }
}

export function displayName({ first_name, last_name, username }: Named): string {
  return `${first_name} ${last_name}`.trim() || username
}

type Named = Pick<SignedIn, 'first_name' | 'last_name' | 'username'>

function descriptor({ credential_id, transports }: FactorRow) {
  return { type: 'public-key' as const, id: credential_id ?? '', transports: transportsOf(transports) }
}

export function transportsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}
