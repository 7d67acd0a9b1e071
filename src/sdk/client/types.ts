// Made from the OpenAPI document by `npm run generate`; change the schemas of the service instead.

/** The codes of all problems; docs/problems.md explains each. */
export type ProblemCode =
  | 'malformed_request'
  | 'malformed_json'
  | 'malformed_csv'
  | 'malformed_header'
  | 'bad_cursor'
  | 'ambiguous_credentials'
  | 'credential_missing'
  | 'credential_invalid'
  | 'sign_in_failed'
  | 'permission_denied'
  | 'user_required'
  | 'password_change_required'
  | 'current_password_wrong'
  | 'cross_origin'
  | 'setup_link_invalid'
  | 'token_not_exchangeable'
  | 'role_not_grantable'
  | 'user_outranks_caller'
  | 'permission_not_grantable'
  | 'key_outlives_caller'
  | 'not_found'
  | 'user_not_found'
  | 'key_not_found'
  | 'session_not_found'
  | 'endpoint_not_found'
  | 'delivery_not_found'
  | 'import_not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'request_timeout'
  | 'username_taken'
  | 'email_taken'
  | 'external_id_taken'
  | 'user_id_taken'
  | 'setup_done'
  | 'last_admin'
  | 'key_expired'
  | 'key_managed_by_configuration'
  | 'too_many_endpoints'
  | 'endpoint_inactive'
  | 'delivery_in_progress'
  | 'import_busy'
  | 'import_cancelled'
  | 'import_finished'
  | 'import_mismatch'
  | 'import_gap'
  | 'idempotency_in_progress'
  | 'cursor_unknown'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'unsupported_content_encoding'
  | 'expectation_failed'
  | 'list_too_costly'
  | 'validation_failed'
  | 'idempotency_mismatch'
  | 'precondition_required'
  | 'too_many_attempts'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'upstream_unavailable'
  | 'overloaded'
  | 'issuer_unavailable'
  | 'too_many_snapshots'
  | 'storage_unavailable'
  | 'outcome_unknown'
  | 'storage_damaged'
  | 'storage_full'
  | 'draining'
  | 'rollbook_unavailable'
  | 'upstream_timeout'

/** A type of event, or all types of a subject: `user.*`. */
export type EventType =
  | 'user.*'
  | 'user.created'
  | 'user.updated'
  | 'user.signed_in'
  | 'user.deleted'
  | 'user.restored'
  | 'user.erased'
  | 'session.*'
  | 'session.created'
  | 'session.ended'
  | 'key.*'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'role.*'
  | 'role.created'
  | 'role.updated'
  | 'role.deleted'

/** The member by which an import finds existing users. */
export type ImportMatch = 'username' | 'email' | 'external_id' | 'user_id'

/** What an import did with a row. */
export type ImportVerdict = 'created' | 'updated' | 'unchanged' | 'skipped' | 'rejected'

/** What kind of caller acted. */
export type ActorKind = 'user' | 'api_key' | 'service' | 'system' | 'anonymous'

/** How an action ended. */
export type AuditOutcome = 'success' | 'failure' | 'denied'

/** The state of a webhook delivery. */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'dead'

/** The path of one user. */
export type UserPath = {
  /** The id of the user. */
  user_id: string
}

/** The path of one session. */
export type SessionPath = {
  /** The id of the session. */
  session_id: string
}

/** The path of one import. */
export type ImportPath = {
  /** The id of the import. */
  job_id: string
}

/** The path of one API key. */
export type KeyPath = {
  /** The id of the API key. */
  key_id: string
}

/** The path of one webhook endpoint. */
export type EndpointPath = {
  /** The id of the webhook endpoint. */
  endpoint_id: string
}

/** The path of one webhook delivery. */
export type DeliveryPath = EndpointPath & {
  /** The id of the delivery. */
  delivery_id: string
}

/** The query of operations that can be tried first. */
export type DryRun = {
  /** Say what would happen, with the same checks, and change nothing. */
  dry_run?: boolean | undefined
}

/** Conditions on users. All must hold. */
export type UserConditions = {
  /** Users whose username, e-mail or name contains this text, whatever its case and accents. One or two characters are searched as the beginning of the username, the e-mail, the first or the last name. */
  q?: string | undefined
  role?: string | undefined
  active?: boolean | undefined
  /** Users who have a password, or who have none. */
  has_password?: boolean | undefined
  /** Users who have signed in at least once, or who never have. */
  has_signed_in?: boolean | undefined
  /** Only users created after this instant (RFC 3339). */
  created_after?: string | undefined
  /** Only users created before this instant (RFC 3339). */
  created_before?: string | undefined
  /** Only users who last signed in after this instant (RFC 3339). */
  last_login_after?: string | undefined
  /** Only users who last signed in before this instant (RFC 3339). */
  last_login_before?: string | undefined
  /** The user of exactly this username, whatever its case. */
  username?: string | undefined
  /** The user of exactly this e-mail address, whatever its case. */
  email?: string | undefined
  /** The user of exactly this external id. */
  external_id?: string | undefined
}

/** Which audit records to list, and in which order. */
export type AuditQuery = {
  /** At most so many records, with a `Link` to the next page. Default: 100; in NDJSON all. */
  limit?: number | undefined
  /** Where to go on: from the `Link` header of the page before. */
  cursor?: string | undefined
  /** Oldest first or newest first. Default: `-seq`; in NDJSON `seq`. */
  sort?: 'seq' | '-seq' | undefined
  /** Only what they did: an id of a user or key. */
  actor?: string | undefined
  actor_kind?: ActorKind | undefined
  /** Only these actions, such as `user.updated`, or `user.*` for all of users; repeat the parameter. */
  action?: string | string[] | undefined
  outcome?: AuditOutcome | undefined
  /** Only records of after this instant (RFC 3339). */
  occurred_after?: string | undefined
  /** Only records of before this instant (RFC 3339). */
  occurred_before?: string | undefined
  /** Only records of this request. */
  request_id?: string | undefined
}

