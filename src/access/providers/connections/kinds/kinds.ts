/** The kinds of connections. A new one is a module beside this file, and a row in each list here. */
import { github, githubMembers } from './github.ts'
import type { Kind } from './kind.ts'
import { ldap, ldapMembers, ldapPresets } from './ldap.ts'
import { oidc, oidcMembers, oidcPresets } from './oidc.ts'
import { saml, samlAddresses, samlFacts, samlInputs, samlMembers, samlSecrets } from './saml.ts'

export const kindNames = ['oidc', 'github', 'saml', 'ldap'] as const
export type KindName = (typeof kindNames)[number]

const kinds: Readonly<Record<KindName, Kind>> = { oidc, github, saml, ldap }

/** Their settings in the API. A name that two kinds share means the same in both. */
export const kindMembers = {
  ...oidcMembers,
  ...githubMembers,
  ...samlMembers,
  ...ldapMembers,
  emails_verified: {
    type: 'boolean',
    description:
      'SAML, LDAP: you state that no user can choose their own address at the provider, so every address from there counts as verified. No assertion or entry says so itself.',
  },
} as const

/** Members that may be sent instead of some of them. */
export const kindInputs = { ...samlInputs } as const

/** Members that only responses have. */
export const kindFacts = { ...samlFacts } as const

/** The products that have their own habits. */
export const presetNames = [...oidcPresets, 'adfs', ...ldapPresets] as const

/** Their secrets in the API, which are never returned. */
export const kindSecrets = {
  client_secret: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 1024,
    description:
      'The secret that the provider gave to this client. Stored encrypted, never returned. Null: a public client.',
  },
  bind_password: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 1024,
    description: 'LDAP: the password of `bind_dn`. Stored encrypted, never returned.',
  },
  ...samlSecrets,
} as const
export type SecretName = keyof typeof kindSecrets

/** The values to copy to the provider. */
export const kindAddresses = {
  redirect_uri: {
    type: 'string',
    description:
      'OpenID Connect, GitHub: register exactly this address with the provider. Each connection has its own.',
    examples: ['https://app.example.com/auth/connections/019a9f3e-0000-7000-8000-000000000000/callback'],
  },
  ...samlAddresses,
  post_logout_redirect_uri: {
    type: 'string',
    description: 'OpenID Connect: register it if users are to sign out of the provider as well.',
  },
  backchannel_logout_uri: {
    type: 'string',
    description: 'OpenID Connect: the provider posts its logout tokens there (Back-Channel Logout 1.0).',
  },
  global_token_revocation_uri: {
    type: 'string',
    description:
      'OpenID Connect: the provider revokes all sessions and tokens of an account there (Global Token Revocation, as Okta and Auth0 call it).',
  },
} as const

/** Whether each secret is there. */
export const kindSecretFlags = {
  has_client_secret: { type: 'boolean', description: 'The secret itself is never returned.' },
  has_bind_password: { type: 'boolean', description: 'LDAP: the password itself is never returned.' },
  has_sp_private_key: { type: 'boolean', description: 'The key itself is never returned.' },
} as const

export function kindOf(name: string): Kind {
  const kind = kinds[name as KindName]
  if (kind === undefined) throw new Error(`There is no kind of connection named ${name}.`)
  return kind
}
