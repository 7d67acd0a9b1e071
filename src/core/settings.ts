/** Every setting: its name, what it accepts, its default, and a reason to change it. */
import { isIP, isIPv4 } from 'node:net'
import { networkOf } from '../lib/address.ts'
import { type Mailbox, parseMailbox } from '../lib/mail-address.ts'
import { expectedUrl, type PostgresAddress, parsePostgresUrl } from '../lib/postgres-url.ts'
import { expectedSmtpUrl, parseSmtpUrl, type SmtpAddress } from '../lib/smtp-url.ts'
import { expectedPolicy, parseSecondFactor } from './second-factor.ts'
import { expectedIssuers, parseTrustedIssuers, type TrustedIssuer } from './trusted-issuers.ts'

type Reading<T> = { value: T } | { faults: string[] }

/** How a setting's text is read. Faults say what is expected and never what was given: it may be a misplaced secret. */
type Kind<T> = { expected: string; read: (text: string, earlier?: EarlierSettings) => Reading<T> }

/** The settings read so far: a setting may depend on an earlier one. Undefined where an earlier one was invalid. */
type EarlierSettings = Readonly<Record<string, unknown>>

export type Setting = {
  name: `ROLLBOOK_${string}`
  subject:
    | 'Network'
    | 'Access'
    | 'Sign-in'
    | 'Access tokens'
    | 'Storage'
    | 'Behaviour'
    | 'Limits'
    | 'Password hashing'
    | 'Webhooks'
    | 'Email'
    | 'Operation'
  kind: Kind<unknown>
  /** As written in the environment; undefined if the setting has no default. */
  default: string | undefined
  why: string
  /** Secrets may also come from the file that `<name>_FILE` points to. */
  secret?: true
}

export type Roles = Readonly<Record<string, readonly string[]>>

function kind<T>(expected: string, parse: (text: string) => T | undefined): Kind<T> {
  return {
    expected,
    read(text) {
      const value = parse(text)
      return value === undefined ? { faults: [`must be ${expected}`] } : { value }
    },
  }
}

function integer(minimum: number, maximum: number): Kind<number> {
  return kind(`a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1
    return value >= minimum && value <= maximum ? value : undefined
  })
}

function oneOf<const T extends string>(...words: T[]): Kind<T> {
  return kind(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text))
}

function line(maximum: number): Kind<string> {
  return kind(`one line of at most ${maximum} characters`, (text) =>
    text.length <= maximum && text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text) ? text : undefined,
  )
}

/** Webhook deliveries are retried and can be repeated for up to 30 days, so their events must be kept that long. */
const eventsDays = kind('0 or a whole number from 30 to 36500', (text) => {
  const value = /^(0|[1-9]\d{1,4})$/.test(text) ? Number(text) : -1
  return value === 0 || (value >= 30 && value <= 36_500) ? value : undefined
})

const isoDate = kind('a date such as 2026-11-22', (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined,
)

const switchedOn = kind('true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined))

const host = kind('a host name or an IP address, without port or brackets', (text) => {
  const named = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text) && URL.canParse(`http://${text}`)
  return named || isIP(text) > 0 ? text : undefined
})

const basePath = kind('a path such as /auth, of letters, digits and . _ ~ - (or / alone)', (text) => {
  const segments = text.replace(/\/$/, '').split('/').slice(1)
  const fits = segments.every((segment) => /^[A-Za-z0-9._~-]+$/.test(segment) && segment !== '.' && segment !== '..')
  return text.startsWith('/') && fits ? segments.map((segment) => `/${segment}`).join('') : undefined
})