/** A user of the product’s web UI. */
export type User = {
  /** A UUIDv7 made by the server, never reused. */
  user_id: string
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  email: string | null
  external_id: string | null
  first_name: string
  last_name: string
  /** One of the configured roles; built in are `admin` (everything) and `user` (nothing of this API). */
  role: string
  /** When false the user cannot sign in and is refused everywhere at once. */
  active: boolean
  /** A user without a password cannot sign in until one is set. */
  has_password: boolean
  last_login_at: string | null
  created_at: string
  updated_at: string
}

/** All values are strings; only `username` is required. Members that are not listed are refused. */
export type CreateUser = {
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. Any character counts, spaces too; common passwords and those made of the username or e-mail are refused. */
  password?: string | undefined
  /** Unique, compared case-insensitively. */
  email?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
  /** One of the configured roles; built in are `admin` (everything) and `user` (nothing of this API). */
  role?: string | undefined
  /** The client's own id for the user. Unique, compared exactly. */
  external_id?: string | undefined
}

/** A JSON Merge Patch (RFC 7396): what is left out stays; `null` clears `email` or `external_id`. */
export type UpdateUser = {
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username?: string | undefined
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. Any character counts, spaces too; common passwords and those made of the username or e-mail are refused. */
  password?: string | undefined
  /** Unique, compared case-insensitively. */
  email?: string | null | undefined
  first_name?: string | undefined
  last_name?: string | undefined
  /** One of the configured roles; built in are `admin` (everything) and `user` (nothing of this API). */
  role?: string | undefined
  /** The client's own id for the user. Unique, compared exactly. */
  external_id?: string | null | undefined
  active?: boolean | undefined
}

export type ConfirmationOfDeletion = {
  user_id: string
  /** False only in a dry run. */
  deleted: boolean
  /** Until then `POST /users/{user_id}/restore` brings the user back; null when nothing does. */
  restorable_until: string | null
}

export type ExportUsers = {
  /** What opens the file again: at least 16 characters. It is not kept; without it the file is lost. */
  passphrase: string
}

export type PlannedExport = {
  /** How many users the file would hold. */
  users: number
}

/** A user who was deleted and can be restored, as they were. */
export type DeletedUser = User & {
  deleted_at: string
  /** From then on the user cannot be restored, and is erased. */
  restorable_until: string
}

/** How this node is deployed, and what it sees of the request that asks. */
export type Deployment = {
  /** The release. */
  version: string
  /** Of Node.js. */
  node_version: string
  started_at: string
  uptime_seconds: number
  /** By the clock of this node. */
  now: string
  /** `leaving`: it is about to stop and not ready any more; `draining`: it begins nothing new. */
  stage: 'serving' | 'leaving' | 'draining'
  storage: {
    engine: 'sqlite' | 'postgres'
    /** Of the engine; null while it does not answer. */
    version: string | null
    /** What the store takes on the disk, with its indexes and log; null while it does not answer. */
    size_bytes: number | null
    /** Whether the store answers. */
    ready: boolean
    /** Whether it is known what other nodes have revoked. */
    current: boolean
    /** How old that knowledge is, in milliseconds. */
    age_ms: number
    /** The migrations that this start ran. */
    migrated: string[]
  }
  /** `ROLLBOOK_PUBLIC_URL`: where it believes clients to find it. */
  public_url: string | null
  /** `ROLLBOOK_BASE_PATH`; empty: at the root. */
  base_path: string
  /** The name of the cookie of sessions: with `__Host-` when the public URL is https. */
  session_cookie: string
  trusted_proxies: string[]
  /** What this service sees of the request that asks, after all proxies in between. */
  request: {
    /** As it arrived. */
    path: string
    /** Whether it arrived with the base path; both are served. */
    prefix: 'kept' | 'stripped'
    /** The `Host` header. */
    host: string | null
    /** As a trusted proxy says; else `http`, which is how this service itself is spoken to. */
    scheme: 'http' | 'https'
    /** Whom it counts, records and logs as the client. */
    client_address: string
    /** The other end of the connection: the client, or the nearest proxy. */
    peer_address: string
    /** Whether that one is named by `ROLLBOOK_TRUSTED_PROXIES`, so that what it forwards is believed. */
    from_trusted_proxy: boolean
    /** `X-Forwarded-For`, believed or not. */
    forwarded_for: string | null
    /** `X-Forwarded-Proto`. */
    forwarded_proto: string | null
    /** `X-Forwarded-Host`. */
    forwarded_host: string | null
    /** `Origin`: the page of a browser that sends this. */
    origin: string | null
    /** The headers of proxies that were believed. */
    believed: string[]
  }
  /** Who serves this store: on PostgreSQL every node that was seen in the last three minutes. */
  nodes: {
    /** Another at each start. */
    node_id: string
    /** The name of its machine or container. */
    host: string
    /** The release. */
    version: string
    started_at: string
    last_seen_at: string
    /** Whether it is the one that answers. */
    this: boolean
  }[]
  /** What in this request, or in the configuration, is probably not meant to be so. */
  warnings: {
    code:
      | 'storage_damaged'
      | 'clock_jumped'
      | 'session_cookie_not_secure'
      | 'public_url_differs'
      | 'forwarded_headers_ignored'
      | 'public_url_missing'
      | 'key_encryption_secret_missing'
    detail: string
  }[]
}

