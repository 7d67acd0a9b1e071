/** The providers to choose from. Each is a kind of connection with one of its presets. */
import type { CreateSignInConnection, SignInConnection } from 'rollbook/client'

export type KindName = SignInConnection['kind']
export type Preset = NonNullable<CreateSignInConnection['preset']>
export type Provider = { kind: KindName; preset: Preset }

/** Names of products, which are the same in every language. */
const products: Partial<Record<Preset, string>> = {
  google: 'Google Workspace',
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  keycloak: 'Keycloak',
  auth0: 'Auth0',
  gitlab: 'GitLab',
  adfs: 'AD FS',
  openldap: 'OpenLDAP',
  active_directory: 'Active Directory',
}

export const kindTitles: Record<KindName, string> = {
  oidc: 'OpenID Connect',
  github: 'GitHub',
  saml: 'SAML 2.0',
  ldap: 'LDAP',
}

/** In the order in which they are offered. */
export const presetsOf: Record<KindName, readonly Preset[]> = {
  oidc: ['entra', 'google', 'okta', 'keycloak', 'auth0', 'gitlab', 'generic'],
  github: ['generic'],
  saml: ['entra', 'google', 'okta', 'keycloak', 'adfs', 'generic'],
  ldap: ['active_directory', 'openldap'],
}

/** The name of the product; undefined: any other provider. */
export function productOf({ kind, preset }: { kind: KindName; preset: string }): string | undefined {
  return kind === 'github' ? kindTitles.github : products[preset as Preset]
}

/** Users enter their directory password on our sign-in page, so the directory needs none of our URLs. */
export const hasAddresses = (kind: KindName) => kind !== 'ldap'
