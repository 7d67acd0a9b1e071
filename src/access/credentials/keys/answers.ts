/** What the responses of all routes for keys share. */
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import type { ApiKey, NewApiKey } from './schema.ts'

export type Needs = Pick<HttpLayer, 'contextOf' | 'makeChange' | 'links'> & {
  lastUseOf(keyId: string): number | undefined
}

/** For a dry run: a secret that never works must not be mistaken for a real one. */
export function withoutSecret({ key: _, ...rest }: NewApiKey): ApiKey {
  return rest
}