/** What became of a row. */
export type ImportedRow = {
  /** Its number in the file. The header of a CSV file and empty lines do not count. */
  row: number
  /** The line of the file on which the row begins, as editors count: the header of a CSV file, empty lines and line breaks within cells count. Null when it is not known: the row came in a part without `from_line`. */
  line: number | null
  /** `unchanged`: the user was there already and had all that the row says, passwords aside: who has one keeps it. `skipped`: the user was there, and is not as the row says. */
  verdict: ImportVerdict
  /** Null when the row was rejected, or a dry run would create the user. */
  user_id: string | null
  /** Of what is wrong with the row: a problem code, or that of an input fault. */
  code?: string | undefined
  /** The member, as an RFC 6901 fragment; null: the row as a whole. */
  pointer?: string | null | undefined
  detail?: string | undefined
}

/** An import, and how far it has come. */
export type ImportJob = {
  job_id: string
  /** `running`: rows are arriving, or have been expected for less than a minute. `interrupted`: none are; send the rest with the same `job_id`. */
  state: 'running' | 'interrupted' | 'done' | 'cancelled'
  /** It only says what would happen. */
  dry_run: boolean
  mode: 'create' | 'update'
  on_conflict: 'reject' | 'skip'
  match: ImportMatch
  format: 'ndjson' | 'csv'
  /** So many rows are done: their verdicts stand, and their changes are committed. */
  rows_done: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  rejected: number
  /** The first 100 rejected rows; all of them: `GET /imports/{job_id}/rows?verdict=rejected`. */
  rejects: ImportedRow[]
  created_at: string
  updated_at: string
  finished_at: string | null
}

/** One change for many users: for those of `user_ids`, or for all who match `filter`. */
export type BulkChange = {
  /** `restore` takes `user_ids` only. */
  action: 'activate' | 'deactivate' | 'set_role' | 'end_sessions' | 'delete' | 'restore'
  /** The role that `set_role` gives; of no other action. */
  role?: string | undefined
  user_ids?: string[] | undefined
  /** The filters of the list, as values in JSON; all must hold together. `{}` is everybody. */
  filter?:
    | (UserConditions & {
        /** Only these users; repeat the parameter, up to 500 times. */
        user_id?: string[] | undefined
      })
    | undefined
  /** With `filter`: these users are left out. */
  except?: string[] | undefined
}

/** A line of the answer to a change for many users. */
export type BulkLine =
  | {
      type: 'begin'
      /** How many users it is about. */
      total: number
    }
  | {
      type: 'row'
      user_id: string
      /** Null: there is no such user. */
      username: string | null
      verdict: 'changed' | 'unchanged' | 'refused'
      /** Of a refusal: the problem code that the change of this user alone has. */
      code?: string | undefined
      detail?: string | undefined
    }
  | {
      type: 'progress'
      done: number
      changed: number
      unchanged: number
      refused: number
    }
  | { type: 'end'; changed: number; unchanged: number; refused: number }

/** What keeps a user from signing in. */
export type Lock = {
  user_id: string
  /** After 90 failures in a row: even the right password is refused, until somebody unlocks the user or sets another. Only browsers in which the user has signed in before have ten more tries. */
  locked: boolean
  /** How many wrong passwords came in a row, from wherever. */
  failures: number
  /** Until then tries from browsers that are not known are turned away, whatever network they come from; null: they are not, but a network with many failures of its own may have to wait: see `waiting`. */
  retry_at: string | null
  /** What must wait now before this user can sign in: the user, and each network that has tried to sign in as this user within a day. Whatever concerns the user first, then the latest attempts; at most 100. Empty: nothing waits. */
  waiting: {
    /** `user`: attempts from every unknown browser wait. `network`: attempts from `network` wait; other networks may try. `browser`: one browser in which the user has signed in before waits. */
    kind: 'user' | 'network' | 'browser'
    /** An IPv4 address, an IPv6 /64 or an IPv6 /48; null unless `kind` is `network`. */
    network: string | null
    /** The next attempt is accepted then. Null: only an administrator or a new password ends this. */
    until: string | null
    /** `locked`: 90 wrong passwords in a row for this user. `wrong_passwords_from_many_networks`: unknown browsers share 20 attempts at this user and one each 30 seconds. `wrong_passwords_for_user`: more than four wrong passwords in a row for this user from this network or browser. `network_shut_out`: 20 in a row for this user from this network, which is refused, even with the right password, until it has made no attempt for a day. `wrong_passwords_for_many_users`: 30 wrong passwords from this network (240 from a /48), for whichever users. */
    reason:
      | 'locked'
      | 'wrong_passwords_from_many_networks'
      | 'wrong_passwords_for_user'
      | 'network_shut_out'
      | 'wrong_passwords_for_many_users'
    /** How many wrong passwords were counted. */
    attempts: number
    /** The latest attempt that was counted, or refused because of this. */
    last_attempt_at: string
  }[]
}

/** An API key, without the key itself. */
export type ApiKey = {
  key_id: string
  /** The beginning of the key, to tell keys apart. */
  prefix: string
  name: string
  permissions: string[]
  created_at: string
  /** From then on the key is refused; null: never. */
  expires_at: string | null
  /** When it was last accepted; written down once a minute. */
  last_used_at: string | null
  /** Whether it is set by `ROLLBOOK_ADMIN_KEY`, and so can be neither rotated nor revoked here. */
  managed: boolean
}

/** An API key with the key itself, which is shown here and never again. */
export type NewApiKey = ApiKey & {
  /** Keep it safe: only its hash is stored. Not there in a dry run, which makes none. */
  key?: string | undefined
}

export type CreateApiKey = {
  /** What the key is for. */
  name: string
  /** What the key may do: a subset of the caller's own permissions. `*` is everything. */
  permissions: string[]
  /** When the key ends (RFC 3339, in the future); left out or null: never. */
  expires_at?: string | null | undefined
}

export type ConfirmationOfRevocation = {
  key_id: string
  /** False only in a dry run. */
  revoked: boolean
}

export type RequestToken = {
  /** What the token may do, some of what the caller may; left out: everything the caller may; empty: nothing. */
  permissions?: string[] | undefined
}

