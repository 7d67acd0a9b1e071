/** Every setting there is: its name, what it accepts, its default, and why one would choose another. */
import { isIP } from 'node:net'
import { expectedUrl, type PostgresAddress, parsePostgresUrl } from './db/postgres/url.ts'

type Reading<T> = { value: T } | { faults: string[] }

/** How a setting's text is read. Faults say what is expected and never what was given: it may be a misplaced secret. */
type Kind<T> = { expected: string; read: (text: string) => Reading<T> }

export type Setting = {
  name: `ROLLBOOK_${string}`
  subject: 'Network' | 'Access' | 'Storage' | 'Behaviour' | 'Limits' | 'Password hashing' | 'Operation'
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

const builtInRoles = { admin: ['*'], user: [] }

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
  logLevel: {
    name: 'ROLLBOOK_LOG_LEVEL',
    subject: 'Operation',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    why: 'Look closer with `debug`, or log only what needs attention with `warn`. `info` has a line for each request.',
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
