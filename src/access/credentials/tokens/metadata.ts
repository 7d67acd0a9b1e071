import type { Links } from '../../../http/server/links.ts'

/** RFC 8414 §2. There is no authorization endpoint and no OAuth grant: users sign in here, programs have keys. */
export function describeIssuer({ issuer }: Links) {
  const base = issuer()
  return {
    issuer: base,
    jwks_uri: `${base}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: [],
    introspection_endpoint: `${base}/introspect`,
    introspection_endpoint_auth_methods_supported: ['Bearer'],
    revocation_endpoint: `${base}/revoke`,
    revocation_endpoint_auth_methods_supported: ['Bearer'],
    service_documentation: `${base}/docs`,
  }
}