export type AccessToken = {
  /** A JWT as RFC 9068 has it, signed with EdDSA. */
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
}

export type TokenInQuestion = {
  /** An access token, an API key, or the value of a session cookie. */
  token: string
  /** Not needed: what a token is shows in itself. */
  token_type_hint?: string | undefined
}

/** RFC 7662 §2.2. Of a token that is not accepted, for whatever reason, `active` alone. */
export type Introspection = {
  active: boolean
  token_type?: 'access_token' | 'api_key' | 'session' | undefined
  iss?: string | undefined
  /** Of a person the `user_id`, of a key the `key_id`. */
  sub?: string | undefined
  /** `rollbook` for people, the `key_id` for keys. */
  client_id?: string | undefined
  username?: string | undefined
  email?: string | null | undefined
  /** Of a person first and last name, of a key its name. */
  name?: string | undefined
  role?: string | undefined
  permissions?: string[] | undefined
  /** The permissions again, with spaces between them. */
  scope?: string | undefined
  /** The `session_id` behind a session or its access token. */
  sid?: string | undefined
  jti?: string | undefined
  aud?: string | undefined
  iat?: number | undefined
  /** Not there when there is no end. */
  exp?: number | undefined
}

export type Empty = Record<never, never>

/** A key that signs access tokens, without its private part. */
export type SigningKey = {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string
  /** `next`: published, and signs from `signs_from` on; `retired`: its last tokens are still valid. */
  state: 'next' | 'signing' | 'retired'
  created_at: string
  signs_from: string
  /** Published until then; null: signs on. */
  expires_at: string | null
  public_key: {
    kty: string
    crv: string
    x: string
    kid: string
    alg: string
    use: string
  }
}

export type RotateSigningKeys = {
  /** True in an emergency: somebody else may have a private key. The new key signs at once, and what the others have signed is refused. */
  revoke_previous?: boolean | undefined
}

export type Revocations = {
  /** For `after` of the next request. */
  cursor: number
  revocations: {
    /** Grows by one with each revocation, in the order in which they hold. */
    seq: number
    /** What `id` is of: `user_id`, `session_id`, `key_id`, `jti` of an access token, `kid` of a signing key. A key that was changed (`key_changed`) goes on, but what is remembered of it may be wrong. */
    kind: 'user' | 'session' | 'key' | 'key_changed' | 'token' | 'signing_key'
    id: string
    /** Of a user: tokens with a smaller `credentials_version` have ended. */
    credentials_version?: number | undefined
    revoked_at: string
  }[]
}

/** What has happened, in the envelope of CloudEvents 1.0. */
export type CloudEvent = {
  specversion: '1.0'
  /** Names this event, here and in webhooks. */
  id: string
  /** The base of the service that tells it. */
  source: string
  type: string
  /** The id of what it happened to: a user, session, key or role. */
  subject: string
  /** When. Events stand in the order of commits, not of this. */
  time: string
  datacontenttype: 'application/json'
  /** What `data` looks like. */
  dataschema: string
  /** The number of the event. Greater ones were committed later. */
  sequence: string
  data: UserEventV1 | SessionEventV1 | KeyEventV1 | RoleEventV1
}

/** `data` of the events `user.*`. */
export type UserEventV1 =
  | User
  | {
      user_id: string
      /** Until then the deletion can be undone; null: it cannot. */
      restorable_until: string | null
    }
  | {
      user_id: string
      /** The person was erased: what the event said of them is gone. Nothing needs to be done about it. */
      erased?: true | undefined
    }

/** `data` of the events `session.*`. */
export type SessionEventV1 =
  | {
      session_id: string
      user_id: string
      /** When the person signed in. */
      created_at: string
      /** When the session ends at the latest. One that is not used ends earlier. */
      expires_at: string
      /** The address the person signed in from. */
      address: string
      /** What the browser or script called itself, at most 512 characters of it, or nothing. Anybody can claim anything. */
      user_agent: string
    }
  | {
      session_id: string
      user_id: string
      /** The person was erased: what the event said of them is gone. Nothing needs to be done about it. */
      erased?: true | undefined
    }

/** `data` of the events `key.*`. The key itself is in none of them. */
export type KeyEventV1 =
  | {
      key_id: string
      /** The beginning of the key, to tell keys apart. */
      prefix: string
      name: string
      permissions: string[]
      created_at: string
      /** From then on the key is refused; null: never. */
      expires_at: string | null
    }
  | { key_id: string }

/** `data` of the events `role.*`: what the role permits; of one that is gone, what it permitted last. */
export type RoleEventV1 = {
  role: string
  /** `*` is every permission. Words of the product's own mean something to the product alone. */
  permissions: string[]
}

export type EventPage = {
  /** Names this history. With another one, a restored backup for instance, begin again without `after`. */
  feed_id: string
  /** For `after` of the next request. */
  cursor: string
  /** Something comes after the cursor already: ask on at once. It need not be of the types that you want. */
  has_more: boolean
  events: CloudEvent[]
}

/** Who did what to whom, when and from where. */
export type AuditRecord = {
  /** Its number: each record has the next one. */
  seq: number
  record_id: string
  /** When the request was received. */
  occurred_at: string
  /** Noun and past participle. */
  action: string
  /** `failure`: a sign-in that did not succeed; `denied`: somebody was not allowed to. */
  outcome: AuditOutcome
  /** The problem that was answered, unless the outcome is `success`. */
  code: string | null
  /** Who did it; `anonymous` is nobody that is known. */
  actor: {
    kind: ActorKind
    /** Of a person the `user_id`, of a key the `key_id`. */
    id: string
    /** What they were called then; null when it was erased. */
    name: string | null
    key_id: string | null
    session_id: string | null
  }
  /** What it was done to. */
  target: {
    kind: string
    id: string
    /** What it was called then; null when it was erased, or has no name. */
    name: string | null
  } | null
  /** By member: `{"before": …, "after": …}`, or `"changed"` of a secret. Null: none, or they were erased. */
  changes: Record<string, unknown> | null
  /** What else is to be said, by action. Null: nothing, or it was erased. */
  details: Record<string, unknown> | null
  /** The address of the client; null when Rollbook acted by itself. */
  address: string | null
  user_agent: string | null
  /** As in `X-Request-Id`. */
  request_id: string
  /** What it said of a person has been erased with that person. */
  erased: boolean
  /** Its link of the chain. */
  hash: string
}

