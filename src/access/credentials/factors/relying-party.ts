/** For which domain and origins passkeys are made and accepted (WebAuthn §5.1.2): from the configuration alone. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Config, ConfigError } from '../../../core/config.ts'
import { AppError } from '../../../core/errors.ts'
import { ownOrigin } from '../../../http/server/same-origin.ts'
import type { Db } from '../../../store/db/db.ts'
import { findRpIdAfter } from './store.ts'

export type RelyingParty = {
  /** The product's name, which browsers show. */
  name: string
  /** The domain of new passkeys first, then those whose passkeys are still accepted. None: passkeys are not possible. */
  ids: readonly string[]
  /** The origins whose pages may use passkeys: that of the pages of this request, and the related ones. */
  originsOf(request: FastifyRequest): string[]
}

type Needs = Pick<Config, 'productName' | 'publicUrl' | 'passkeyRpId' | 'passkeyOrigins'>

export function relyingPartyOf({ productName, publicUrl, passkeyRpId, passkeyOrigins = [] }: Needs): RelyingParty {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const host = url?.hostname ?? 'localhost'
  const isDomain = isIP(host.replace(/^\[|\]$/g, '')) === 0
  return {
    name: productName,
    ids: passkeyRpId ?? (isDomain ? [host] : []),
    originsOf(request) {
      const own = ownOrigin(request, url?.origin)
      return own === undefined ? [...passkeyOrigins] : [own, ...passkeyOrigins]
    },
  }
}

/** @throws AppError `passkeys_unavailable` */
export function domainForNew({ ids }: RelyingParty): string {
  const [first] = ids
  if (first !== undefined) return first
  const detail = 'Passkeys belong to a domain, but ROLLBOOK_PUBLIC_URL has an IP address. The operator can change it.'
  throw new AppError('passkeys_unavailable', detail)
}

/**
 * A passkey works for its own domain only: with another one, its users could no longer sign in.
 *
 * @throws ConfigError if there are passkeys of a domain that is not listed
 */
export async function refuseOrphans(db: Db, { ids }: RelyingParty): Promise<void> {
  // From index entry to index entry: there are as many reads as domains.
  for (let found = await findRpIdAfter(db, ''); found !== undefined; found = await findRpIdAfter(db, found)) {
    if (ids.includes(found)) continue
    const now = ids.length === 0 ? 'passkeys are not possible' : `the passkey domain is ${ids.join(', ')}`
    const both = [...ids, found].join(',')
    throw new ConfigError([
      `Users have passkeys for ${found}, but ${now}. They could no longer sign in with them. Set ` +
        `ROLLBOOK_PASSKEY_RP_ID=${both} (the first one is for new passkeys), or ROLLBOOK_PUBLIC_URL as it was.`,
    ])
  }
}
