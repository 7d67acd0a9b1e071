/** The URL of a PostgreSQL database, in libpq's form (https://www.postgresql.org/docs/current/libpq-connect.html). */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'

export type PostgresAddress = {
  /** One server, or several of which one is the primary. A host that starts with `/` is the folder of a Unix socket. */
  hosts: readonly { host: string; port: number }[]
  user: string
  password: string | undefined
  database: string
  sslmode: SslMode
  /** Paths of PEM files: the authorities to trust, and our own certificate. */
  sslrootcert: string | undefined
  sslcert: string | undefined
  sslkey: string | undefined
}

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof sslModes)[number]

const known = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'host',
  'port',
  'target_session_attrs',
  'application_name',
]

/**
 * Reads `postgres://user:password@host:5432,host:5432/database?sslmode=verify-full`. Returns the address, or the fault
 * without quoting the URL, which holds a password.
 */
export function parsePostgresUrl(text: string): PostgresAddress | { faults: string[] } {
  const form = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/i
  const match = form.exec(text)
  if (match === null) return { faults: [`must be ${expectedUrl}`] }
  const [, user = '', password, places = '', database = '', query = ''] = match
  const parameters = new URLSearchParams(query)
  const faults: string[] = []
  const decode = (part: string, what: string): string => {
    try {
      const decoded = decodeURIComponent(part)
      if (!decoded.includes('\0')) return decoded
    } catch {
      // Reported below: a percent sign that begins no escape.
    }
    faults.push(`has a ${what} that is not percent-encoded`)
    return ''
  }
  for (const name of parameters.keys()) {
    if (!known.includes(name)) faults.push(`has an unknown parameter; known parameters are ${known.join(', ')}`)
  }
  const sslmode = parameters.get('sslmode') ?? 'disable'
  if (!isSslMode(sslmode)) faults.push(`has an sslmode that is not one of ${sslModes.join(', ')}`)
  const address: PostgresAddress = {
    hosts: (parameters.get('host') ?? decode(places, 'host')).split(',').map((place) => {
      const found = readPlace(place, parameters.get('port') ?? '5432')
      if (found === undefined) faults.push('has an invalid host or port')
      return found ?? { host: '', port: 0 }
    }),
    user: decode(user, 'user'),
    password: password === undefined ? undefined : decode(password, 'password'),
    database: decode(database, 'database') || decode(user, 'user'),
    sslmode: sslmode as SslMode,
    sslrootcert: parameters.get('sslrootcert') ?? undefined,
    sslcert: parameters.get('sslcert') ?? undefined,
    sslkey: parameters.get('sslkey') ?? undefined,
  }
  if (user === '') faults.push('has no user')
  return faults.length > 0 ? { faults: [...new Set(faults)] } : address
}

export const expectedUrl = 'a URL such as postgres://user:password@host:5432/database'

function isSslMode(text: string): text is SslMode {
  return (sslModes as readonly string[]).includes(text)
}

function readPlace(place: string, defaultPort: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(place)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3] ?? defaultPort)
  if (host === undefined || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const fits = match?.[1] === undefined ? host.startsWith('/') || /^[\w.-]+$/.test(host) : isIP(host) === 6
  return fits ? { host, port } : undefined
}

/** How a connection is encrypted. As with libpq, `require` checks no certificate unless a root certificate is given. */
export function tlsOptions(address: PostgresAddress, host: string): false | ConnectionOptions {
  if (address.sslmode === 'disable' || host.startsWith('/')) return false
  const { sslrootcert, sslcert, sslkey } = address
  return {
    rejectUnauthorized: address.sslmode !== 'require' || sslrootcert !== undefined,
    ...(isIP(host) === 0 && { servername: host }),
    ...(address.sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(sslrootcert && { ca: readFileSync(sslrootcert, 'utf8') }),
    ...(sslcert && { cert: readFileSync(sslcert, 'utf8') }),
    ...(sslkey && { key: readFileSync(sslkey, 'utf8') }),
  }
}

/** Where the database is, for messages: without user and password. */
export function placeOf({ hosts, database }: PostgresAddress): string {
  return `${database} on ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`
}
