/**
 * Finds likely mistakes in a value that was just pasted. The service refuses what cannot be right; these are the mistakes
 * that it cannot see, or that show only at the first sign-in. They are advice: the form is sent all the same.
 */
/** A kind of connection with one of its presets. */
type Provider = { kind: string; preset: string }

export type PasteFault =
  | 'blanks'
  | 'is_url'
  | 'not_url'
  | 'not_https'
  | 'is_secret'
  | 'is_client_id'
  | 'is_secret_id'
  | 'is_masked'
  | 'google_client_id'
  | 'entra_client_id'
  | 'configuration_address'
  | 'extra_path'
  | 'trailing_slash'
  | 'slash_missing'
  | 'admin_address'
  | 'tenant_id'
  | 'not_tenant_issuer'
  | 'host_only'
  | 'realm_missing'
  | 'own_address'
  | 'web_page'
  | 'not_xml'
  | 'own_metadata'
  | 'not_pem'
  | 'private_key'
  | 'github_path'
  | 'not_domain'
  | 'public_domain'

export type Pasted = {
  fault: PasteFault
  /** The value that was probably meant. */
  suggestion?: string
}

type Context = {
  provider: Provider
  /** The other values of the form, by field. */
  others: Readonly<Record<string, unknown>>
  /** Our addresses, which people sometimes paste back. */
  ours: readonly (string | undefined)[]
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const domain = /^(?=.{1,253}$)([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}][\p{L}\p{N}-]*$/u
/** Anyone can have an address there. */
const publicDomains = new Set(
  'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com icloud.com me.com aol.com gmx.de gmx.net gmx.com web.de mail.com mail.ru yandex.ru proton.me protonmail.com qq.com 163.com t-online.de'.split(
    ' ',
  ),
)

/** @param name the field's name, as the API has it */
export function pasteFault(name: string, typed: string, context: Context): Pasted | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  switch (name) {
    case 'client_id':
      return clientIdFault(text, context)
    case 'client_secret':
      return secretFault(typed, context)
    case 'issuer':
      return issuerFault(text, context)
    case 'metadata_url':
      return metadataUrlFault(text, context)
    case 'sso_url':
      return context.ours.includes(text) ? { fault: 'own_address' } : undefined
    case 'metadata':
      return metadataFault(text)
    case 'certificates':
    case 'ca_certificate':
      return certificateFault(text)
    case 'github_url':
      return githubUrlFault(text)
    case 'domains':
    case 'trusted_domains':
    case 'provisioning_domains':
      return domainFault(typed, name !== 'domains')
    default:
      return undefined
  }
}