const publicUrl = kind('an http:// or https:// URL without user, query or fragment', (text) => {
  // The URL parser forgives backslashes, missing slashes and line breaks, which are mistakes here.
  const fits = /^https?:\/\/[^\s\\/?#@]+(\/[^\s\\?#]*)?$/i.test(text)
  return fits && URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : undefined
})

const adminKey = kind('32 to 512 visible ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]{32,512}$/.test(text) ? text : undefined,
)

const databaseUrl: Kind<PostgresAddress> = {
  expected: expectedUrl,
  read(text) {
    const read = parsePostgresUrl(text)
    return 'faults' in read ? read : { value: read }
  },
}

const smtpUrl: Kind<SmtpAddress> = kind(expectedSmtpUrl, parseSmtpUrl)

const mailbox: Kind<Mailbox> = kind('an address such as Orchard <no-reply@orchard.example>', parseMailbox)

const languageTag = kind('a language such as en, de or pt-BR', (text) =>
  /^[a-z]{2,3}(?:-[A-Z][a-z]{3}|-[A-Z]{2})?$/.test(text) ? text : undefined,
)

const privateKeyPem = kind('a private key in PEM form', (text) =>
  /^-----BEGIN (?:RSA )?PRIVATE KEY-----\s[\s\S]+-----END (?:RSA )?PRIVATE KEY-----\s*$/.test(text) ? text : undefined,
)

const dnsLabel = kind('1 to 63 of a-z, 0-9 and -', (text) => (/^[a-z0-9-]{1,63}$/.test(text) ? text : undefined))

const schemaName = kind('1 to 48 of a-z, 0-9 and _, beginning with a letter, and not with pg_', (text) =>
  /^(?!pg_)[a-z][a-z0-9_]{0,47}$/.test(text) ? text : undefined,
)

function list<T>(expected: string, parse: (text: string) => T | undefined): Kind<readonly T[]> {
  return kind(`${expected}, separated by commas`, (text) => {
    const items = text.split(',').map((item) => parse(item.trim()))
    return items.includes(undefined) ? undefined : (items as T[])
  })
}

const network = (text: string): string | undefined => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return Number(bits ?? 0) <= widest ? text : undefined
}

/** An IPv4 address inside an IPv6 one (mapped, NAT64) is judged as IPv4, so such a network would have no effect. */
const callableNetwork = (text: string): string | undefined => {
  const [address = ''] = text.split('/', 1)
  return isIPv4(address) || !isIPv4(networkOf(address)) ? network(text) : undefined
}

/** RFC 6454 §6: scheme, host and port, as browsers write them. No other characters: it becomes part of headers. */
const origin = (text: string): string | undefined =>
  /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?\/?$/i.test(text) && URL.canParse(text)
    ? new URL(text).origin
    : undefined

const origins = list('origins such as https://app.example.com', origin)

/** WebAuthn §5.1.2: a domain, never an address. */
const domains = list('domains such as example.com', (text) =>
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text) &&
  !isIPv4(text)
    ? text
    : undefined,
)

const upstreamUrl = kind('an http:// or https:// URL without user, path, query or fragment', origin)

const longSecret = kind('32 to 512 visible ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]{32,512}$/.test(text) ? text : undefined,
)

const audience = kind('1 to 255 visible ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined,
)

const trustedIssuers: Kind<readonly TrustedIssuer[]> = {
  expected: expectedIssuers,
  read: (text, earlier) => parseTrustedIssuers(text, (earlier?.roles as Roles | undefined) ?? builtInRoles),
}

const secondFactor = kind(expectedPolicy, parseSecondFactor)

export const builtInRoles = { admin: ['*'], user: [] }

const roles: Kind<Roles> = {
  expected: 'a JSON object of role names, each with an array of permissions',
  read(text) {
    let given: unknown
    try {
      given = JSON.parse(text)
    } catch {
      // The parser's message quotes the text.
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return { faults: [`must be ${roles.expected}`] }
    }
    const faults = Object.entries(given).flatMap(([role, permissions], index) =>
      roleFaults(role, permissions, index + 1),
    )
    // Without a prototype: a user's role named "constructor" must find nothing but a role.
    return faults.length > 0 ? { faults } : { value: Object.assign(Object.create(null), builtInRoles, given) }
  },
}

function roleFaults(role: string, permissions: unknown, position: number): string[] {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(role)) {
    return [`has a role name at position ${position} that is not 1 to 64 of a-z, 0-9, _ and -, beginning with a letter`]
  }
  if (Object.hasOwn(builtInRoles, role)) return [`redefines the built-in role ${role}`]
  if (!Array.isArray(permissions)) return [`does not give the role ${role} an array of permissions`]
  return permissions.flatMap((permission, index) =>
    typeof permission === 'string' && /^(\*|[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*)$/.test(permission)
      ? []
      : [`gives the role ${role} as permission ${index + 1} neither * nor words such as users:read`],
  )
}

