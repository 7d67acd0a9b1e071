import { integer, type Settings } from './kinds.ts'

export const limits = {
  rateLimit: {
    name: 'ROLLBOOK_RATE_LIMIT',
    kind: integer(0, 10_000_000),
    default: '6000',
    why:
      'Requests per minute for each user (all sessions and access tokens together), each subject of a trusted issuer, ' +
      'and each network that calls without a valid credential. Each node counts separately. `0` means no limit.',
  },
  rateLimitApiKeys: {
    name: 'ROLLBOOK_RATE_LIMIT_API_KEYS',
    kind: integer(0, 10_000_000),
    default: '0',
    why: 'Requests per minute for each API key. Set it so that one script cannot use all capacity. `0` means no limit.',
  },
  bodyLimitBytes: {
    name: 'ROLLBOOK_BODY_LIMIT_BYTES',
    kind: integer(4096, 10_485_760),
    default: '65536',
    why: 'Raise it if request bodies are larger. Each body is held in memory while it is read.',
  },
  requestTimeoutSeconds: {
    name: 'ROLLBOOK_REQUEST_TIMEOUT_SECONDS',
    kind: integer(1, 3600),
    default: '30',
    why: 'Raise it if clients on slow connections need longer to send a whole request.',
  },
  headersTimeoutSeconds: {
    name: 'ROLLBOOK_HEADERS_TIMEOUT_SECONDS',
    kind: integer(1, 300),
    default: '10',
    why: 'The same for the headers only. A silent client can hold a connection for this long.',
  },
  keepAliveSeconds: {
    name: 'ROLLBOOK_KEEP_ALIVE_SECONDS',
    kind: integer(1, 3600),
    default: '72',
    why:
      'Keep it longer than the proxy in front keeps idle connections, or the proxy may use a connection that was just ' +
      'closed.',
  },
  maxConnections: {
    name: 'ROLLBOOK_MAX_CONNECTIONS',
    kind: integer(1, 1_000_000),
    default: '10000',
    why: 'Lower it if the system allows the process fewer open files; raise it if the machine can serve more clients.',
  },
  writeQueue: {
    name: 'ROLLBOOK_WRITE_QUEUE',
    kind: integer(1, 1_000_000),
    default: '2048',
    why: 'Raise it if bursts of writes get 503 although they could wait; lower it if writes wait too long on a slow disk.',
  },
  maxSnapshots: {
    name: 'ROLLBOOK_MAX_SNAPSHOTS',
    kind: integer(1, 1024),
    default: '16',
    why:
      'Raise it if more clients stream the whole list at the same time. One credential can use at most half of them. ' +
      'Each holds a snapshot of the data.',
  },
  snapshotSeconds: {
    name: 'ROLLBOOK_SNAPSHOT_SECONDS',
    kind: integer(1, 86_400),
    default: '600',
    why: 'Raise it if streaming a whole list takes longer. An old snapshot keeps the write-ahead log from being shortened.',
  },
  snapshotStallSeconds: {
    name: 'ROLLBOOK_SNAPSHOT_STALL_SECONDS',
    kind: integer(1, 3600),
    default: '30',
    why:
      'Raise it if clients pause for longer while they read a streamed list, or read less than 8 kB/s, and should not ' +
      'be disconnected.',
  },
} as const satisfies Settings
