/** Recognizes callers in the program itself: the rules of `rollbook/verify` on what the authenticator knows at that moment. */
import { introspect } from '../../access/credentials/tokens/service.ts'
import type { Config } from '../../core/config.ts'
import { isOurs, type OurClaims } from '../../sdk/verify/caller.ts'
import { invalid, unavailable } from '../../sdk/verify/errors.ts'
import type { Credential } from '../../sdk/verify/request.ts'
import { verifyBy } from '../../sdk/verify/verify-by.ts'
import type { App } from '../app.ts'
import type { Rollbook } from './types.ts'

export function verifyIn(
  { authenticator, cookies, lifecycle, links }: App,
  { publicUrl = '' }: Config,
): Rollbook['verify'] {
  async function find({ kind, value }: Credential): Promise<OurClaims> {
    if (lifecycle.stage === 'draining') throw unavailable('Rollbook was closed.')
    const found = await authenticator.lookUp(value, Date.now(), { isUse: true }).catch((cause) => {
      throw unavailable('The storage does not respond, so the credential cannot be checked.', cause)
    })
    if (found?.kind === 'access_token' && found.claims === undefined) {
      throw invalid('The token was not issued by Rollbook for this service.')
    }
    const claims = introspect(found, links.issuer())
    if (claims.token_type === kind && isOurs(claims)) return claims
    throw invalid('Rollbook does not accept the credential; it may have expired or been revoked.')
  }

  const verify = verifyBy({
    rules: { cookieName: cookies.name, origins: [new URL(publicUrl).origin] },
    find,
    clock: Date.now,
    explainedAt: `${publicUrl}/docs/problems#`,
  })
  return (request, ...needs) => {
    const parts = typeof request === 'string' ? { headers: { authorization: `Bearer ${request}` } } : request
    return verify(parts, ...needs)
  }
}
