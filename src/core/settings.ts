/** Every setting there is: its name, what it accepts, its default, and why one would choose another. */
import { isIP, isIPv4 } from 'node:net'
import { networkOf } from '../lib/address.ts'
import { expectedUrl, type PostgresAddress, parsePostgresUrl } from '../lib/postgres-url.ts'
import { expectedIssuers, parseTrustedIssuers, type TrustedIssuer } from './trusted-issuers.ts'

type Reading<T> = { value: T } | { faults: string[] }

/** How a setting's text is read. Faults say what is expected and never what was given: it may be a misplaced secret. */
type Kind<T> = { expected: string; read: (text: string, earlier?: EarlierSettings) => Reading<T> }

/** What was read before: a setting may depend on one that stands above it. Undefined where that had a fault. */
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
    | 'Operation'
  kind: Kind<unknown>
  /** As one would write it in the environment; undefined when nothing stands in for a value that is not given. */
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

/** Webhooks are delivered, and repeated, for up to 30 days: what they tell must still be there. */
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
  // The URL parser forgives backslashes, missing slashes and line breaks; somebody who wrote one meant something else.
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

/** Where IPv6 carries an IPv4 address (mapped, NAT64), that one is judged: such a network would allow nothing. */
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
    return [`has at position ${position} a role name that is not 1 to 64 of a-z, 0-9, _ and -, beginning with a letter`]
  }
  if (Object.hasOwn(builtInRoles, role)) return [`redefines the built-in role ${role}`]
  if (!Array.isArray(permissions)) return [`gives the role ${role} something else than an array of permissions`]
  return permissions.flatMap((permission, index) =>
    typeof permission === 'string' && /^(\*|[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*)$/.test(permission)
      ? []
      : [`gives the role ${role} as permission ${index + 1} something else than * or words such as users:read`],
  )
}

