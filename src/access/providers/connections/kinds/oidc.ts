/** OpenID Connect: its settings, and what the claims of an ID token mean. The protocol is in access/providers/oidc. */
import { type InputFault, memberFault } from '../../../../core/errors.ts'
import { claimAt } from '../mapped-claims.ts'
import type { Claims, Kind, KindSettings } from './kind.ts'

export const oidcPresets = ['generic', 'google', 'entra', 'okta', 'keycloak', 'auth0', 'gitlab'] as const

export const oidcMembers = {
  issuer: {
    type: 'string',
    maxLength: 512,
    description:
      'OpenID Connect: the issuer (Discovery 1.0), exactly as the provider writes it. The presets google and gitlab know theirs.',
    examples: ['https://example.okta.com'],
  },
  client_id: {
    type: 'string',
    minLength: 1,
    maxLength: 512,
    description: 'OpenID Connect, GitHub: the id that the provider gave to this client.',
    examples: ['0oa1example'],
  },
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    items: { type: 'string', pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,128}$' },
    description: 'OpenID Connect: the scopes to request. `openid` is always added.',
    examples: [['openid', 'profile', 'email']],
  },
  read_userinfo: {
    type: 'string',
    enum: ['auto', 'always', 'never'],
    description:
      'OpenID Connect: whether to read the UserInfo endpoint, for providers that keep claims out of the ID token. `auto`: if the ID token lacks the address or a claim of the mapping.',
  },
  token_endpoint_auth_method: {
    type: 'string',
    enum: ['auto', 'client_secret_basic', 'client_secret_post'],
    description:
      'OpenID Connect: how the secret is sent to the token endpoint (OpenID Connect Core 1.0 §9). `auto`: by HTTP Basic, unless the provider supports only the form; and by the form, if the provider supports both and refuses the client.',
  },
  sign_out_there: {
    type: 'boolean',
    description:
      'OpenID Connect: users who sign out on the page `/logout` are also sent to the provider to sign out there (RP-Initiated Logout 1.0). Register `post_logout_redirect_uri` with it.',
  },
} as const

export type OidcSettings = {
  preset: (typeof oidcPresets)[number]
  issuer: string
  client_id: string
  scopes: string[]
  read_userinfo: 'auto' | 'always' | 'never'
  token_endpoint_auth_method: 'auto' | 'client_secret_basic' | 'client_secret_post'
  sign_out_there: boolean
}

/** What every kind has (../settings.ts). */
type Mapping = {
  role_claim: string | null
  group_claim: string | null
  attribute_claims: Readonly<Record<string, string>>
  expires_at_claim: string | null
}

const knownIssuers: Readonly<Record<string, string>> = {
  google: 'https://accounts.google.com',
  gitlab: 'https://gitlab.com',
}