function clientIdFault(text: string, { provider: { kind, preset } }: Context): Pasted | undefined {
  if (/\s/.test(text)) return { fault: 'blanks', suggestion: text.replaceAll(/\s/g, '') }
  if (/^https?:\/\//i.test(text)) return { fault: 'is_url' }
  const isSecret =
    (preset === 'google' && text.startsWith('GOCSPX-')) ||
    (preset === 'gitlab' && text.startsWith('gloas-')) ||
    (preset === 'entra' && /^[\w.~-]{3}\dQ~/.test(text)) ||
    (kind === 'github' && /^[0-9a-f]{40}$/.test(text))
  if (isSecret) return { fault: 'is_secret' }
  if (preset === 'google' && !text.endsWith('.apps.googleusercontent.com')) return { fault: 'google_client_id' }
  if (preset === 'entra' && !uuid.test(text)) return { fault: 'entra_client_id' }
  return undefined
}

function secretFault(typed: string, { provider: { kind, preset }, others }: Context): Pasted | undefined {
  const text = typed.trim()
  if (/\s/.test(typed)) return { fault: 'blanks', suggestion: typed.replaceAll(/\s/g, '') }
  if (/[*•]{3}|…/.test(text)) return { fault: 'is_masked' }
  if (kind === 'oidc' && preset === 'entra' && uuid.test(text)) return { fault: 'is_secret_id' }
  if (preset === 'google' && text.endsWith('.apps.googleusercontent.com')) return { fault: 'is_client_id' }
  if (others.client_id === text) return { fault: 'is_client_id' }
  return undefined
}

const endpointPath =
  /\/(oauth2\/v1\/(authorize|token)|(oauth2\/)?v2\.0\/(authorize|token)|oauth2\/(authorize|token)|oauth\/(authorize|token)|authorize|token|userinfo|protocol\/openid-connect(\/[\w-]+)?)\/?$/

function issuerFault(text: string, context: Context): Pasted | undefined {
  const { preset } = context.provider
  if (/\s/.test(text)) return { fault: 'blanks', suggestion: text.replaceAll(/\s/g, '') }
  if (context.ours.includes(text)) return { fault: 'own_address' }
  if (preset === 'entra' && uuid.test(text)) return { fault: 'tenant_id', suggestion: entraIssuer(text) }
  if (/^[\w.-]+\.[a-z]{2,}\/?$/i.test(text)) {
    return { fault: 'host_only', suggestion: `https://${text.replace(/\/$/, '')}${preset === 'auth0' ? '/' : ''}` }
  }
  if (!URL.canParse(text)) return { fault: 'not_url' }
  const url = new URL(text)
  if (url.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) {
    return { fault: 'not_https', suggestion: text.replace(/^http:/i, 'https:') }
  }
  if (text.includes('/.well-known/')) {
    const [issuer = ''] = text.split('/.well-known/')
    return { fault: 'configuration_address', suggestion: preset === 'auth0' ? `${issuer}/` : issuer }
  }
  return issuerOf[preset]?.(url, text) ?? anyIssuerFault(text, preset)
}

function anyIssuerFault(text: string, preset: string): Pasted | undefined {
  if (endpointPath.test(text)) return { fault: 'extra_path', suggestion: text.replace(endpointPath, '') }
  if (preset !== 'auth0' && preset !== 'generic' && text.endsWith('/')) {
    return { fault: 'trailing_slash', suggestion: text.replace(/\/+$/, '') }
  }
  return undefined
}

const entraIssuer = (tenant: string) => `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`

/** What the issuers of a provider look like. Undefined: nothing is known to be wrong. */
const issuerOf: Partial<Record<string, (url: URL, text: string) => Pasted | undefined>> = {
  google: (_, text) =>
    text === 'https://accounts.google.com'
      ? undefined
      : { fault: 'extra_path', suggestion: 'https://accounts.google.com' },
  entra({ hostname, pathname }, text) {
    const tenant = pathname.split('/').find((part) => uuid.test(part))
    if (tenant !== undefined && text !== entraIssuer(tenant) && hostname !== 'login.microsoftonline.us') {
      return { fault: 'not_tenant_issuer', suggestion: entraIssuer(tenant) }
    }
    return tenant === undefined ? { fault: 'not_tenant_issuer' } : undefined
  },
  okta({ hostname, pathname, origin }, text) {
    if (/-admin\.okta(preview|-emea)?\.com$/.test(hostname)) {
      return { fault: 'admin_address', suggestion: origin.replace('-admin.', '.') }
    }
    const issuer = `${origin}${/^\/oauth2\/(?!v1(?:\/|$))[^/]+/.exec(pathname)?.[0] ?? ''}`
    if (text === issuer) return undefined
    return { fault: text === `${issuer}/` ? 'trailing_slash' : 'extra_path', suggestion: issuer }
  },
  keycloak({ origin, pathname, hash }) {
    const [base, realm] = /^(.*?)\/(?:admin\/)?realms\/([^/]+)/.exec(pathname)?.slice(1) ?? []
    if (realm !== undefined) {
      const issuer = `${origin}${base}/realms/${realm}`
      return `${origin}${pathname}` === issuer ? undefined : { fault: 'extra_path', suggestion: issuer }
    }
    const [, consoleBase, ofConsole] = /^(.*?)\/admin\/([^/]+)\/console/.exec(pathname) ?? []
    const openRealm = /^#\/([^/]+)/.exec(hash)?.[1] ?? ofConsole
    if (openRealm === undefined) return { fault: 'realm_missing' }
    return { fault: 'admin_address', suggestion: `${origin}${consoleBase}/realms/${openRealm}` }
  },
  auth0({ hostname, origin, pathname }, text) {
    if (hostname === 'manage.auth0.com') return { fault: 'admin_address' }
    if (pathname !== '/') return { fault: 'extra_path', suggestion: `${origin}/` }
    return text.endsWith('/') ? undefined : { fault: 'slash_missing', suggestion: `${text}/` }
  },
  gitlab({ hostname, pathname, origin }, text) {
    if (hostname === 'gitlab.com' && pathname !== '/') return { fault: 'extra_path', suggestion: origin }
    return text.endsWith('/') ? { fault: 'trailing_slash', suggestion: text.replace(/\/+$/, '') } : undefined
  },
}

/** Consoles of providers: their pages are not metadata. */
const consoles =
  /^(admin\.google\.com|entra\.microsoft\.com|portal\.azure\.com|[\w-]+-admin\.okta(preview|-emea)?\.com|manage\.auth0\.com)$/

function metadataUrlFault(text: string, { ours }: Context): Pasted | undefined {
  if (text.startsWith('<')) return { fault: 'not_url' }
  if (/\s/.test(text)) return { fault: 'blanks', suggestion: text.replaceAll(/\s/g, '') }
  if (ours.includes(text)) return { fault: 'own_address' }
  if (!URL.canParse(text)) return { fault: 'not_url' }
  const { hostname, pathname } = new URL(text)
  if (consoles.test(hostname) || /\/admin\/[^/]+\/console/.test(pathname)) return { fault: 'web_page' }
  return undefined
}

function metadataFault(text: string): Pasted | undefined {
  if (/^https?:\/\//i.test(text)) return { fault: 'is_url' }
  if (/^<(!doctype html|html)\b/i.test(text)) return { fault: 'web_page' }
  if (!text.replace(/^\uFEFF/, '').startsWith('<')) return { fault: 'not_xml' }
  if (/SPSSODescriptor/.test(text) && !/IDPSSODescriptor/.test(text)) return { fault: 'own_metadata' }
  return undefined
}

function certificateFault(text: string): Pasted | undefined {
  if (/PRIVATE KEY-----/.test(text)) return { fault: 'private_key' }
  return /-----BEGIN CERTIFICATE-----/.test(text) ? undefined : { fault: 'not_pem' }
}

function githubUrlFault(text: string): Pasted | undefined {
  if (!URL.canParse(text)) return { fault: 'not_url' }
  const { origin, pathname } = new URL(text)
  return pathname === '/' ? undefined : { fault: 'github_path', suggestion: origin }
}

/** @param isTrusted whether the provider's word counts for addresses of the domain */
function domainFault(typed: string, isTrusted: boolean): Pasted | undefined {
  const entered = typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const corrected = typed
    .split(/[\s,;]+/)
    .map((part) =>
      part
        .replace(/^https?:\/\//i, '')
        .replace(/^.*@/, '')
        .replace(/\/+$/, ''),
    )
    .filter((part) => part !== '')
  if (entered.join('\n') !== corrected.join('\n') || corrected.some((line) => !domain.test(line))) {
    const isUsable = corrected.every((line) => domain.test(line))
    return { fault: 'not_domain', ...(isUsable && { suggestion: corrected.join('\n') }) }
  }
  const isPublic = isTrusted && corrected.some((line) => publicDomains.has(line.toLowerCase()))
  return isPublic ? { fault: 'public_domain' } : undefined
}
