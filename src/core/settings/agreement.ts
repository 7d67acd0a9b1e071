/** What no setting says by itself: which settings need or exclude each other, and which are valid together but rarely intended. */
import { isIP } from 'node:net'
import { meantPermission } from '../permissions.ts'
import { type Config, settings } from './settings.ts'

type ReadFile = (path: string) => string

/** Settings that were invalid by themselves are undefined. */
type Settled = Readonly<Partial<Config>>

const nameOf = (member: keyof Config): string => settings[member].name

/** Returns the faults with which the service does not start. None shows a value. */
export function disagreements(config: Settled, readFile: ReadFile): string[] {
  const faults: string[] = []
  const { trustedIssuers = [], publicUrl } = config
  // Node refuses to create a server if the first is greater than the second.
  if (Number(config.headersTimeoutSeconds) > Number(config.requestTimeoutSeconds)) {
    faults.push(`${nameOf('headersTimeoutSeconds')} must not exceed ${nameOf('requestTimeoutSeconds')}.`)
  }
  if (config.keyEncryptionSecretPrevious !== undefined && config.keyEncryptionSecret === undefined) {
    faults.push(`${nameOf('keyEncryptionSecretPrevious')} needs ${nameOf('keyEncryptionSecret')}.`)
  }
  // Otherwise its tokens would be verified as our own.
  if (trustedIssuers.some(({ issuer }) => issuer === publicUrl)) {
    faults.push(`${nameOf('trustedIssuers')} names this service itself (${nameOf('publicUrl')}).`)
  }
  if (config.upstream !== undefined && config.basePath === '') {
    faults.push(`With ${nameOf('upstream')} the product is served at /, so ${nameOf('basePath')} must be another path.`)
  }
  return [...faults, ...mailFaults(config), ...passkeyFaults(config), ...certificateFaults(config, readFile)]
}

/** Links in messages are built from the public URL only: a Host header can be chosen by anyone. */
function mailFaults(config: Settled): string[] {
  const missing = [
    ...(config.mailFrom === undefined ? [`${nameOf('mailFrom')}, the sender of messages`] : []),
    ...(config.publicUrl === undefined ? [`${nameOf('publicUrl')}, from which links in messages are built`] : []),
  ]
  const isLame = (config.mailDkimKey === undefined) !== (config.mailDkimSelector === undefined)
  const isCodeLame = config.emailCode === 'on' && config.smtpUrl === undefined
  return [
    ...(isCodeLame ? [`${nameOf('emailCode')} needs ${nameOf('smtpUrl')}, through which the codes are sent.`] : []),
    ...(config.smtpUrl === undefined ? [] : missing.map((one) => `${nameOf('smtpUrl')} also needs ${one}.`)),
    ...(isLame ? [`${nameOf('mailDkimKey')} and ${nameOf('mailDkimSelector')} need each other.`] : []),
  ]
}

/**
 * Whether browsers let the pages of the public URL create passkeys for the first domain: it must be their host or above it, and not a
 * top-level domain (WebAuthn §5.1.3), or list them as a related origin (§5.11). A page at an IP address can have none.
 */
function passkeyFaults({ publicUrl, passkeyRpId, passkeyOrigins = [] }: Settled): string[] {
  const [domain] = passkeyRpId ?? []
  if (publicUrl === undefined || domain === undefined) return []
  const { hostname, origin } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0) {
    return [
      `${nameOf('passkeyRpId')} has no effect: ${nameOf('publicUrl')} has an IP address, where passkeys are not possible.`,
    ]
  }
  const isAbove = hostname.endsWith(`.${domain}`) && domain.includes('.')
  if (hostname === domain || isAbove || passkeyOrigins.includes(origin)) return []
  return [
    `${nameOf('passkeyRpId')} begins with a domain whose passkeys browsers refuse on the pages of ${nameOf('publicUrl')}: it must be ` +
      `their host or a domain above it. If it is to be another domain that reaches this service, name the origin of ` +
      `${nameOf('publicUrl')} in ${nameOf('passkeyOrigins')} too (docs/second-factors.md).`,
  ]
}

const certificateFiles = ['sslrootcert', 'sslcert', 'sslkey'] as const

function certificateFaults({ databaseUrl }: Settled, readFile: ReadFile): string[] {
  if (databaseUrl === undefined || databaseUrl.sslmode === 'disable') return []
  return certificateFiles.flatMap((parameter) => {
    const path = databaseUrl[parameter]
    if (path === undefined) return []
    const fault = unreadable(path, readFile)
    return fault === undefined ? [] : [`${nameOf('databaseUrl')} names in ${parameter} a file that ${fault}.`]
  })
}

function unreadable(path: string, readFile: ReadFile): string | undefined {
  try {
    return readFile(path).includes('-----BEGIN ') ? undefined : 'is not in PEM form'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    return `cannot be read${code}`
  }
}

/** Returns what is valid, but usually a mistake: the start logs it, and the doctor warns. */
export function oddities(config: Config): string[] {
  const { databaseUrl, publicUrl, basePath, sessionIdleSeconds, sessionSeconds } = config
  const found: string[] = []
  if (publicUrl === undefined) {
    if (databaseUrl !== undefined) {
      found.push(`without ${nameOf('publicUrl')}, other nodes refuse the access tokens of this node`)
    }
  } else if (!new URL(publicUrl).pathname.endsWith(basePath)) {
    found.push(`${nameOf('publicUrl')} does not end in ${basePath}: links work only if a proxy adds it`)
  }
  if (config.accessRequests === 'on' && config.smtpUrl === undefined) {
    found.push(`${nameOf('accessRequests')} needs ${nameOf('smtpUrl')}: without it no address can be confirmed`)
  }
  for (const [role, permissions] of Object.entries(config.roles)) {
    for (const [index, permission] of permissions.entries()) {
      const meant = meantPermission(permission)
      if (meant === undefined) continue
      found.push(
        `${nameOf('roles')} gives the role ${role} as permission ${index + 1} a word that does not exist; was ${meant} meant?`,
      )
    }
  }
  // The default may be longer: it was not chosen.
  if (sessionIdleSeconds > sessionSeconds && String(sessionIdleSeconds) !== settings.sessionIdleSeconds.default) {
    found.push(
      `${nameOf('sessionIdleSeconds')} has no effect: a session ends after ${nameOf('sessionSeconds')}, which is less`,
    )
  }
  if (
    databaseUrl?.sslmode === 'disable' &&
    certificateFiles.some((parameter) => databaseUrl[parameter] !== undefined)
  ) {
    found.push(`${nameOf('databaseUrl')} names certificates but no sslmode, so the connection is not encrypted`)
  }
  return found
}