/** The end of the chain at a moment. Keep it elsewhere: later it proves that no record was removed since. */
export type AuditCheckpoint = {
  /** The number of the newest record. */
  seq: number
  /** How many records there are. */
  count: number
  /** The hash of the newest record. */
  hash: string
  created_at: string
  /** Up to which number retention has removed records. */
  base_seq: number
}

export type SetPassword = {
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. Any character counts, spaces too; common passwords and those made of the username or e-mail are refused. */
  password: string
  /** Whether the user has to choose another one before anything else. Left out: false. */
  must_change?: boolean | undefined
}

/** A role of users, with what it permits. */
export type Role = {
  role: string
  /** `*` is every permission. Words of the product's own mean something to the product alone. */
  permissions: string[]
  /** Whether it is there without any configuration. */
  built_in: boolean
}

/** The user who is signed in, with what they may do. */
export type Me = User & {
  /** What the role permits; `*` is everything. */
  permissions: string[]
  /** When true, everything else is refused until `POST /me/password` has set another password. */
  must_change_password: boolean
  /** The session that asks. */
  session_id: string
}

/** A JSON Merge Patch (RFC 7396) of what people may change of themselves. `email` needs `current_password` beside it. */
export type UpdateMe = {
  first_name?: string | undefined
  last_name?: string | undefined
  /** Unique, compared case-insensitively. */
  email?: string | null | undefined
  /** The password that is in force now. */
  current_password?: string | undefined
}

export type ChangeOwnPassword = {
  /** The password that is in force now. */
  current_password: string
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. Any character counts, spaces too; common passwords and those made of the username or e-mail are refused. */
  new_password: string
}

export type ConfirmationOfPassword = {
  user_id: string
  /** False only in a dry run. */
  changed: boolean
  /** How many other sessions were ended; in a dry run, how many would be. */
  revoked: number
}

/** A person who is signed in on one device. The secret of the session is in its cookie alone. */
export type Session = {
  session_id: string
  user_id: string
  /** When the person signed in. */
  created_at: string
  /** When the session was last used; written down once a minute. */
  last_seen_at: string
  /** When the session ends at the latest. One that is not used ends earlier. */
  expires_at: string
  /** The address the person signed in from. */
  address: string
  /** What the browser or script called itself, at most 512 characters of it, or nothing. Anybody can claim anything. */
  user_agent: string
  /** The same in words for people; `Unknown device` when it says nothing that is known. */
  device: string
  /** Whether this is the session that asks. */
  current: boolean
}

export type CreateSession = {
  /** The username, or the e-mail address. */
  username: string
  password: string
}

export type ConfirmationOfSignOut = {
  session_id: string
  /** False only in a dry run. */
  revoked: boolean
}

export type ConfirmationOfSignOuts = {
  user_id: string
  /** How many sessions were ended; in a dry run, how many would be. */
  revoked: number
}

/** What happened day by day, and how many users there are. */
export type Statistics = {
  /** Every day, the oldest first. Null where it was not counted yet. */
  days: {
    /** In UTC. */
    date: string
    /** Users with a `created_at` of this day, also those who were deleted later. */
    sign_ups: number
    /** How often somebody signed in. */
    sign_ins: number | null
    /** How often somebody tried to and was refused. */
    failed_sign_ins: number | null
    /** How many different users signed in, or used a session. */
    active_users: number | null
    /** False of today. */
    complete: boolean
  }[]
  /** How many users there are. With more than 50,000 of them it is up to ten seconds old. */
  totals: {
    /** All of them. */
    users: number
    /** Who can sign in if they have a password. */
    active: number
    /** Who cannot sign in. */
    inactive: number
    /** Who has a password. */
    with_password: number
    /** Who has none. */
    without_password: number
    /** Who has no `last_login_at`. */
    never_signed_in: number
    /** By role: the configured ones, and others that users still have. */
    roles: {
      role: string
      /** Who has this role. */
      users: number
    }[]
  }
  /** Of when the totals are. */
  generated_at: string
}

export type SetupState = {
  /** Whether there is no active administrator yet among the users. */
  open: boolean
}

/** The token of the link, and who becomes the first administrator. All values are strings. */
export type CompleteSetup = {
  /** What stands behind `#token=` in the link. */
  token: string
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. Any character counts, spaces too; common passwords and those made of the username or e-mail are refused. */
  password: string
  /** Unique, compared case-insensitively. */
  email?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
}

/** Where webhooks are sent to, without the secret that signs them. */
export type WebhookEndpoint = {
  endpoint_id: string
  url: string
  description: string
  event_types: string[] | null
  /** When false nothing is sent; what happens meanwhile is sent afterwards. */
  active: boolean
  /** `failing`: it is active, but the last attempt to send something failed; `failure` says what happened. `disabled`: `active` is false. */
  state: 'active' | 'failing' | 'disabled'
  /** The failed attempts since the last success; null: there are none. Tests do not count. */
  failure: {
    /** How many failed in a row, of all deliveries. */
    failed_attempts: number
    /** The first of them; null: unknown. */
    since: string | null
    /** The last of them; null: unknown. */
    last_attempt_at: string | null
    /** What the receiver answered last; null: nothing. */
    response_status: number | null
    /** Why there was no answer, or why it did not count. */
    error: string | null
  } | null
  /** Why Rollbook switched it off: `failing`, nothing has succeeded for days; `gone`, it answered 410. Null when it is active, or was switched off by somebody. */
  disabled_reason: string | null
  /** Since when five or more attempts in a row have failed, so that one delivery at a time is tried; five days later the endpoint is switched off. Null: fewer failed. `state` says `failing` from the first failed attempt. */
  failing_since: string | null
  /** Until then the secret before the last rotation signs as well; null: there is none. */
  previous_secret_expires_at: string | null
  created_at: string
  updated_at: string
}

