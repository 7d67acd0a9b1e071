import type { FromSchema } from 'json-schema-to-ts'

const nullableText = (description: string) => ({ type: ['string', 'null'], description }) as const

const seenSchema = {
  type: 'object',
  description: 'What this service sees of the request that asks, after all proxies in between.',
  additionalProperties: false,
  required: [
    'path',
    'prefix',
    'host',
    'scheme',
    'client_address',
    'peer_address',
    'from_trusted_proxy',
    'forwarded_for',
    'forwarded_proto',
    'forwarded_host',
    'origin',
    'believed',
  ],
  properties: {
    path: { type: 'string', description: 'As it arrived.', examples: ['/auth/deployment'] },
    prefix: {
      type: 'string',
      enum: ['kept', 'stripped'],
      description: 'Whether it arrived with the base path; both are served.',
    },
    host: nullableText('The `Host` header.'),
    scheme: {
      type: 'string',
      enum: ['http', 'https'],
      description: 'As a trusted proxy says; else `http`, which is how this service itself is spoken to.',
    },
    client_address: { type: 'string', description: 'Whom it counts, records and logs as the client.' },
    peer_address: { type: 'string', description: 'The other end of the connection: the client, or the nearest proxy.' },
    from_trusted_proxy: {
      type: 'boolean',
      description: 'Whether that one is named by `ROLLBOOK_TRUSTED_PROXIES`, so that what it forwards is believed.',
    },
    forwarded_for: nullableText('`X-Forwarded-For`, believed or not.'),
    forwarded_proto: nullableText('`X-Forwarded-Proto`.'),
    forwarded_host: nullableText('`X-Forwarded-Host`.'),
    origin: nullableText('`Origin`: the page of a browser that sends this.'),
    believed: {
      type: 'array',
      items: { type: 'string' },
      description: 'The headers of proxies that were believed.',
      examples: [['X-Forwarded-For']],
    },
  },
} as const

export const deploymentSchema = {
  $id: 'Deployment',
  type: 'object',
  description: 'How this node is deployed, and what it sees of the request that asks.',
  additionalProperties: false,
  required: [
    'version',
    'node_version',
    'started_at',
    'uptime_seconds',
    'now',
    'stage',
    'storage',
    'public_url',
    'base_path',
    'session_cookie',
    'trusted_proxies',
    'request',
    'nodes',
    'warnings',
  ],
  properties: {
    version: { type: 'string', description: 'The release.', examples: ['0.2.0'] },
    node_version: { type: 'string', description: 'Of Node.js.', examples: ['26.10.0'] },
    started_at: { type: 'string', format: 'date-time' },
    uptime_seconds: { type: 'integer', minimum: 0 },
    now: { type: 'string', format: 'date-time', description: 'By the clock of this node.' },
    stage: {
      type: 'string',
      enum: ['serving', 'leaving', 'draining'],
      description: '`leaving`: it is about to stop and not ready any more; `draining`: it begins nothing new.',
    },
    storage: {
      type: 'object',
      additionalProperties: false,
      required: ['engine', 'version', 'size_bytes', 'ready', 'current', 'age_ms', 'migrated'],
      properties: {
        engine: { type: 'string', enum: ['sqlite', 'postgres'] },
        version: { ...nullableText('Of the engine; null while it does not answer.'), examples: ['3.53.0'] },
        size_bytes: {
          type: ['integer', 'null'],
          description: 'What the store takes on the disk, with its indexes and log; null while it does not answer.',
        },
        ready: { type: 'boolean', description: 'Whether the store answers.' },
        current: { type: 'boolean', description: 'Whether it is known what other nodes have revoked.' },
        age_ms: { type: 'integer', description: 'How old that knowledge is, in milliseconds.' },
        migrated: {
          type: 'array',
          items: { type: 'string' },
          description: 'The migrations that this start ran.',
        },
      },
    },
    public_url: nullableText('`ROLLBOOK_PUBLIC_URL`: where it believes clients to find it.'),
    base_path: { type: 'string', description: '`ROLLBOOK_BASE_PATH`; empty: at the root.', examples: ['/auth'] },
    session_cookie: {
      type: 'string',
      description: 'The name of the cookie of sessions: with `__Host-` when the public URL is https.',
    },
    trusted_proxies: { type: 'array', items: { type: 'string' }, examples: [['10.0.0.0/8']] },
    request: seenSchema,
    nodes: {
      type: 'array',
      description: 'Who serves this store: on PostgreSQL every node that was seen in the last three minutes.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['node_id', 'host', 'version', 'started_at', 'last_seen_at', 'this'],
        properties: {
          node_id: { type: 'string', format: 'uuid', description: 'Another at each start.' },
          host: { type: 'string', description: 'The name of its machine or container.' },
          version: { type: 'string', description: 'The release.' },
          started_at: { type: 'string', format: 'date-time' },
          last_seen_at: { type: 'string', format: 'date-time' },
          this: { type: 'boolean', description: 'Whether it is the one that answers.' },
        },
      },
    },
    warnings: {
      type: 'array',
      description: 'What in this request, or in the configuration, is probably not meant to be so.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['code', 'detail'],
        properties: {
          code: {
            type: 'string',
            enum: [
              'storage_damaged',
              'clock_jumped',
              'session_cookie_not_secure',
              'public_url_differs',
              'forwarded_headers_ignored',
              'public_url_missing',
              'key_encryption_secret_missing',
            ],
          },
          detail: { type: 'string' },
        },
      },
    },
  },
} as const

export type Deployment = FromSchema<typeof deploymentSchema>