export const settings = {
  host: {
    name: 'ROLLBOOK_HOST',
    subject: 'Network',
    kind: host,
    default: '127.0.0.1',
    why:
      'Set it to make Rollbook reachable from other machines: `0.0.0.0` or `::` in a container, or one address behind a ' +
      'proxy.',
  },
  port: {
    name: 'ROLLBOOK_PORT',
    subject: 'Network',
    kind: integer(0, 65535),
    default: '8080',
    why:
      'Change it if the port is taken, or if several instances share a machine. With `0` the system chooses a free ' +
      'port.',
  },
  basePath: {
    name: 'ROLLBOOK_BASE_PATH',
    subject: 'Network',
    kind: basePath,
    default: '/auth',
    why: 'Change it if your product serves this API under another prefix. `/` serves it at the root.',
  },
  publicUrl: {
    name: 'ROLLBOOK_PUBLIC_URL',
    subject: 'Network',
    kind: publicUrl,
    default: undefined,
    why:
      'Set it if a proxy is in front: the address that clients use, including the public prefix. Links are built from ' +
      'it, never from the Host header. Not set: links begin with the base path.',
  },
  trustedProxies: {
    name: 'ROLLBOOK_TRUSTED_PROXIES',
    subject: 'Network',
    kind: list('addresses or networks such as 10.0.0.0/8', network),
    default: undefined,
    why:
      'Set it if a proxy is in front: the address or network of the proxy. `X-Forwarded-For` and similar headers are ' +
      'used only from there. Not set: they are never used, and all clients seem to come from the proxy.',
  },
  upstream: {
    name: 'ROLLBOOK_UPSTREAM',
    subject: 'Network',
    kind: upstreamUrl,
    default: undefined,
    why:
      'Set it if there is no proxy: Rollbook itself then serves the product, which listens at this address, under `/` ' +
      'to signed-in users.',
  },
  upstreamTimeoutSeconds: {
    name: 'ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS',
    subject: 'Network',
    kind: integer(1, 3600),
    default: '60',
    why: "Raise it if your product's slowest response takes longer to begin. After this time the response is 504.",
  },
  corsOrigins: {
    name: 'ROLLBOOK_CORS_ORIGINS',
    subject: 'Network',
    kind: origins,
    default: undefined,
    why:
      'Set it if pages of other origins call this API with a key or access token. Cookies are not accepted from them. ' +
      'Not set: no other origin is allowed.',
  },
  adminKey: {
    name: 'ROLLBOOK_ADMIN_KEY',
    subject: 'Access',
    kind: adminKey,
    default: undefined,
    secret: true,
    why:
      'Set it if your deployment supplies its own key with full access (a key that begins with `rb_` needs its ' +
      'checksum). Not set: the first start creates a key and stores it in `admin-key` in the data directory.',
  },
  apiKeyInQuery: {
    name: 'ROLLBOOK_API_KEY_IN_QUERY',
    subject: 'Access',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` only if a client can send its key only as `?API_KEY=`. URLs end up in logs and browser ' +
      'histories.',
  },
  roles: {
    name: 'ROLLBOOK_ROLES',
    subject: 'Access',
    kind: roles,
    default: '{}',
    why: 'Set it if your product needs roles between `admin` (all permissions) and `user` (none), which always exist.',
  },
  sessionSeconds: {
    name: 'ROLLBOOK_SESSION_SECONDS',
    subject: 'Sign-in',
    kind: integer(300, 31_536_000),
    default: '2592000',
    why: 'Lower it if users should sign in again sooner than after 30 days, even if they use the product all the time.',
  },
  sessionIdleSeconds: {
    name: 'ROLLBOOK_SESSION_IDLE_SECONDS',
    subject: 'Sign-in',
    kind: integer(300, 31_536_000),
    default: '604800',
    why: 'Change it if an unused session should end sooner or later than after 7 days.',
  },
  returnOrigins: {
    name: 'ROLLBOOK_RETURN_ORIGINS',
    subject: 'Sign-in',
    kind: origins,
    default: undefined,
    why:
      'Set it if the web UI has another origin than this API, so that users may be sent back there after signing in ' +
      '(`return_to`). Not set: only to the origin of this API.',
  },
  secondFactor: {
    name: 'ROLLBOOK_SECOND_FACTOR',
    subject: 'Sign-in',
    kind: secondFactor,
    default: 'optional',
    why:
      'Set it to `required` so that a stolen password is not enough, or by role and group: ' +
      '`{"admin":"required","group:Staff":"required"}`, with `*` for the other roles. Users without a factor add one at ' +
      'the next sign-in.',
  },
  secondFactorFrom: {
    name: 'ROLLBOOK_SECOND_FACTOR_FROM',
    subject: 'Sign-in',
    kind: isoDate,
    default: undefined,
    why:
      'Set it to give users time: until this date (UTC) users who must add a factor are reminded, and can still sign in ' +
      'without it. Not set: it is required at once.',
  },
  passkeyRpId: {
    name: 'ROLLBOOK_PASSKEY_RP_ID',
    subject: 'Sign-in',
    kind: domains,
    default: undefined,
    why:
      'The domain that passkeys belong to, which can be a parent of the host in `ROLLBOOK_PUBLIC_URL`. Passkeys work ' +
      'only there, so choose before the first user adds one. After a change list both, the one for new passkeys first. ' +
      'Not set: the host of `ROLLBOOK_PUBLIC_URL`, or `localhost`.',
  },
  passkeyOrigins: {
    name: 'ROLLBOOK_PASSKEY_ORIGINS',
    subject: 'Sign-in',
    kind: origins,
    default: undefined,
    why:
      'Set it if pages of other origins, such as https://orchard.example.net, may use the same passkeys. Browsers ask ' +
      '`/.well-known/webauthn` on the domain of the passkeys, which lists them besides `ROLLBOOK_PUBLIC_URL` ' +
      '(docs/second-factors.md).',
  },
  trustBrowserDays: {
    name: 'ROLLBOOK_TRUST_BROWSER_DAYS',
    subject: 'Sign-in',
    kind: integer(0, 90),
    default: '0',
    why:
      'Set it, for example to 30, so that users may choose not to be asked for their second factor in the same browser for ' +
      'so many days. The password is still asked for. `0`: always asked.',
  },
  rateLimit: {
    name: 'ROLLBOOK_RATE_LIMIT',
    subject: 'Limits',
    kind: integer(0, 10_000_000),
    default: '6000',
    why:
      'Requests per minute for each user (all sessions and access tokens together), each subject of a trusted issuer, ' +
      'and each network that calls without a valid credential. Each node counts separately. `0` means no limit.',
  },
  rateLimitApiKeys: {
    name: 'ROLLBOOK_RATE_LIMIT_API_KEYS',
    subject: 'Limits',
    kind: integer(0, 10_000_000),
    default: '0',
    why: 'Requests per minute for each API key. Set it so that one script cannot use all capacity. `0` means no limit.',
  },
  tokenAudience: {
    name: 'ROLLBOOK_TOKEN_AUDIENCE',
    subject: 'Access tokens',
    kind: audience,
    default: undefined,
    why: 'Set it if your main API expects another `aud` in access tokens. Not set: the origin of `ROLLBOOK_PUBLIC_URL`.',
  },
  tokenSeconds: {
    name: 'ROLLBOOK_TOKEN_SECONDS',
    subject: 'Access tokens',
    kind: integer(30, 300),
    default: '300',
    why:
      'Lower it if services verify tokens offline without the revocation feed and may accept a revoked token for less ' +
      'than 5 minutes.',
  },
  signingKeyDays: {
    name: 'ROLLBOOK_SIGNING_KEY_DAYS',
    subject: 'Access tokens',
    kind: integer(0, 3650),
    default: '90',
    why:
      'Change it if the key that signs access tokens should be replaced more or less often. `0`: only with `POST ' +
      '/signing-keys/rotate`.',
  },
  keyEncryptionSecret: {
    name: 'ROLLBOOK_KEY_ENCRYPTION_SECRET',
    subject: 'Access tokens',
    kind: longSecret,
    default: undefined,
    secret: true,
    why:
      'Set it so that a person who can read the database or a backup cannot sign tokens: it encrypts the private keys. ' +
      'Keep it safe: without it the store cannot be used any more.',
  },
  trustedIssuers: {
    name: 'ROLLBOOK_TRUSTED_ISSUERS',
    subject: 'Access tokens',
    kind: trustedIssuers,
    default: '[]',
    why: 'Set it if Rollbook should accept tokens of your main API or of an identity provider (docs/trusted-issuers.md).',
  },
  dataDir: {
    name: 'ROLLBOOK_DATA_DIR',
    subject: 'Storage',
    kind: line(4096),
    default: './data',
    why:
      'Change it to put the database on another disk or volume. A relative path starts at the directory in which the ' +
      'server is started.',
  },
  databaseUrl: {
    name: 'ROLLBOOK_DATABASE_URL',
    subject: 'Storage',
    kind: databaseUrl,
    default: undefined,
    secret: true,
    why:
      'Set it to store users in PostgreSQL, for several nodes: `postgres://user:password@host:5432/database`, with ' +
      'commas between several hosts. Not set: SQLite in the data directory.',
  },
  databaseSchema: {
    name: 'ROLLBOOK_DATABASE_SCHEMA',
    subject: 'Storage',
    kind: schemaName,
    default: 'rollbook',
    why:
      'Change it if two installations share a database, or if you are given a schema. The start creates the schema if ' +
      'it is allowed to.',
  },
  databasePoolSize: {
    name: 'ROLLBOOK_DATABASE_POOL_SIZE',
    subject: 'Storage',
    kind: integer(1, 1000),
    default: '10',
    why:
      'Raise it if changes wait for connections although the database has room; lower it if the database allows too ' +
      'few. This many connections are for changes. A node also opens up to four for quick reads, four for searches, one ' +
      'to listen on, and one for each streamed list (`ROLLBOOK_MAX_SNAPSHOTS`).',
  },
  productName: {
    name: 'ROLLBOOK_PRODUCT_NAME',
    subject: 'Behaviour',
    kind: line(64),
    default: 'Rollbook',
    why: 'Set it to the name of your product. Pages show it, and passwords made of it are refused.',
  },
  requireIfMatch: {
    name: 'ROLLBOOK_REQUIRE_IF_MATCH',
    subject: 'Behaviour',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` if clients must not overwrite changes they have not seen: changing an existing user without ' +
      'If-Match then returns 428.',
  },
  keyRotationOverlapSeconds: {
    name: 'ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS',
    subject: 'Behaviour',
    kind: integer(0, 2_592_000),
    default: '86400',
    why: 'Change it if clients need more or less than a day to switch to a rotated API key. `0` ends the old key at once.',
  },
  idempotencyHours: {
    name: 'ROLLBOOK_IDEMPOTENCY_HOURS',
    subject: 'Behaviour',
    kind: integer(1, 720),
    default: '24',
    why:
      'Raise it if clients repeat requests later than a day after the first attempt; lower it if the stored responses ' +
      'take too much space.',
  },
  confirmDate: {
    name: 'ROLLBOOK_CONFIRM_DATE',
    subject: 'Behaviour',
    kind: isoDate,
    default: undefined,
    why:
      "Set it to today's date, such as 2026-11-22, if the machine was off for more than an hour or its clock was wrong, " +
      'and old data should be deleted without waiting a day. It is valid on that day and the next.',
  },
  auditDays: {
    name: 'ROLLBOOK_AUDIT_DAYS',
    subject: 'Behaviour',
    kind: integer(0, 36_500),
    default: '400',
    why:
      'Change it if audit records must be kept for a longer or shorter time. They record who did what from which ' +
      'address. `0` keeps them forever.',
  },
  eventsDays: {
    name: 'ROLLBOOK_EVENTS_DAYS',
    subject: 'Behaviour',
    kind: eventsDays,
    default: '90',
    why:
      'Raise it if clients that follow the changes may stop for more than 90 days and still continue; lower it if the ' +
      'events take too much space. Older events are removed once later ones replace them. `0` keeps all of them ' +
      'forever.',
  },
  deletionGraceDays: {
    name: 'ROLLBOOK_DELETION_GRACE_DAYS',
    subject: 'Behaviour',
    kind: integer(0, 3650),
    default: '7',
    why:
      'For how many days deleted users can be restored before they are erased (docs/delete-and-erase.md). `0` erases ' +
      'them at once. A change does not affect users who are already deleted.',
  },
  bodyLimitBytes: {
    name: 'ROLLBOOK_BODY_LIMIT_BYTES',
    subject: 'Limits',
    kind: integer(4096, 10_485_760),
    default: '65536',
    why: 'Raise it if request bodies are larger. Each body is held in memory while it is read.',
  },
  requestTimeoutSeconds: {
    name: 'ROLLBOOK_REQUEST_TIMEOUT_SECONDS',
    subject: 'Limits',
    kind: integer(1, 3600),
    default: '30',
    why: 'Raise it if clients on slow connections need longer to send a whole request.',
  },
  headersTimeoutSeconds: {
    name: 'ROLLBOOK_HEADERS_TIMEOUT_SECONDS',
    subject: 'Limits',
    kind: integer(1, 300),
    default: '10',
    why: 'The same for the headers only. A silent client can hold a connection for this long.',
  },
  keepAliveSeconds: {
    name: 'ROLLBOOK_KEEP_ALIVE_SECONDS',
    subject: 'Limits',
    kind: integer(1, 3600),
    default: '72',
    why:
      'Keep it longer than the proxy in front keeps idle connections, or the proxy may use a connection that was just ' +
      'closed.',
  },
  maxConnections: {
    name: 'ROLLBOOK_MAX_CONNECTIONS',
    subject: 'Limits',
    kind: integer(1, 1_000_000),
    default: '10000',
    why: 'Lower it if the system allows the process fewer open files; raise it if the machine can serve more clients.',
  },
  writeQueue: {
    name: 'ROLLBOOK_WRITE_QUEUE',
    subject: 'Limits',
    kind: integer(1, 1_000_000),
    default: '2048',
    why: 'Raise it if bursts of writes get 503 although they could wait; lower it if writes wait too long on a slow disk.',
  },
  maxSnapshots: {
    name: 'ROLLBOOK_MAX_SNAPSHOTS',
    subject: 'Limits',
    kind: integer(1, 1024),
    default: '16',
    why:
      'Raise it if more clients stream the whole list at the same time. One credential can use at most half of them. ' +
      'Each holds a snapshot of the data.',
  },
  snapshotSeconds: {
    name: 'ROLLBOOK_SNAPSHOT_SECONDS',
    subject: 'Limits',
    kind: integer(1, 86_400),
    default: '600',
    why: 'Raise it if streaming a whole list takes longer. An old snapshot keeps the write-ahead log from being shortened.',
  },
  snapshotStallSeconds: {
    name: 'ROLLBOOK_SNAPSHOT_STALL_SECONDS',
    subject: 'Limits',
    kind: integer(1, 3600),
    default: '30',
    why:
      'Raise it if clients pause for longer while they read a streamed list, or read less than 8 kB/s, and should not ' +
      'be disconnected.',
  },
  hashConcurrency: {
    name: 'ROLLBOOK_HASH_CONCURRENCY',
    subject: 'Password hashing',
    kind: integer(0, 256),
    default: '0',
    why: 'Lower it if other work shares the machine. `0` means one per core; more does not help.',
  },
  hashQueue: {
    name: 'ROLLBOOK_HASH_QUEUE',
    subject: 'Password hashing',
    kind: integer(1, 100_000),
    default: '256',
    why: 'Raise it if bursts of new passwords should wait longer for a core; lower it if they should get 503 sooner.',
  },
  webhookAllowedNetworks: {
    name: 'ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS',
    subject: 'Webhooks',
    kind: list('addresses or networks such as 10.0.0.0/8, IPv4 networks not written as IPv6', callableNetwork),
    default: undefined,
    why:
      'Set it if receivers are in your own network. Everyone who may create endpoints can have requests sent there, so ' +
      'list only what they need. Not set: only public addresses are called.',
  },
  webhookAllowHttp: {
    name: 'ROLLBOOK_WEBHOOK_ALLOW_HTTP',
    subject: 'Webhooks',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` if a receiver in your own network has no certificate. Everyone on the network path can then ' +
      'read what is sent.',
  },
  idpAllowedNetworks: {
    name: 'ROLLBOOK_IDP_ALLOWED_NETWORKS',
    subject: 'Sign-in',
    kind: list('addresses or networks such as 10.0.0.0/8, IPv4 networks not written as IPv6', callableNetwork),
    default: undefined,
    why:
      'Set it if an identity provider of a sign-in connection is in your own network. Everyone who may create ' +
      'connections can have requests sent there, so list only what they need. Not set: only public addresses are called.',
  },
  webhookTimeoutSeconds: {
    name: 'ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS',
    subject: 'Webhooks',
    kind: integer(1, 60),
    default: '15',
    why: 'Raise it if receivers need longer to respond. It is better if they respond at once and do the work afterwards.',
  },
  smtpUrl: {
    name: 'ROLLBOOK_SMTP_URL',
    subject: 'Email',
    kind: smtpUrl,
    default: undefined,
    secret: true,
    why:
      'Set it to send email: `smtp://user:password@host:587` (with STARTTLS) or `smtps://user:password@host:465`. Needs ' +
      '`ROLLBOOK_MAIL_FROM` and `ROLLBOOK_PUBLIC_URL`. Not set: administrators hand links over (docs/email.md).',
  },
  mailFrom: {
    name: 'ROLLBOOK_MAIL_FROM',
    subject: 'Email',
    kind: mailbox,
    default: undefined,
    why: 'Set it to the sender of messages, such as `Orchard <no-reply@orchard.example>`.',
  },
  mailLocale: {
    name: 'ROLLBOOK_MAIL_LOCALE',
    subject: 'Email',
    kind: languageTag,
    default: 'en',
    why: 'Change it if messages to users without a `locale` should be in another language. Built in: `en`, `de`, `ar`.',
  },
  mailTemplates: {
    name: 'ROLLBOOK_MAIL_TEMPLATES',
    subject: 'Email',
    kind: line(4096),
    default: undefined,
    why: 'Set it to a directory with templates that replace the built-in ones or add languages (docs/email.md).',
  },
  mailDkimKey: {
    name: 'ROLLBOOK_MAIL_DKIM_KEY',
    subject: 'Email',
    kind: privateKeyPem,
    default: undefined,
    secret: true,
    why: 'Set it if your mail server does not sign messages itself: the private key for DKIM (RFC 6376).',
  },
  mailDkimSelector: {
    name: 'ROLLBOOK_MAIL_DKIM_SELECTOR',
    subject: 'Email',
    kind: dnsLabel,
    default: undefined,
    why: 'Set it with `ROLLBOOK_MAIL_DKIM_KEY`: the public key is published under this name below `_domainkey`.',
  },
  logLevel: {
    name: 'ROLLBOOK_LOG_LEVEL',
    subject: 'Operation',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    why: '`debug` logs more details, `warn` only what needs attention. `info` logs a line for each request.',
  },
  metricsPort: {
    name: 'ROLLBOOK_METRICS_PORT',
    subject: 'Operation',
    kind: integer(0, 65535),
    default: undefined,
    why:
      'Set it if Prometheus should not need a key: `/metrics` is then also served on this port, to everyone who can ' +
      'reach it. With `0` the system chooses a free port. Not set: only below the base path, with the permission ' +
      '`metrics:read`.',
  },
  metricsHost: {
    name: 'ROLLBOOK_METRICS_HOST',
    subject: 'Operation',
    kind: host,
    default: '127.0.0.1',
    why:
      'Set it if Prometheus runs on another machine: the address on which `ROLLBOOK_METRICS_PORT` listens, in your own ' +
      'network.',
  },
  leaveSeconds: {
    name: 'ROLLBOOK_LEAVE_SECONDS',
    subject: 'Operation',
    kind: integer(0, 300),
    default: '0',
    why:
      'Set it if a load balancer in front checks `health/ready`. For this long after SIGTERM, `health/ready` returns ' +
      '503 while requests are still served, so that the load balancer stops sending requests in time. Choose a little ' +
      'more than it needs to notice.',
  },
  shutdownSeconds: {
    name: 'ROLLBOOK_SHUTDOWN_SECONDS',
    subject: 'Operation',
    kind: integer(1, 600),
    default: '10',
    why:
      'Raise it if running requests need longer to finish after SIGTERM. Keep it below the time that your platform ' +
      'waits before it kills the process.',
  },
  configFile: {
    name: 'ROLLBOOK_CONFIG_FILE',
    subject: 'Operation',
    kind: line(4096),
    default: undefined,
    why: 'Set it to keep settings in a file of `NAME=value` lines. It can be set only in the environment.',
  },
} as const satisfies Record<string, Setting>

type ValueOf<S extends Setting> =
  S['kind'] extends Kind<infer T> ? (S['default'] extends string ? T : T | undefined) : never

export type Config = { readonly [Member in keyof typeof settings]: ValueOf<(typeof settings)[Member]> }
