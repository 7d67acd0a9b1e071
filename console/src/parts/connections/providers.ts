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

/** What people call the provider on a button; empty where only the administrator knows. */
export function nameFor({ kind, preset }: Provider): string {
  const names: Partial<Record<Preset, string>> = { google: 'Google', entra: 'Microsoft' }
  return kind === 'ldap' ? '' : (names[preset] ?? productOf({ kind, preset }) ?? '')
}

/** Returns the provider with this product, with OpenID Connect if it has that; the first one if there is none. */
export function providerNamed(product: string | undefined): Provider {
  const preset = presetsOf.oidc.find((one) => one === product) ?? presetsOf.oidc[0] ?? 'generic'
  return { kind: 'oidc', preset }
}