export const oidc: Kind = {
  name: 'oidc',
  title: 'OpenID Connect',
  presets: oidcPresets,
  way: 'redirect',
  returnsByPost: false,
  prepares: false,
  members: Object.keys(oidcMembers),
  secrets: ['client_secret'],
  initial: {
    scopes: ['openid', 'profile', 'email'],
    read_userinfo: 'auto',
    token_endpoint_auth_method: 'auto',
    sign_out_there: false,
  },
  identifying: ['issuer', 'client_id', 'preset'],
  destinations: ['issuer'],
  addresses: (base) => ({
    redirect_uri: `${base}/callback`,
    post_logout_redirect_uri: base.replace(/\/connections\/[^/]*$/, '/logout'),
    backchannel_logout_uri: `${base}/backchannel-logout`,
    global_token_revocation_uri: `${base}/global-token-revocation`,
  }),

  normalize(settings, inputNames) {
    const { preset, issuer = knownIssuers[preset as string], scopes, ...others } = settings as OidcSettings
    const requestedScopes = scopes.includes('openid') ? scopes : ['openid', ...scopes]
    const normalized: KindSettings = {
      ...others,
      preset,
      scopes: requestedScopes,
      ...(issuer !== undefined && { issuer }),
    }
    const isJudged = issuer !== undefined && (inputNames.has('issuer') || settings.issuer === undefined)
    return { settings: normalized, faults: isJudged ? issuerFaults(issuer) : [] }
  },

  arrivalOf(settings, claims) {
    const { preset } = settings as OidcSettings
    const { sub, email, given_name, family_name, auth_time, amr, acr, sid } = claims
    return {
      // OpenID Connect Core §2: at most 255 ASCII characters.
      subject: typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub) ? sub : '',
      email,
      email_verified: statesVerified(preset, claims),
      first_name: given_name,
      last_name: family_name,
      auth_time_ms: momentIn(auth_time),
      amr: Array.isArray(amr) ? amr.filter((one) => typeof one === 'string') : [],
      acr: typeof acr === 'string' ? acr : undefined,
      sid: typeof sid === 'string' && sid.length <= 255 ? sid : undefined,
    }
  },

  claimNames: { email: 'email', amr: 'amr', acr: 'acr', auth_time: 'auth_time' },

  explain(settings, _claims, { subject, email_verified }) {
    const isEntra = (settings as OidcSettings).preset === 'entra'
    const verified = email_verified ? 'address_verified' : 'address_unverified'
    return [
      { claim: 'sub', notes: [{ code: subject === '' ? 'subject_missing' : 'subject' }] },
      { claim: 'email_verified', notes: [{ code: isEntra ? 'entra_email_verified' : verified }] },
      ...(isEntra ? [{ claim: 'xms_edov', notes: [{ code: verified } as const] }] : []),
      { claim: 'given_name', notes: [{ code: 'first_name' }] },
      { claim: 'family_name', notes: [{ code: 'last_name' }] },
    ]
  },
}

/** Whether an ID token lacks a claim that the connection reads: the provider may have it in the UserInfo response alone. */
export function lacksClaims(settings: KindSettings, claims: Claims): boolean {
  const { preset, role_claim, group_claim, attribute_claims, expires_at_claim } = settings as OidcSettings & Mapping
  // Entra ID states the verification by xms_edov, which is in ID tokens alone.
  const ofAddress = preset === 'entra' ? ['email'] : ['email', 'email_verified']
  const all = [role_claim, group_claim, expires_at_claim, ...Object.values(attribute_claims)]
  const mapped = all.filter((name) => name !== null)
  return [...ofAddress, ...mapped].some((name) => claimAt(claims, name) === undefined)
}

/** NumericDate (RFC 7519 §2) in milliseconds. Undefined if it is not one, or out of the range of dates. */
function momentIn(seconds: unknown): number | undefined {
  const ms = typeof seconds === 'number' ? seconds * 1000 : Number.NaN
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms
}

/** Amazon Cognito and Apple send a text. Anything else is no statement: "false" is true for some libraries. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

function statesVerified(preset: string, { email_verified, xms_edov, hd }: Claims): boolean {
  // In Entra ID, the administrator of any tenant sets any address (nOAuth): only xms_edov speaks of who owns the domain.
  if (preset === 'entra') {
    const isOwned = isTrue(xms_edov) || xms_edov === 1 || xms_edov === '1'
    return isOwned && (email_verified === undefined || isTrue(email_verified))
  }
  // At Google anyone can have an account for an address that they read once; hd is there if the company manages the account.
  if (preset === 'google' && typeof hd !== 'string') return false
  return isTrue(email_verified)
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

function issuerFaults(text: string): InputFault[] {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fault = (code: string, detail: string) => [memberFault('issuer', code, detail)]
  if (url === undefined) return fault('url_malformed', 'This is not a URL. It must begin with https://.')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.test(url.hostname))) {
    return fault('url_scheme', 'The issuer must use https.')
  }
  if (
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    text.includes('.well-known')
  ) {
    return fault('issuer_invalid', 'The issuer has no user, query or fragment, and does not end with /.well-known/….')
  }
  if (
    /^login\.microsoftonline\.com$/.test(url.hostname) &&
    /^\/(common|organizations|consumers)\b/.test(url.pathname)
  ) {
    const detail =
      'This issuer stands for every company. Use the one with the id of your tenant: https://login.microsoftonline.com/{tenant id}/v2.0'
    return fault('issuer_of_everyone', detail)
  }
  return []
}