export const settings = {
  host: {
    name: 'ROLLBOOK_HOST',
    subject: 'Network',
    kind: host,
    default: '127.0.0.1',
    why: 'Listen beyond this machine: `0.0.0.0` or `::` in a container, or one address behind a proxy.',
  },
  port: {
    name: 'ROLLBOOK_PORT',
    subject: 'Network',
    kind: integer(0, 65535),
    default: '8080',
    why: 'The port is taken, or several instances share a machine. `0` lets the system pick a free one.',
  },
  basePath: {
    name: 'ROLLBOOK_BASE_PATH',
    subject: 'Network',
    kind: basePath,
    default: '/auth',
    why: 'The product serves this API under another prefix. `/` serves it at the root.',
  },
  publicUrl: {
    name: 'ROLLBOOK_PUBLIC_URL',
    subject: 'Network',
    kind: publicUrl,
    default: undefined,
    why:
      'A proxy stands in front: the address clients use, public prefix included. Links are built from it, never from ' +
      'the Host header. Not given: they begin with the base path.',
  },
  trustedProxies: {
    name: 'ROLLBOOK_TRUSTED_PROXIES',
    subject: 'Network',
    kind: list('addresses or networks such as 10.0.0.0/8', network),
    default: undefined,
    why:
      'A proxy stands in front: its address, or network. Only from there `X-Forwarded-For` and its like are believed. Not ' +
      'given: from nobody, and everybody seems to come from the proxy.',
  },
  upstream: {
    name: 'ROLLBOOK_UPSTREAM',
    subject: 'Network',
    kind: upstreamUrl,
    default: undefined,
    why:
      'There is no proxy: Rollbook itself serves the product, which listens at this address, under `/`, to people who are ' +
      'signed in.',
  },
  upstreamTimeoutSeconds: {
    name: 'ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS',
    subject: 'Network',
    kind: integer(1, 3600),
    default: '60',
    why: "The product's slowest answer takes longer to begin; it is answered 504 then.",
  },
  corsOrigins: {
    name: 'ROLLBOOK_CORS_ORIGINS',
    subject: 'Network',
    kind: origins,
    default: undefined,
    why: 'Pages of other origins call this API with a key or access token. Cookies are not accepted from them. Not given: none may.',
  },
  adminKey: {
    name: 'ROLLBOOK_ADMIN_KEY',
    subject: 'Access',
    kind: adminKey,
    default: undefined,
    secret: true,
    why:
      'The deployment brings its own key with full access (one that begins with `rb_` needs its checksum). Not given: ' +
      'the first start makes one and keeps it in `admin-key` in the data directory.',
  },
  apiKeyInQuery: {
    name: 'ROLLBOOK_API_KEY_IN_QUERY',
    subject: 'Access',
    kind: switchedOn,
    default: 'false',
    why: 'A client can send its key only as `?API_KEY=`. Addresses end up in logs and histories, so it is off.',
  },
  roles: {
    name: 'ROLLBOOK_ROLES',
    subject: 'Access',
    kind: roles,
    default: '{}',
    why: 'The product needs roles between `admin` (everything) and `user` (nothing), which are always there.',
  },
  sessionSeconds: {
    name: 'ROLLBOOK_SESSION_SECONDS',
    subject: 'Sign-in',
    kind: integer(300, 31_536_000),
    default: '2592000',
    why: 'People should sign in again sooner than after 30 days, however much they use the product.',
  },
  sessionIdleSeconds: {
    name: 'ROLLBOOK_SESSION_IDLE_SECONDS',
    subject: 'Sign-in',
    kind: integer(300, 31_536_000),
    default: '604800',
    why: 'A session that nobody uses should end sooner than after 7 days, or not so soon.',
  },
  returnOrigins: {
    name: 'ROLLBOOK_RETURN_ORIGINS',
    subject: 'Sign-in',
    kind: origins,
    default: undefined,
    why: 'The web UI has another origin than this API: people may be sent back there after signing in (`return_to`). Not given: only to our own.',
  },
  rateLimit: {
    name: 'ROLLBOOK_RATE_LIMIT',
    subject: 'Limits',
    kind: integer(0, 10_000_000),
    default: '6000',
    why:
      'Requests a minute, for each user (all sessions and access tokens together), each subject of a trusted issuer, and ' +
      'each network that calls without a valid credential. ' +
      'Counted by each node for itself. `0` sets no limit.',
  },
  rateLimitApiKeys: {
    name: 'ROLLBOOK_RATE_LIMIT_API_KEYS',
    subject: 'Limits',
    kind: integer(0, 10_000_000),
    default: '0',
    why: 'One script must not take all: requests a minute for each API key. `0` sets no limit.',
  },
  tokenAudience: {
    name: 'ROLLBOOK_TOKEN_AUDIENCE',
    subject: 'Access tokens',
    kind: audience,
    default: undefined,
    why: 'The main API expects another `aud` in access tokens. Not given: the origin of `ROLLBOOK_PUBLIC_URL`.',
  },
  tokenSeconds: {
    name: 'ROLLBOOK_TOKEN_SECONDS',
    subject: 'Access tokens',
    kind: integer(30, 300),
    default: '300',
    why: 'Whoever verifies tokens offline without the revocation feed should be wrong for less than 5 minutes.',
  },
  signingKeyDays: {
    name: 'ROLLBOOK_SIGNING_KEY_DAYS',
    subject: 'Access tokens',
    kind: integer(0, 3650),
    default: '90',
    why: 'The key that signs access tokens should be replaced more or less often. `0`: by `POST /signing-keys/rotate` only.',
  },
  keyEncryptionSecret: {
    name: 'ROLLBOOK_KEY_ENCRYPTION_SECRET',
    subject: 'Access tokens',
    kind: longSecret,
    default: undefined,
    secret: true,
    why:
      'Whoever reads the database, or a backup of it, must not be able to sign tokens: private keys are encrypted with ' +
      'this. Keep it: without it the store is of no use any more.',
  },
  trustedIssuers: {
    name: 'ROLLBOOK_TRUSTED_ISSUERS',
    subject: 'Access tokens',
    kind: trustedIssuers,
    default: '[]',
    why: 'Tokens of the main API or an identity provider should be accepted here (docs/tokens.md).',
  },
  dataDir: {
    name: 'ROLLBOOK_DATA_DIR',
    subject: 'Storage',
    kind: line(4096),
    default: './data',
    why: 'The database belongs on another disk or volume. Relative to the directory the server is started in.',
  },
  databaseUrl: {
    name: 'ROLLBOOK_DATABASE_URL',
    subject: 'Storage',
    kind: databaseUrl,
    default: undefined,
    secret: true,
    why:
      'Users are kept in PostgreSQL, for several nodes: `postgres://user:password@host:5432/database`, with several ' +
      'hosts by commas. Not given: SQLite in the data directory.',
  },
  databaseSchema: {
    name: 'ROLLBOOK_DATABASE_SCHEMA',
    subject: 'Storage',
    kind: schemaName,
    default: 'rollbook',
    why: 'Two Rollbooks share a database, or the schema is given. It is made at the start where that is allowed.',
  },
  databasePoolSize: {
    name: 'ROLLBOOK_DATABASE_POOL_SIZE',
    subject: 'Storage',
    kind: integer(1, 1000),
    default: '10',
    why:
      'Changes wait for connections though the database has room (raise), or it allows too few (lower). A node opens so ' +
      'many for changes; and up to four for quick reads, four for searches, one to listen on, and one for each streamed ' +
      'list (`ROLLBOOK_MAX_SNAPSHOTS`).',
  },
  productName: {
    name: 'ROLLBOOK_PRODUCT_NAME',
    subject: 'Behaviour',
    kind: line(64),
    default: 'Rollbook',
    why: 'The product has a name of its own: it is shown on pages, and no password may consist of it.',
  },
  requireIfMatch: {
    name: 'ROLLBOOK_REQUIRE_IF_MATCH',
    subject: 'Behaviour',
    kind: switchedOn,
    default: 'false',
    why: 'No client may overwrite a change it has not seen: writing an existing user without If-Match answers 428.',
  },
  keyRotationOverlapSeconds: {
    name: 'ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS',
    subject: 'Behaviour',
    kind: integer(0, 2_592_000),
    default: '86400',
    why: 'Clients take more or less than a day to pick up a rotated API key. `0` ends the old key at once.',
  },
  idempotencyHours: {
    name: 'ROLLBOOK_IDEMPOTENCY_HOURS',
    subject: 'Behaviour',
    kind: integer(1, 720),
    default: '24',
    why: 'Clients repeat a request later than a day after the first try, or the kept answers take too much space.',
  },
  confirmDate: {
    name: 'ROLLBOOK_CONFIRM_DATE',
    subject: 'Behaviour',
    kind: isoDate,
    default: undefined,
    why:
      'The machine was off for more than an hour, or its clock was wrong, and what is old shall be deleted without waiting a day: ' +
      'the right date, such as 2026-11-22. It counts on that day and the next.',
  },
  auditDays: {
    name: 'ROLLBOOK_AUDIT_DAYS',
    subject: 'Behaviour',
    kind: integer(0, 36_500),
    default: '400',
    why:
      'Audit records have to be kept longer, or may not be kept as long: they say who did what from which address. ' +
      '`0` keeps them for ever.',
  },
  eventsDays: {
    name: 'ROLLBOOK_EVENTS_DAYS',
    subject: 'Behaviour',
    kind: eventsDays,
    default: '90',
    why:
      'Whoever follows the changes may stop for more than 90 days and still go on, or the events take too much space. ' +
      'Older ones are left out when later ones say more. `0` keeps each for ever.',
  },
  deletionGraceDays: {
    name: 'ROLLBOOK_DELETION_GRACE_DAYS',
    subject: 'Behaviour',
    kind: integer(0, 3650),
    default: '7',
    why:
      'Deleted users can be restored for so many days, and are erased then (docs/delete-and-erase.md). `0` erases them ' +
      'at once. Users who are deleted already keep their day.',
  },
  bodyLimitBytes: {
    name: 'ROLLBOOK_BODY_LIMIT_BYTES',
    subject: 'Limits',
    kind: integer(4096, 10_485_760),
    default: '65536',
    why: 'Bodies are larger than any user should be. Each one is held in memory while it is read.',
  },
  requestTimeoutSeconds: {
    name: 'ROLLBOOK_REQUEST_TIMEOUT_SECONDS',
    subject: 'Limits',
    kind: integer(1, 3600),
    default: '30',
    why: 'Clients on slow lines need longer to send a whole request.',
  },
  headersTimeoutSeconds: {
    name: 'ROLLBOOK_HEADERS_TIMEOUT_SECONDS',
    subject: 'Limits',
    kind: integer(1, 300),
    default: '10',
    why: 'As above, for the headers alone: this is how long a silent client may hold a connection.',
  },
  keepAliveSeconds: {
    name: 'ROLLBOOK_KEEP_ALIVE_SECONDS',
    subject: 'Limits',
    kind: integer(1, 3600),
    default: '72',
    why: 'Keep it longer than the proxy in front keeps idle connections, or it meets one that has just been closed.',
  },
  maxConnections: {
    name: 'ROLLBOOK_MAX_CONNECTIONS',
    subject: 'Limits',
    kind: integer(1, 1_000_000),
    default: '10000',
    why: 'The system allows the process fewer open files, or the machine carries more clients.',
  },
  writeQueue: {
    name: 'ROLLBOOK_WRITE_QUEUE',
    subject: 'Limits',
    kind: integer(1, 1_000_000),
    default: '2048',
    why: 'Bursts of writes are answered 503 though waiting would do (raise), or wait too long on a slow disk (lower).',
  },
  maxSnapshots: {
    name: 'ROLLBOOK_MAX_SNAPSHOTS',
    subject: 'Limits',
    kind: integer(1, 1024),
    default: '16',
    why: 'More clients stream the whole list at once, half of them at most with one credential. Each holds a view of the data.',
  },
  snapshotSeconds: {
    name: 'ROLLBOOK_SNAPSHOT_SECONDS',
    subject: 'Limits',
    kind: integer(1, 86_400),
    default: '600',
    why: 'A whole list takes longer than this to stream. An old view keeps the write-ahead log from being shortened.',
  },
  snapshotStallSeconds: {
    name: 'ROLLBOOK_SNAPSHOT_STALL_SECONDS',
    subject: 'Limits',
    kind: integer(1, 3600),
    default: '30',
    why: 'Readers of a streamed list pause for longer, or take less than 8 kB/s, and should not be dropped for it.',
  },
  hashConcurrency: {
    name: 'ROLLBOOK_HASH_CONCURRENCY',
    subject: 'Password hashing',
    kind: integer(0, 256),
    default: '0',
    why: 'Other work shares the machine (lower). `0` means as many at once as there are cores; more gains nothing.',
  },
  hashQueue: {
    name: 'ROLLBOOK_HASH_QUEUE',
    subject: 'Password hashing',
    kind: integer(1, 100_000),
    default: '256',
    why: 'Bursts of new passwords should wait longer for a core (raise) or hear 503 sooner (lower).',
  },
  webhookAllowedNetworks: {
    name: 'ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS',
    subject: 'Webhooks',
    kind: list('addresses or networks such as 10.0.0.0/8, those of IPv4 not as IPv6', callableNetwork),
    default: undefined,
    why:
      'Receivers stand in your own network. Everybody who may make endpoints can have requests sent there, so name no ' +
      'more than they need. Not given: only public addresses are called.',
  },
  webhookAllowHttp: {
    name: 'ROLLBOOK_WEBHOOK_ALLOW_HTTP',
    subject: 'Webhooks',
    kind: switchedOn,
    default: 'false',
    why: 'A receiver in your own network has no certificate. Everybody on the way can read what is sent by plain http.',
  },
  webhookTimeoutSeconds: {
    name: 'ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS',
    subject: 'Webhooks',
    kind: integer(1, 60),
    default: '15',
    why: 'Receivers need longer for an answer; better they answer at once and work afterwards.',
  },
  logLevel: {
    name: 'ROLLBOOK_LOG_LEVEL',
    subject: 'Operation',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    why: 'Look closer with `debug`, or log only what needs attention with `warn`. `info` has a line for each request.',
  },
  metricsPort: {
    name: 'ROLLBOOK_METRICS_PORT',
    subject: 'Operation',
    kind: integer(0, 65535),
    default: undefined,
    why:
      'Prometheus should need no key: `/metrics` is then also served on this port, to everybody who reaches it. `0` lets ' +
      'the system pick a free one. Not given: only below the base path, with the permission `metrics:read`.',
  },
  metricsHost: {
    name: 'ROLLBOOK_METRICS_HOST',
    subject: 'Operation',
    kind: host,
    default: '127.0.0.1',
    why: 'Prometheus runs on another machine: the address that `ROLLBOOK_METRICS_PORT` is opened at, in a network of your own.',
  },
  leaveSeconds: {
    name: 'ROLLBOOK_LEAVE_SECONDS',
    subject: 'Operation',
    kind: integer(0, 300),
    default: '0',
    why:
      'A load balancer in front looks at `health/ready` now and then: after SIGTERM that is 503 for so long while ' +
      'requests are still served, so that nobody is sent to a closed door. Take a little more than it needs to notice.',
  },
  shutdownSeconds: {
    name: 'ROLLBOOK_SHUTDOWN_SECONDS',
    subject: 'Operation',
    kind: integer(1, 600),
    default: '10',
    why: 'Running requests need longer to finish after SIGTERM. Keep it below the time your platform waits before it kills.',
  },
  configFile: {
    name: 'ROLLBOOK_CONFIG_FILE',
    subject: 'Operation',
    kind: line(4096),
    default: undefined,
    why: 'Settings are easier kept in a file of `NAME=value` lines. Given in the environment only.',
  },
} as const satisfies Record<string, Setting>

type ValueOf<S extends Setting> =
  S['kind'] extends Kind<infer T> ? (S['default'] extends string ? T : T | undefined) : never

export type Config = { readonly [Member in keyof typeof settings]: ValueOf<(typeof settings)[Member]> }