/** An endpoint with the secret that signs what is sent to it, which is shown here and never again. */
export type NewWebhookEndpoint = WebhookEndpoint & {
  /** Give it to the receiver, as it is, for a library of Standard Webhooks. Not there in a dry run, which makes none. */
  secret?: string | undefined
}

export type CreateWebhookEndpoint = {
  /** Where to send to: https, without user name and fragment, and not an address inside the network. */
  url: string
  /** What it is for. */
  description?: string | undefined
  /** Which events are sent: types such as `user.created`, or `user.*` for all of a subject. Null, or left out: every event, those of later releases too. */
  event_types?: EventType[] | null | undefined
}

/** What is given is changed; the rest stays. */
export type UpdateWebhookEndpoint = {
  /** Where to send to: https, without user name and fragment, and not an address inside the network. */
  url?: string | undefined
  /** What it is for. */
  description?: string | undefined
  /** Which events are sent: types such as `user.created`, or `user.*` for all of a subject. Null, or left out: every event, those of later releases too. */
  event_types?: EventType[] | null | undefined
  /** True also begins anew after Rollbook has switched it off. */
  active?: boolean | undefined
}

export type ConfirmationOfWebhookDeletion = {
  endpoint_id: string
  /** False only in a dry run. */
  deleted: boolean
}

export type RotateWebhookSecret = {
  /** True in an emergency: somebody else may have the secret. It signs nothing any more; the receiver refuses what comes until it has the new one. */
  revoke_previous?: boolean | undefined
}

/** One event on its way to one endpoint. */
export type WebhookDelivery = {
  delivery_id: string
  endpoint_id: string
  /** The `webhook-id`: the same each time that it is sent. */
  event_id: string
  type: string
  /** `queued`: waits for an earlier one about the same user; `due`: to be sent, or sent again, at `next_attempt_at`; `delivered`; `dead`: given up after the last attempt. */
  status: DeliveryStatus
  attempt_count: number
  next_attempt_at: string | null
  created_at: string
  /** When it was delivered or given up. */
  finished_at: string | null
}

/** A delivery with its latest attempts, the newest last. */
export type WebhookDeliveryWithAttempts = WebhookDelivery & {
  attempts: {
    attempted_at: string
    duration_ms: number
    /** Null when there was no answer. */
    response_status: number | null
    /** The first 1,024 bytes of the answer. */
    response_body: string | null
    /** Why there was no answer, or why it did not count. */
    error: string | null
  }[]
}

