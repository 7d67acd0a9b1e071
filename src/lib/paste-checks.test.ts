import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pasteFault } from './paste-checks.ts'

const ours = ['https://app.example.com/auth/connections/1/callback']
const tenant = '8b6cf4d0-1111-4222-8333-123456789abc'
const entra = `https://login.microsoftonline.com/${tenant}/v2.0`

const find = (provider: string, name: string, text: string, others = {}) => {
  const [kind, preset] = provider.split(' ')
  const found = pasteFault(name, text, { provider: { kind: kind ?? '', preset: preset ?? '' }, others, ours })
  return found === undefined
    ? undefined
    : [found.fault, found.suggestion].filter((one) => one !== undefined).join(' → ')
}

const cases: readonly [provider: string, name: string, text: string, expected: string | undefined][] = [
  ['oidc google', 'client_id', '12-a.apps.googleusercontent.com', undefined],
  ['oidc google', 'client_id', ' 12-a.apps.googleusercontent.com\n', undefined],
  ['oidc google', 'client_id', '12-a .apps.googleusercontent.com', 'blanks → 12-a.apps.googleusercontent.com'],
  ['oidc google', 'client_id', 'GOCSPX-abc', 'is_secret'],
  ['oidc google', 'client_id', 'my-project', 'google_client_id'],
  ['oidc google', 'client_id', 'https://console.cloud.google.com/auth/clients', 'is_url'],
  ['oidc google', 'client_secret', '12-a.apps.googleusercontent.com', 'is_client_id'],
  ['oidc google', 'client_secret', '****abcd', 'is_masked'],
  ['oidc google', 'client_secret', 'GOCSPX-abc', undefined],
  ['oidc google', 'client_secret', 'GOCSPX-abc\n', 'blanks → GOCSPX-abc'],
  ['oidc entra', 'client_id', tenant, undefined],
  ['oidc entra', 'client_id', 'my app', 'blanks → myapp'],
  ['oidc entra', 'client_id', 'my-app', 'entra_client_id'],
  ['oidc entra', 'client_id', 'abc8Q~1234567890123456789012345678901', 'is_secret'],
  ['oidc entra', 'client_secret', tenant, 'is_secret_id'],
  ['oidc entra', 'client_secret', 'abc8Q~1234567890123456789012345678901', undefined],
  ['oidc entra', 'issuer', entra, undefined],
  ['oidc entra', 'issuer', tenant, `tenant_id → ${entra}`],
  ['oidc entra', 'issuer', `${entra}/`, `not_tenant_issuer → ${entra}`],
  ['oidc entra', 'issuer', `https://sts.windows.net/${tenant}/`, `not_tenant_issuer → ${entra}`],
  ['oidc entra', 'issuer', `${entra}/.well-known/openid-configuration`, `configuration_address → ${entra}`],
  ['oidc entra', 'issuer', 'https://login.microsoftonline.com/common/v2.0', 'not_tenant_issuer'],
  ['oidc okta', 'issuer', 'https://example.okta.com', undefined],
  ['oidc okta', 'issuer', 'https://example.okta.com/oauth2/default', undefined],
  ['oidc okta', 'issuer', 'https://example.okta.com/', 'trailing_slash → https://example.okta.com'],
  ['oidc okta', 'issuer', 'https://example-admin.okta.com/admin/apps', 'admin_address → https://example.okta.com'],
  ['oidc okta', 'issuer', 'https://example.okta.com/oauth2/v1/authorize', 'extra_path → https://example.okta.com'],
  ['oidc okta', 'issuer', 'example.okta.com', 'host_only → https://example.okta.com'],
  ['oidc okta', 'issuer', 'http://example.okta.com', 'not_https → https://example.okta.com'],
  ['oidc okta', 'issuer', ours[0] ?? '', 'own_address'],
  ['oidc okta', 'issuer', 'Okta', 'not_url'],
  ['oidc keycloak', 'issuer', 'https://sso.example.com/realms/company', undefined],
  ['oidc keycloak', 'issuer', 'https://sso.example.com/auth/realms/company', undefined],
  [
    'oidc keycloak',
    'issuer',
    'https://sso.example.com/realms/company/protocol/openid-connect/auth',
    'extra_path → https://sso.example.com/realms/company',
  ],
  [
    'oidc keycloak',
    'issuer',
    'https://sso.example.com/admin/master/console/#/company/clients',
    'admin_address → https://sso.example.com/realms/company',
  ],
  ['oidc keycloak', 'issuer', 'https://sso.example.com', 'realm_missing'],
  ['oidc auth0', 'issuer', 'https://example.eu.auth0.com/', undefined],
  ['oidc auth0', 'issuer', 'https://example.eu.auth0.com', 'slash_missing → https://example.eu.auth0.com/'],
  ['oidc auth0', 'issuer', 'example.eu.auth0.com', 'host_only → https://example.eu.auth0.com/'],
  ['oidc gitlab', 'issuer', 'https://gitlab.com/my-group', 'extra_path → https://gitlab.com'],
  ['oidc gitlab', 'client_id', 'gloas-abc', 'is_secret'],
  ['oidc generic', 'issuer', 'https://id.example.com/tenant/', undefined],
  ['oidc generic', 'issuer', 'https://id.example.com/oauth/token', 'extra_path → https://id.example.com'],
  ['oidc generic', 'issuer', 'http://127.0.0.1:8080', undefined],
  ['github generic', 'client_id', '0123456789abcdef0123456789abcdef01234567', 'is_secret'],
  ['github generic', 'client_id', 'Ov23liExample', undefined],
  ['github generic', 'github_url', 'https://github.example.com/orgs/x', 'github_path → https://github.example.com'],
  ['saml google', 'metadata', '<!DOCTYPE html><html></html>', 'web_page'],
  ['saml google', 'metadata', 'https://id.example.com/metadata', 'is_url'],
  ['saml google', 'metadata', 'entity: x', 'not_xml'],
  ['saml google', 'metadata', '<EntityDescriptor><SPSSODescriptor/></EntityDescriptor>', 'own_metadata'],
  ['saml google', 'metadata', '<EntityDescriptor><IDPSSODescriptor/></EntityDescriptor>', undefined],
  ['saml okta', 'metadata_url', 'https://example-admin.okta.com/admin/app/x', 'web_page'],
  ['saml okta', 'metadata_url', 'https://example.okta.com/app/x/sso/saml/metadata', undefined],
  ['saml okta', 'metadata_url', ours[0] ?? '', 'own_address'],
  ['saml generic', 'metadata_url', '<EntityDescriptor/>', 'not_url'],
  ['saml generic', 'certificates', 'MIIC', 'not_pem'],
  ['saml generic', 'certificates', '-----BEGIN PRIVATE KEY-----', 'private_key'],
  ['oidc google', 'provisioning_domains', 'example.com\nexample.org', undefined],
  ['oidc google', 'provisioning_domains', '@example.com', 'not_domain → example.com'],
  ['oidc google', 'provisioning_domains', 'ada@example.com, bob@example.org', 'not_domain → example.com\nexample.org'],
  ['oidc google', 'provisioning_domains', 'https://example.com/', 'not_domain → example.com'],
  ['oidc google', 'trusted_domains', 'gmail.com', 'public_domain'],
  ['oidc google', 'domains', 'gmail.com', undefined],
  ['oidc google', 'domains', 'the company', 'not_domain'],
  ['oidc google', 'name', 'any text', undefined],
  ['oidc google', 'client_id', '', undefined],
]

for (const [provider, name, text, expected] of cases) {
  it(`${name} of ${provider}: ${JSON.stringify(text)} is ${expected ?? 'fine'}`, () => {
    assert.equal(find(provider, name, text), expected)
  })
}

it('finds the client ID in the place of the secret', () => {
  assert.equal(find('oidc okta', 'client_secret', '0oa1', { client_id: '0oa1' }), 'is_client_id')
})
