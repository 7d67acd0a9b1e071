// Made from src/core/settings/ by `npm run generate`; change it there.

/** Texts, as in the environment. docs/configuration.md explains them. */
export type Settings = {
  /** Change it if your product serves this API under another prefix. `/` serves it at the root. Accepts a path such as /auth, of letters, digits and . _ ~ - (or / alone). Default: `/auth`. */
  readonly ROLLBOOK_BASE_PATH?: string | undefined
  /** Required: the address that clients use, including the base path. Accepts an http:// or https:// URL without user, query or fragment. */
  readonly ROLLBOOK_PUBLIC_URL?: string | undefined
  /** Set it if a proxy is in front: the address or network of the proxy. `X-Forwarded-For` and similar headers are used only from there. Not set: they are never used, and all clients seem to come from the proxy. Accepts addresses or networks such as 10.0.0.0/8, separated by commas. */
  readonly ROLLBOOK_TRUSTED_PROXIES?: string | undefined
  /** Set it to `true` if pages of other origins call your product behind Rollbook: their preflights (`OPTIONS`), which have no credential, then reach it without an identity (docs/in-front-of-your-product.md). Accepts true or false. Default: `false`. */
  readonly ROLLBOOK_PASS_PREFLIGHTS?: string | undefined
  /** Set it if pages of other origins call this API with a key or access token. Cookies are not accepted from them. Not set: no other origin is allowed. Accepts origins such as https://app.example.com, separated by commas. */
  readonly ROLLBOOK_CORS_ORIGINS?: string | undefined
  /** Set it if the system's name servers must not be asked for the records that prove domains of organizations: the addresses of resolvers, such as `192.0.2.53` or `[2001:db8::53]:5353`. Not set: the name servers of the system. Accepts addresses such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353, separated by commas. */
  readonly ROLLBOOK_DNS_SERVERS?: string | undefined
  /** Set it if your deployment supplies its own key with full access. Not set: the first start creates a key and stores it in `admin-key` in the data directory. Accepts 32 to 512 visible ASCII characters without spaces; a key that begins with rb_ needs its checksum. */
  readonly ROLLBOOK_ADMIN_KEY?: string | undefined
  /** A file that contains `ROLLBOOK_ADMIN_KEY`. */
  readonly ROLLBOOK_ADMIN_KEY_FILE?: string | undefined
  /** Set it to `true` only if a client can send its key only as `?API_KEY=`. URLs end up in logs and browser histories. Accepts true or false. Default: `false`. */
  readonly ROLLBOOK_API_KEY_IN_QUERY?: string | undefined
  /** Set it if your product needs roles between `admin` (all permissions) and `user` (none), which always exist, and nobody should change them while it runs. Others are created with `POST /roles` or in the console. Accepts a JSON object of role names, each with an array of permissions. Default: `{}`. */
  readonly ROLLBOOK_ROLES?: string | undefined
  /** Lower it if users should sign in again sooner than after 30 days, even if they use the product all the time. Accepts a whole number from 300 to 31536000. Default: `2592000`. */
  readonly ROLLBOOK_SESSION_SECONDS?: string | undefined
  /** Change it if an unused session should end sooner or later than after 7 days. Accepts a whole number from 300 to 31536000. Default: `604800`. */
  readonly ROLLBOOK_SESSION_IDLE_SECONDS?: string | undefined
  /** Set it if the web UI has another origin than this API, so that users may be sent back there after signing in (`return_to`). Not set: only to the origin of this API. Accepts origins such as https://app.example.com, separated by commas. */
  readonly ROLLBOOK_RETURN_ORIGINS?: string | undefined
  /** Set it to `required` so that a stolen password is not enough, or by role and group: `{"admin":"required","group:Staff":"required"}`, with `*` for the other roles. Users without a factor add one at the next sign-in. Not set: the policy of `PATCH /policies`, or `optional`. Accepts optional, required, or a JSON object such as {"admin":"required","group:Staff":"required"}. */
  readonly ROLLBOOK_SECOND_FACTOR?: string | undefined
  /** Set it to give users time: until this date (UTC) users who must add a factor are reminded, and can still sign in without it. Not set: it is required at once. Accepts a date such as 2026-11-22. */
  readonly ROLLBOOK_SECOND_FACTOR_FROM?: string | undefined
  /** The domain that passkeys belong to, which can be a parent of the host in `ROLLBOOK_PUBLIC_URL`. Passkeys work only there, so choose before the first user adds one. After a change list both, the one for new passkeys first. Not set: the host of `ROLLBOOK_PUBLIC_URL`, or `localhost`. Accepts domains such as example.com, separated by commas. */
  readonly ROLLBOOK_PASSKEY_RP_ID?: string | undefined
  /** Set it if pages of other origins, such as https://orchard.example.net, may use the same passkeys. Browsers ask `/.well-known/webauthn` on the domain of the passkeys, which lists them besides `ROLLBOOK_PUBLIC_URL` (docs/second-factors.md). Accepts origins such as https://app.example.com, separated by commas. */
  readonly ROLLBOOK_PASSKEY_ORIGINS?: string | undefined
  /** Set it, for example to 30, so that users may choose not to be asked for their second factor in the same browser for that many days. The password is still asked for. `0`: always asked. Accepts a whole number from 0 to 90. Default: `0`. */
  readonly ROLLBOOK_TRUST_BROWSER_DAYS?: string | undefined
  /** Set it to `on` if people may ask for access on the page `/request-access`, which confirms their address by email. There is no user before an administrator approves (docs/access-requests.md). Accepts one of off, on. Default: `off`. */
  readonly ROLLBOOK_ACCESS_REQUESTS?: string | undefined
  /** Set it to `on` so that users can sign in with a six-digit code that they get by email, without a password. A second factor is still asked for. Needs `ROLLBOOK_SMTP_URL`. Accepts one of off, on. Default: `off`. */
  readonly ROLLBOOK_EMAIL_CODE?: string | undefined
  /** Set it to `loopback` if users should not sign in the command line with a code that they type, which a stranger could send them: `rollbook login` then needs a browser on the same machine. `off`: there is no such sign-in. Accepts one of on, loopback, off. Default: `on`. */
  readonly ROLLBOOK_CLI_LOGIN?: string | undefined
  /** Set it if an identity provider of a sign-in connection is in your own network. Everyone who may create connections can have requests sent there, so list only what they need. Not set: only public addresses are called. Accepts addresses or networks such as 10.0.0.0/8, IPv4 networks not written as IPv6, separated by commas. */
  readonly ROLLBOOK_IDP_ALLOWED_NETWORKS?: string | undefined
  /** Set it if your main API expects another `aud` in access tokens. Not set: the origin of `ROLLBOOK_PUBLIC_URL`. Accepts 1 to 255 visible ASCII characters without spaces. */
  readonly ROLLBOOK_TOKEN_AUDIENCE?: string | undefined
  /** Lower it if services verify tokens offline without the revocation feed and may accept a revoked token for less than 5 minutes. Accepts a whole number from 30 to 300. Default: `300`. */
  readonly ROLLBOOK_TOKEN_SECONDS?: string | undefined
  /** Set it to `ES256` if a library that verifies access tokens knows no EdDSA keys (docs/verify-any-language.md). The next signing key is then of this kind. Accepts one of EdDSA, ES256. Default: `EdDSA`. */
  readonly ROLLBOOK_TOKEN_ALGORITHM?: string | undefined
  /** Change it if the key that signs access tokens should be replaced more or less often. `0`: only with `POST /signing-keys/rotate`. Accepts a whole number from 0 to 3650. Default: `90`. */
  readonly ROLLBOOK_SIGNING_KEY_DAYS?: string | undefined
  /** Set it so that a person who can read the database or a backup cannot sign tokens: it encrypts the private keys, and the secrets of one-time codes, webhooks and connections. Keep it safe: without it they are lost (docs/signing-keys.md). Accepts 32 to 512 visible ASCII characters without spaces. */
  readonly ROLLBOOK_KEY_ENCRYPTION_SECRET?: string | undefined
  /** A file that contains `ROLLBOOK_KEY_ENCRYPTION_SECRET`. */
  readonly ROLLBOOK_KEY_ENCRYPTION_SECRET_FILE?: string | undefined
  /** Set it to the old secret while you replace `ROLLBOOK_KEY_ENCRYPTION_SECRET`, until `rollbook secrets rotate` has run (docs/signing-keys.md). Accepts 32 to 512 visible ASCII characters without spaces. */
  readonly ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS?: string | undefined
  /** A file that contains `ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS`. */
  readonly ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS_FILE?: string | undefined
  /** Set it if Rollbook should accept tokens of your main API or of an identity provider (docs/trusted-issuers.md). Accepts a JSON array of objects with issuer, audience, jwks_url, algorithms, roles, and optionally roles_claim and token_types. Default: `[]`. */
  readonly ROLLBOOK_TRUSTED_ISSUERS?: string | undefined
  /** Change it to put the database on another disk or volume. A relative path starts at the directory in which the server is started. Accepts one line of at most 4096 characters. Default: `./data`. */
  readonly ROLLBOOK_DATA_DIR?: string | undefined
  /** Set it to store users in PostgreSQL, for several nodes: `postgres://user:password@host:5432/database`, with commas between several hosts. Not set: SQLite in the data directory. Accepts a URL such as postgres://user:password@host:5432/database. */
  readonly ROLLBOOK_DATABASE_URL?: string | undefined
  /** A file that contains `ROLLBOOK_DATABASE_URL`. */
  readonly ROLLBOOK_DATABASE_URL_FILE?: string | undefined
  /** Change it if two installations share a database, or if you are given a schema. The start creates the schema if it is allowed to. Accepts 1 to 48 of a-z, 0-9 and _, beginning with a letter, and not with pg_. Default: `rollbook`. */
  readonly ROLLBOOK_DATABASE_SCHEMA?: string | undefined
  /** Raise it if changes wait for connections although the database has room; lower it if the database allows too few. This many connections are for changes. A node also opens up to four for quick reads, four for searches, one to listen on, and one for each streamed list (`ROLLBOOK_MAX_SNAPSHOTS`). Accepts a whole number from 1 to 1000. Default: `10`. */
  readonly ROLLBOOK_DATABASE_POOL_SIZE?: string | undefined
  /** Set it to the name of your product. Pages show it, and passwords made of it are refused. Accepts one line of at most 64 characters. Default: `Rollbook`. */
  readonly ROLLBOOK_PRODUCT_NAME?: string | undefined
  /** Set it if there are several deployments, such as `staging` and `production`: the console and the docs page show it as a coloured tag, red for production, amber for staging and tests, otherwise blue. Accepts one line of at most 32 characters. */
  readonly ROLLBOOK_ENVIRONMENT_NAME?: string | undefined
  /** Set it to `true` if clients must not overwrite changes they have not seen: changing an existing user without If-Match then returns 428. Accepts true or false. Default: `false`. */
  readonly ROLLBOOK_REQUIRE_IF_MATCH?: string | undefined
  /** Change it if clients need more or less than a day to switch to a rotated API key. `0` ends the old key at once. Accepts a whole number from 0 to 2592000. Default: `86400`. */
  readonly ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS?: string | undefined
  /** Raise it if clients repeat requests later than a day after the first attempt; lower it if the stored responses take too much space. Accepts a whole number from 1 to 720. Default: `24`. */
  readonly ROLLBOOK_IDEMPOTENCY_HOURS?: string | undefined
  /** Set it to today's date, such as 2026-11-22, if the machine was off for more than an hour or its clock was wrong, and old data should be deleted without waiting a day. It is valid on that day and the next. Accepts a date such as 2026-11-22. */
  readonly ROLLBOOK_CONFIRM_DATE?: string | undefined
  /** Change it if audit records must be kept for a longer or shorter time. They record who did what from which address. `0` keeps them forever. Accepts a whole number from 0 to 36500. Default: `400`. */
  readonly ROLLBOOK_AUDIT_DAYS?: string | undefined
  /** Raise it if clients that follow the changes may stop for more than 90 days and still continue; lower it if the events take too much space. Older events are removed once later ones replace them. `0` keeps all of them forever. Accepts 0 or a whole number from 30 to 36500. Default: `90`. */
  readonly ROLLBOOK_EVENTS_DAYS?: string | undefined
  /** For how many days deleted users can be restored before they are erased (docs/delete-and-erase.md). `0` erases them at once. A change does not affect users who are already deleted. Accepts a whole number from 0 to 3650. Default: `7`. */
  readonly ROLLBOOK_DELETION_GRACE_DAYS?: string | undefined
  /** Set it to `on` so that users may delete their own account on the account page (docs/account-page.md#deletion). Administrators can restore them as other deleted users. Accepts one of off, on. Default: `off`. */
  readonly ROLLBOOK_ACCOUNT_DELETION?: string | undefined
  /** Requests per minute for each user (all sessions and access tokens together), each subject of a trusted issuer, and each network that calls without a valid credential. Each node counts separately. `0` means no limit. Accepts a whole number from 0 to 10000000. Default: `6000`. */
  readonly ROLLBOOK_RATE_LIMIT?: string | undefined
  /** Requests per minute for each API key. Set it so that one script cannot use all capacity. `0` means no limit. Accepts a whole number from 0 to 10000000. Default: `0`. */
  readonly ROLLBOOK_RATE_LIMIT_API_KEYS?: string | undefined
  /** Raise it if request bodies are larger. Each body is held in memory while it is read. Accepts a whole number from 4096 to 10485760. Default: `65536`. */
  readonly ROLLBOOK_BODY_LIMIT_BYTES?: string | undefined
  /** Raise it if bursts of writes get 503 although they could wait; lower it if writes wait too long on a slow disk. Accepts a whole number from 1 to 1000000. Default: `2048`. */
  readonly ROLLBOOK_WRITE_QUEUE?: string | undefined
  /** Raise it if more clients stream the whole list at the same time. One credential can use at most half of them. Each holds a snapshot of the data. Accepts a whole number from 1 to 1024. Default: `16`. */
  readonly ROLLBOOK_MAX_SNAPSHOTS?: string | undefined
  /** Raise it if streaming a whole list takes longer. An old snapshot keeps the write-ahead log from being shortened. Accepts a whole number from 1 to 86400. Default: `600`. */
  readonly ROLLBOOK_SNAPSHOT_SECONDS?: string | undefined
  /** Raise it if clients pause for longer while they read a streamed list, or read less than 8 kB/s, and should not be disconnected. Accepts a whole number from 1 to 3600. Default: `30`. */
  readonly ROLLBOOK_SNAPSHOT_STALL_SECONDS?: string | undefined
  /** Lower it if other work shares the machine. `0` means one per core; more does not help. Accepts a whole number from 0 to 256. Default: `0`. */
  readonly ROLLBOOK_HASH_CONCURRENCY?: string | undefined
  /** Raise it if bursts of new passwords should wait longer for a core; lower it if they should get 503 sooner. Accepts a whole number from 1 to 100000. Default: `256`. */
  readonly ROLLBOOK_HASH_QUEUE?: string | undefined
  /** Set it if receivers are in your own network. Everyone who may create endpoints can have requests sent there, so list only what they need. Not set: only public addresses are called. Accepts addresses or networks such as 10.0.0.0/8, IPv4 networks not written as IPv6, separated by commas. */
  readonly ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS?: string | undefined
  /** Set it to `true` if a receiver in your own network has no certificate. Everyone on the network path can then read what is sent. Accepts true or false. Default: `false`. */
  readonly ROLLBOOK_WEBHOOK_ALLOW_HTTP?: string | undefined
  /** Raise it if receivers need longer to respond. It is better if they respond at once and do the work afterwards. Accepts a whole number from 1 to 60. Default: `15`. */
  readonly ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS?: string | undefined
  /** Set it to send email: `smtp://user:password@host:587` (with STARTTLS) or `smtps://user:password@host:465`. Needs `ROLLBOOK_MAIL_FROM` and `ROLLBOOK_PUBLIC_URL`. Not set: administrators hand links over (docs/email.md). Accepts a URL such as smtp://user:password@host:587 or smtps://user:password@host:465, with ?starttls=optional or never if the server has no TLS; special characters in user and password percent-encoded. */
  readonly ROLLBOOK_SMTP_URL?: string | undefined
  /** A file that contains `ROLLBOOK_SMTP_URL`. */
  readonly ROLLBOOK_SMTP_URL_FILE?: string | undefined
  /** Set it to the sender of messages, such as `Orchard <no-reply@orchard.example>`. Accepts an address such as Orchard <no-reply@orchard.example>. */
  readonly ROLLBOOK_MAIL_FROM?: string | undefined
  /** Change it if messages to users without a `locale` should be in another language. Built in: `en`, `de`, `ar`. Accepts a language such as en, de or pt-BR. Default: `en`. */
  readonly ROLLBOOK_MAIL_LOCALE?: string | undefined
  /** Set it to the time zone of your users, such as `Europe/Berlin`: messages state times in it, with its name. Accepts a time zone such as Europe/Berlin or UTC. Default: `UTC`. */
  readonly ROLLBOOK_MAIL_TIME_ZONE?: string | undefined
  /** Set it to a directory with templates that replace the built-in ones or add languages (docs/email.md). Accepts one line of at most 4096 characters. */
  readonly ROLLBOOK_MAIL_TEMPLATES?: string | undefined
  /** Set it if your mail server does not sign messages itself: the private key for DKIM (RFC 6376). Accepts a private RSA or Ed25519 key in PEM form, without a passphrase. */
  readonly ROLLBOOK_MAIL_DKIM_KEY?: string | undefined
  /** A file that contains `ROLLBOOK_MAIL_DKIM_KEY`. */
  readonly ROLLBOOK_MAIL_DKIM_KEY_FILE?: string | undefined
  /** Set it with `ROLLBOOK_MAIL_DKIM_KEY`: the public key is published under this name below `_domainkey`. Accepts 1 to 63 of a-z, 0-9 and -. */
  readonly ROLLBOOK_MAIL_DKIM_SELECTOR?: string | undefined
  /** `debug` logs more details, `warn` only what needs attention. `info` logs a line for each request. Accepts one of fatal, error, warn, info, debug, trace, silent. Default: `info`. */
  readonly ROLLBOOK_LOG_LEVEL?: string | undefined
  /** Set it if a load balancer in front checks `health/ready`. For this long after SIGTERM, `health/ready` returns 503 while requests are still served, so that the load balancer stops sending requests in time. Choose a little more than it needs to notice. Accepts a whole number from 0 to 300. Default: `0`. */
  readonly ROLLBOOK_LEAVE_SECONDS?: string | undefined
  /** Raise it if running requests, or your mail server, need longer to finish after SIGTERM. Keep it below the time that your platform waits before it kills the process. Accepts a whole number from 1 to 600. Default: `10`. */
  readonly ROLLBOOK_SHUTDOWN_SECONDS?: string | undefined
  /** Set it to apply a configuration file (docs/configuration-as-code.md) before the service starts to serve. A fault in the file stops the start with exit code 78. Accepts one line of at most 4096 characters. */
  readonly ROLLBOOK_APPLY_FILE?: string | undefined
  /** Raise it for a start at which `ROLLBOOK_APPLY_FILE` is to delete objects: how many it may. Accepts a whole number from 0 to 2000. Default: `0`. */
  readonly ROLLBOOK_APPLY_ALLOW_DELETE?: string | undefined
  /** Set it to keep settings in a file of `NAME=value` lines. It can be set only in the environment. Accepts one line of at most 4096 characters. */
  readonly ROLLBOOK_CONFIG_FILE?: string | undefined
}
