import type { FromSchema } from 'json-schema-to-ts'

const nullableText = (description: string) => ({ type: ['string', 'null'], description }) as const

const seenSchema = {
  type: 'object',
  description: 'This request as the service sees it, after all proxies in between.',
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
    path: { type: 'string', description: 'The path as it arrived.', examples: ['/auth/deployment'] },
    prefix: {
      type: 'string',
      enum: ['kept', 'stripped'],
      description: 'Whether the path arrived with the base path. Rollbook serves both.',
    },
    host: nullableText('The `Host` header.'),
    scheme: {
      type: 'string',
      enum: ['http', 'https'],
      description: 'The scheme that a trusted proxy reports; otherwise `http`, which this service itself uses.',
    },
    client_address: {
      type: 'string',
      description: 'The address that Rollbook counts, records and logs as the client.',
    },
    peer_address: { type: 'string', description: 'The other end of the connection: the client or the nearest proxy.' },
    from_trusted_proxy: {
      type: 'boolean',
      description: 'Whether that address is in `ROLLBOOK_TRUSTED_PROXIES`, so that its forwarded headers are used.',
    },
    forwarded_for: nullableText('`X-Forwarded-For`, whether it is used or not.'),
    forwarded_proto: nullableText('`X-Forwarded-Proto`.'),
    forwarded_host: nullableText('`X-Forwarded-Host`.'),
    origin: nullableText('`Origin`: the origin of the page, if a browser sends this.'),
    believed: {
      type: 'array',
      items: { type: 'string' },
      description: 'The forwarded headers that were used.',
      examples: [['X-Forwarded-For']],
    },
  },
} as const

export const deploymentSchema = {
  $id: 'Deployment',
  type: 'object',
  description: 'The deployment of this node, and this request as the node sees it.',
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
    version: { type: 'string', description: 'The release.', examples: ['0.3.0'] },
    node_version: { type: 'string', description: 'The version of Node.js.', examples: ['26.10.0'] },
    started_at: { type: 'string', format: 'date-time' },
    uptime_seconds: { type: 'integer', minimum: 0 },
    now: { type: 'string', format: 'date-time', description: "The time of this node's clock." },
    stage: {
      type: 'string',
      enum: ['serving', 'leaving', 'draining'],
      description: '`leaving`: the node is about to stop and no longer ready; `draining`: it accepts no new requests.',
    },
    storage: {
      type: 'object',
      additionalProperties: false,
      required: ['engine', 'version', 'size_bytes', 'ready', 'current', 'age_ms', 'migrated'],
      properties: {
        engine: { type: 'string', enum: ['sqlite', 'postgres'] },
        version: {
          ...nullableText('The version of the engine; null while it does not respond.'),
          examples: ['3.53.0'],
        },
        size_bytes: {
          type: ['integer', 'null'],
          description: 'The size of the store on disk, with its indexes and log; null while it does not respond.',
        },
        ready: { type: 'boolean', description: 'Whether the store responds.' },
        current: { type: 'boolean', description: 'Whether this node knows what other nodes have revoked.' },
        age_ms: { type: 'integer', description: 'The age of that knowledge in milliseconds.' },
        migrated: {
          type: 'array',
          items: { type: 'string' },
          description: 'The migrations that ran at this start.',
        },
      },
    },
    public_url: nullableText('`ROLLBOOK_PUBLIC_URL`: the address that clients use.'),
    base_path: { type: 'string', description: '`ROLLBOOK_BASE_PATH`; empty: at the root.', examples: ['/auth'] },
    session_cookie: {
      type: 'string',
      description: 'The name of the session cookie; it has the prefix `__Host-` if the public URL is https.',
    },
    trusted_proxies: { type: 'array', items: { type: 'string' }, examples: [['10.0.0.0/8']] },
    request: seenSchema,
    nodes: {
      type: 'array',
      description: 'The nodes that use this store: on PostgreSQL every node that was seen in the last three minutes.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['node_id', 'host', 'version', 'started_at', 'last_seen_at', 'this'],
        properties: {
          node_id: { type: 'string', format: 'uuid', description: 'A new id at each start.' },
          host: { type: 'string', description: 'The host name of the machine or container.' },
          version: { type: 'string', description: 'The release.' },
          started_at: { type: 'string', format: 'date-time' },
          last_seen_at: { type: 'string', format: 'date-time' },
          this: { type: 'boolean', description: 'Whether this is the responding node.' },
        },
      },
    },
    warnings: {
      type: 'array',
      description: 'Probable mistakes in this request or in the configuration.',
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
              'settings_differ',
              'trial_store',
              'session_cookie_not_secure',
              'public_url_differs',
              'forwarded_headers_ignored',
              'public_url_missing',
              'key_encryption_secret_missing',
              'second_factor_policy_unknown',
              'inactivity_stopped',
            ],
          },
          detail: { type: 'string' },
        },
      },
    },
  },
} as const

export type Deployment = FromSchema<typeof deploymentSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [deploymentSchema] as const
