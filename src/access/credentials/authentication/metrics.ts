import { counter, each, type Family, gauge } from '../../../core/metric-family.ts'
import type { Authenticator } from './authenticate.ts'

export function credentialFamilies(authenticator: Pick<Authenticator, 'cacheUse'>): Family[] {
  return [
    gauge('rollbook_credentials_remembered', 'Credentials in the cache.', () => authenticator.cacheUse().entries),
    counter(
      'rollbook_credential_lookups_total',
      'Credential lookups: cache hits, and misses that read the store.',
      () => {
        const { hits, misses } = authenticator.cacheUse()
        return each('result', { hit: hits, miss: misses })
      },
      ['result'],
    ),
  ]
}