/** Every operation: the parameters in its path and query, its body, and its answer. */
export type Operations = {
  /** `create_user_users_post` */
  'POST /users': { path: Empty; query: DryRun; body: CreateUser; answer: User }
  /** `list_users_users_get` */
  'GET /users': {
    path: Empty
    query: UserConditions & {
      /** At most so many users, with a `Link` to the next page. Without it, every user is returned. */
      limit?: number | undefined
      /** Where to go on: from the `Link` header of the page before. */
      cursor?: string | undefined
      /** With `limit`: leaves out so many users of the order, from its beginning or from the `cursor`. To read everybody, follow the `Link` instead. */
      offset?: number | undefined
      /** Order of the rows, `-` for descending; users without a value count as the smallest. Default: `user_id`. */
      sort?:
        | 'username'
        | '-username'
        | 'email'
        | '-email'
        | 'created_at'
        | '-created_at'
        | 'last_login_at'
        | '-last_login_at'
        | undefined
      /** Only these users; repeat the parameter, up to 500 times. */
      user_id?: string | string[] | undefined
      /** Adds `Total-Count`: how many users match, on all pages together. `estimate` with a `limit` says at once about how many, with `Total-Count-Estimated: true` where they were not counted. */
      count?: boolean | 'estimate' | undefined
    }
    body: undefined
    answer: User[]
  }
  /** `get_user_users__user_id__get` */
  'GET /users/{user_id}': { path: UserPath; query: Empty; body: undefined; answer: User }
  /** `update_user_users__user_id__patch` */
  'PATCH /users/{user_id}': { path: UserPath; query: DryRun; body: UpdateUser; answer: User }
  /** `delete_user_users__user_id__delete` */
  'DELETE /users/{user_id}': {
    path: UserPath
    query: DryRun & {
      /** Erase the user at once, so that nothing can be restored; also one who was deleted before. */
      purge?: boolean | undefined
    }
    body: undefined
    answer: ConfirmationOfDeletion
  }
  /** `export_users_users_export_post` */
  'POST /users/export': {
    path: Empty
    query: UserConditions &
      DryRun & {
        /** Only these users; repeat the parameter, up to 500 times. */
        user_id?: string | string[] | undefined
      }
    body: ExportUsers
    answer: PlannedExport
  }
  /** `list_deleted_users_deleted_users_get` */
  'GET /deleted-users': {
    path: Empty
    query: {
      /** At most so many, with a `Link` to the next page. */
      limit?: number | undefined
      /** Where to go on: from the `Link` header of the page before. */
      cursor?: string | undefined
    }
    body: undefined
    answer: DeletedUser[]
  }
  /** `restore_user_users__user_id__restore_post` */
  'POST /users/{user_id}/restore': { path: UserPath; query: DryRun; body: undefined; answer: User }
  /** `import_users_users_import_post` */
  'POST /users/import': {
    path: Empty
    query: {
      /** `create` (default): rows are new users. `update`: a user who is there gets the members of the row. */
      mode?: 'create' | 'update' | undefined
      /** With `mode=create`, when the user is there and is not as the row says: `reject` (default) the row, or `skip` it. */
      on_conflict?: 'reject' | 'skip' | undefined
      /** By what a user is known who is there. Default: `username`. */
      match?: ImportMatch | undefined
      /** Say what would become of each row, by the same rules, and change no user. */
      dry_run?: boolean | undefined
      /** A UUID of your choice. With it the import can be gone on with: send the same again. */
      job_id?: string | undefined
      /** The body begins behind this row: it is a part of the file. Default: 0. */
      from_row?: number | undefined
      /** How many lines of the file are before the first row of this part, those of the header and empty ones included, so that the verdicts name the lines of the file. The header that a part of a CSV file begins with does not count then. */
      from_line?: number | undefined
      /** False: the lines of the body are not those of the file, and verdicts have no `line`. Default: true. */
      count_lines?: boolean | undefined
      /** False: more parts will come. Default: true. */
      complete?: boolean | undefined
    }
    body: string
    answer: ImportJob
  }
  /** `list_imports_imports_get` */
  'GET /imports': {
    path: Empty
    query: {
      /** Default: 20. */
      limit?: number | undefined
    }
    body: undefined
    answer: ImportJob[]
  }
  /** `get_import_imports__job_id__get` */
  'GET /imports/{job_id}': { path: ImportPath; query: Empty; body: undefined; answer: ImportJob }
  /** `list_import_rows_imports__job_id__rows_get` */
  'GET /imports/{job_id}/rows': {
    path: ImportPath
    query: {
      /** Only rows with this verdict; may be repeated. */
      verdict?: ImportVerdict | ImportVerdict[] | undefined
      /** Only the rows behind this one. */
      after_row?: number | undefined
    }
    body: undefined
    answer: string
  }
  /** `cancel_import_imports__job_id__cancel_post` */
  'POST /imports/{job_id}/cancel': { path: ImportPath; query: DryRun; body: undefined; answer: ImportJob }
  /** `change_users_users_bulk_post` */
  'POST /users/bulk': {
    path: Empty
    query: DryRun & {
      /** Of whom there is a line: `all` (default), or those who are `refused` only. */
      rows?: 'all' | 'refused' | undefined
    }
    body: BulkChange
    answer: string
  }
  /** `get_lock_users__user_id__lock_get` */
  'GET /users/{user_id}/lock': { path: UserPath; query: Empty; body: undefined; answer: Lock }
  /** `unlock_user_users__user_id__lock_delete` */
  'DELETE /users/{user_id}/lock': { path: UserPath; query: DryRun; body: undefined; answer: Lock }
  /** `set_password_users__user_id__password_post` */
  'POST /users/{user_id}/password': { path: UserPath; query: DryRun; body: SetPassword; answer: User }
  /** `get_me_me_get` */
  'GET /me': { path: Empty; query: Empty; body: undefined; answer: Me }
  /** `update_me_me_patch` */
  'PATCH /me': { path: Empty; query: DryRun; body: UpdateMe; answer: Me }
  /** `change_my_password_me_password_post` */
  'POST /me/password': { path: Empty; query: DryRun; body: ChangeOwnPassword; answer: ConfirmationOfPassword }
  /** `create_session_sessions_post` */
  'POST /sessions': { path: Empty; query: Empty; body: CreateSession; answer: Session }
  /** `list_sessions_sessions_get` */
  'GET /sessions': { path: Empty; query: Empty; body: undefined; answer: Session[] }
  /** `end_other_sessions_sessions_delete` */
  'DELETE /sessions': { path: Empty; query: DryRun; body: undefined; answer: ConfirmationOfSignOuts }
  /** `end_current_session_sessions_current_delete` */
  'DELETE /sessions/current': { path: Empty; query: DryRun; body: undefined; answer: ConfirmationOfSignOut }
  /** `end_session_sessions__session_id__delete` */
  'DELETE /sessions/{session_id}': { path: SessionPath; query: DryRun; body: undefined; answer: ConfirmationOfSignOut }
  /** `get_setup_setup_get` */
  'GET /setup': { path: Empty; query: Empty; body: undefined; answer: SetupState }
  /** `complete_setup_setup_post` */
  'POST /setup': { path: Empty; query: Empty; body: CompleteSetup; answer: Session }
  /** `list_user_sessions_users__user_id__sessions_get` */
  'GET /users/{user_id}/sessions': { path: UserPath; query: Empty; body: undefined; answer: Session[] }
  /** `end_user_sessions_users__user_id__sessions_delete` */
  'DELETE /users/{user_id}/sessions': { path: UserPath; query: DryRun; body: undefined; answer: ConfirmationOfSignOuts }
  /** `end_user_session_users__user_id__sessions__session_id__delete` */
  'DELETE /users/{user_id}/sessions/{session_id}': {
    path: UserPath & SessionPath
    query: DryRun
    body: undefined
    answer: ConfirmationOfSignOut
  }
  /** `list_roles_roles_get` */
  'GET /roles': { path: Empty; query: Empty; body: undefined; answer: Role[] }
  /** `create_key_keys_post` */
  'POST /keys': { path: Empty; query: DryRun; body: CreateApiKey; answer: NewApiKey }
  /** `list_keys_keys_get` */
  'GET /keys': { path: Empty; query: Empty; body: undefined; answer: ApiKey[] }
  /** `rotate_key_keys__key_id__rotate_post` */
  'POST /keys/{key_id}/rotate': { path: KeyPath; query: DryRun; body: undefined; answer: NewApiKey }
  /** `revoke_key_keys__key_id__delete` */
  'DELETE /keys/{key_id}': { path: KeyPath; query: DryRun; body: undefined; answer: ConfirmationOfRevocation }
  /** `issue_token_token_post` */
  'POST /token': { path: Empty; query: Empty; body: RequestToken | undefined; answer: AccessToken }
  /** `get_key_set__well_known_jwks_json_get` */
  'GET /.well-known/jwks.json': {
    path: Empty
    query: Empty
    body: undefined
    answer: { keys: Record<string, unknown>[] }
  }
  /** `get_issuer__well_known_oauth_authorization_server_get` */
  'GET /.well-known/oauth-authorization-server': {
    path: Empty
    query: Empty
    body: undefined
    answer: { issuer: string; jwks_uri: string }
  }
  /** `list_signing_keys_signing_keys_get` */
  'GET /signing-keys': { path: Empty; query: Empty; body: undefined; answer: SigningKey[] }
  /** `rotate_signing_key_signing_keys_rotate_post` */
  'POST /signing-keys/rotate': { path: Empty; query: DryRun; body: RotateSigningKeys | undefined; answer: SigningKey }
  /** `list_revocations_revocations_get` */
  'GET /revocations': {
    path: Empty
    query: {
      /** Only what came after this `cursor` or `seq`. Left out: everything that is kept, 15 minutes. */
      after?: number | undefined
    }
    body: undefined
    answer: Revocations
  }
  /** `list_webhooks_webhooks_get` */
  'GET /webhooks': { path: Empty; query: Empty; body: undefined; answer: WebhookEndpoint[] }
  /** `create_webhook_webhooks_post` */
  'POST /webhooks': { path: Empty; query: DryRun; body: CreateWebhookEndpoint; answer: NewWebhookEndpoint }
  /** `get_webhook_webhooks__endpoint_id__get` */
  'GET /webhooks/{endpoint_id}': { path: EndpointPath; query: Empty; body: undefined; answer: WebhookEndpoint }
  /** `update_webhook_webhooks__endpoint_id__patch` */
  'PATCH /webhooks/{endpoint_id}': {
    path: EndpointPath
    query: DryRun
    body: UpdateWebhookEndpoint
    answer: WebhookEndpoint
  }
  /** `delete_webhook_webhooks__endpoint_id__delete` */
  'DELETE /webhooks/{endpoint_id}': {
    path: EndpointPath
    query: DryRun
    body: undefined
    answer: ConfirmationOfWebhookDeletion
  }
  /** `rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post` */
  'POST /webhooks/{endpoint_id}/rotate-secret': {
    path: EndpointPath
    query: DryRun
    body: RotateWebhookSecret | undefined
    answer: NewWebhookEndpoint
  }
  /** `list_deliveries_webhooks__endpoint_id__deliveries_get` */
  'GET /webhooks/{endpoint_id}/deliveries': {
    path: EndpointPath
    query: {
      /** Only those in this state. */
      status?: DeliveryStatus | undefined
      /** How many on a page; 100 unless given. */
      limit?: number | undefined
      /** From the `Link` of the page before. */
      cursor?: string | undefined
    }
    body: undefined
    answer: WebhookDelivery[]
  }
  /** `get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get` */
  'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}': {
    path: DeliveryPath
    query: Empty
    body: undefined
    answer: WebhookDeliveryWithAttempts
  }
  /** `test_webhook_webhooks__endpoint_id__test_post` */
  'POST /webhooks/{endpoint_id}/test': { path: EndpointPath; query: DryRun; body: undefined; answer: WebhookDelivery }
  /** `redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post` */
  'POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver': {
    path: DeliveryPath
    query: DryRun
    body: undefined
    answer: WebhookDelivery
  }
  /** `list_events_events_get` */
  'GET /events': {
    path: Empty
    query: {
      /** Only what came after this `cursor`, or after the event with this `sequence`. Left out, or 0: from the beginning. */
      after?: string | undefined
      /** At most so many events; 100 when left out. */
      limit?: number | undefined
      /** When there is nothing new, wait for so many seconds until there is. */
      wait?: number | undefined
      /** Only events of this type, or of all types of a noun (`user.*`); repeat the parameter for several. */
      type?: EventType | EventType[] | undefined
      /** The `feed_id` that `after` came with: 410 when the history is another one by now. */
      feed_id?: string | undefined
    }
    body: undefined
    answer: EventPage
  }
  /** `list_audit_audit_get` */
  'GET /audit': {
    path: Empty
    query: AuditQuery & {
      /** Only what was done to this id. */
      target?: string | undefined
    }
    body: undefined
    answer: AuditRecord[]
  }
  /** `list_user_audit_users__user_id__audit_get` */
  'GET /users/{user_id}/audit': { path: UserPath; query: AuditQuery; body: undefined; answer: AuditRecord[] }
  /** `get_audit_checkpoint_audit_checkpoint_get` */
  'GET /audit/checkpoint': { path: Empty; query: Empty; body: undefined; answer: AuditCheckpoint }
  /** `live_health_live_get` */
  'GET /health/live': { path: Empty; query: Empty; body: undefined; answer: { status: 'ok' } }
  /** `ready_health_ready_get` */
  'GET /health/ready': { path: Empty; query: Empty; body: undefined; answer: { status: 'ok' } }
  /** `get_metrics_metrics_get` */
  'GET /metrics': { path: Empty; query: Empty; body: undefined; answer: string }
  /** `get_deployment_deployment_get` */
  'GET /deployment': { path: Empty; query: Empty; body: undefined; answer: Deployment }
  /** `get_statistics_statistics_get` */
  'GET /statistics': {
    path: Empty
    query: {
      /** How many days, the last of them today. */
      days?: number | undefined
    }
    body: undefined
    answer: Statistics
  }
  /** `introspect_token_introspect_post` */
  'POST /introspect': { path: Empty; query: Empty; body: TokenInQuestion; answer: Introspection }
  /** `revoke_token_revoke_post` */
  'POST /revoke': { path: Empty; query: DryRun; body: TokenInQuestion; answer: Empty }
}
