/** The meaning and remedy of each alert, for the page its `runbook_url` links to. */
export const alertTexts = {
  RollbookDown: {
    severity: 'critical',
    happened: 'Prometheus has had no response for a minute, or only 401, 403 or 503.',
    doNext:
      'Is the process running, and does `health/live` respond? If so: is the key of Prometheus still valid, and does the database respond?',
  },
  RollbookAbsent: {
    severity: 'critical',
    happened: 'Prometheus has no target with `job="rollbook"`, so no other alert here can fire.',
    doNext: 'Check the targets page of Prometheus: was the job renamed, or does service discovery find no node?',
  },
  RollbookNotReady: {
    severity: 'critical',
    happened: 'A node refuses requests because it is stopping or cannot use its store.',
    doNext: 'The log says which. If a node is stopping but does not end, see `ROLLBOOK_SHUTDOWN_SECONDS`.',
  },
  RollbookDatabaseUnreachable: {
    severity: 'critical',
    happened: 'The database does not respond to this node.',
    doNext: 'Is the database running? Do other nodes reach it? Rollbook continues by itself when the database is back.',
  },
  RollbookStorageDamaged: {
    severity: 'critical',
    happened: 'The database is damaged, or its disk cannot be read. The node is not ready.',
    doNext:
      'The log has the details with level `error`. Stop the node, keep a copy of the data, check the disk, and restore a backup (docs/backup.md). On SQLite the node checks the file meanwhile; if it finds no damage, the node is ready again.',
  },
  RollbookStorageFails: {
    severity: 'warning',
    happened:
      'Reads or changes failed because of the storage, but not because of damage, a full disk or a lost connection.',
    doNext: 'The log line of each failed request has the reason. Check the disk and the system log, and take a backup.',
  },
  RollbookBackupOld: {
    severity: 'warning',
    happened: 'There was no backup in the last 36 hours.',
    doNext:
      'Check the job that runs `rollbook backup`; a successful backup is recorded. On PostgreSQL, let your tool touch the file `last-backup` in the data directory after each good backup (docs/backup.md).',
  },
  RollbookStoreUnreadable: {
    severity: 'warning',
    happened: 'The node accepts changes, but a small read took longer than a second.',
    doNext: 'Check the load and the locks of the database, or on SQLite the disk. The log has the cause.',
  },
  RollbookErrors: {
    severity: 'critical',
    happened: 'More than 2 % of the responses have a status of 500 or above.',
    doNext:
      'The dashboard panel "Refused, and failed" shows operation and status; the log has the cause of each. A 503 usually belongs to one of the other alerts.',
  },
  RollbookFaults: {
    severity: 'warning',
    happened: 'A response was 500: a bug in Rollbook, or an unexpected response from the database.',
    doNext: 'Find `"level":"error"` in the log, and report it.',
  },
  RollbookSlow: {
    severity: 'warning',
    happened: 'One request in a hundred takes longer than half a second, lists and passwords not counted.',
    doNext:
      'Is the main thread saturated, are all database connections in use, or is the disk slow? docs/sizing.md has figures.',
  },
  RollbookEventLoopFull: {
    severity: 'warning',
    happened: 'The main thread is busy nine tenths of the time; a node uses one core for requests.',
    doNext: 'Add a node (on PostgreSQL), or find the client that sends so many requests: `actor` in the log.',
  },
  RollbookHashQueueRefuses: {
    severity: 'critical',
    happened: 'Users cannot sign in: too many passwords are waiting to be verified.',
    doNext:
      'If `RollbookSignInsFail` fires too, it is an attack. Otherwise add cores or nodes; a larger `ROLLBOOK_HASH_QUEUE` only makes users wait longer.',
  },
  RollbookChangesRefused: {
    severity: 'critical',
    happened: 'Changes are refused because too many are waiting.',
    doNext:
      'The disk or the database is slow, or a client writes too much. See `ROLLBOOK_WRITE_QUEUE` and `ROLLBOOK_DATABASE_POOL_SIZE`.',
  },
  RollbookSnapshotsExhausted: {
    severity: 'warning',
    happened: 'Whole lists are refused: too many are being streamed, or the clients read them too slowly.',
    doNext:
      'Find the client that reads whole lists so often and let it follow the change feed instead. See `ROLLBOOK_MAX_SNAPSHOTS`.',
  },
  RollbookPoolExhausted: {
    severity: 'warning',
    happened: 'Requests have waited for a connection to PostgreSQL for two minutes.',
    doNext: 'Raise `ROLLBOOK_DATABASE_POOL_SIZE` if the database has room; otherwise the database is too slow.',
  },
  RollbookConnectionsExhausted: {
    severity: 'warning',
    happened: 'Nine tenths of the allowed client connections are open.',
    doNext: 'Find the clients that hold them. See `ROLLBOOK_MAX_CONNECTIONS`, and the limit of open files.',
  },
  RollbookSignInsFail: {
    severity: 'warning',
    happened: 'More sign-ins fail than succeed, and more than one fails every two seconds.',
    doNext:
      'This is password guessing, or an application with an old password. `GET /audit?action=session.created&outcome=failure` shows the addresses. Throttling slows guessing down automatically.',
  },
  RollbookJournalStuck: {
    severity: 'warning',
    happened:
      'On PostgreSQL, changes are waiting for their sequence number in the audit and the change feed. They are stored safely meanwhile.',
    doNext:
      'The log has the reason (`the journal could not be settled`). A lock may be held: check `pg_stat_activity`.',
  },
  RollbookWebhooksLate: {
    severity: 'warning',
    happened: 'Events have been waiting for 15 minutes, although their receivers are working.',
    doNext: 'Are receivers slow, or are there more events than they accept? Does the log mention webhooks?',
  },
  RollbookWebhookEndpointFails: {
    severity: 'warning',
    happened: 'A receiver has accepted no delivery for an hour.',
    doNext: '`GET /webhooks` shows it with `failing_since`; its deliveries show the responses.',
  },
  RollbookWebhooksDead: {
    severity: 'warning',
    happened: 'Webhook deliveries were given up after all retries.',
    doNext: 'Repair the receiver, then retry the deliveries.',
  },
  RollbookInactivityStopped: {
    severity: 'warning',
    happened: 'A run of the inactivity rule would disable more than 10 users, and more than 5 % of the active ones.',
    doNext:
      '`rollbook inactivity preview` shows them. Continue with `rollbook inactivity confirm`, or change the rule (docs/inactivity.md).',
  },
  RollbookMailServerFails: {
    severity: 'critical',
    happened:
      'The mail server has accepted no message for ten minutes. Users who wait for a link, an invitation or a confirmation cannot continue.',
    doNext:
      'The log has a line with `"system":"mail_server"` and the `cause`; `rollbook mails server` and `rollbook doctor` check the mail server. Rollbook retries by itself and sends what waits.',
  },
  RollbookMailsLate: {
    severity: 'warning',
    happened: 'A message that should have been sent 15 minutes ago still waits.',
    doNext:
      'If `RollbookMailServerFails` fires too, start there. Otherwise more messages wait than the mail server takes, or it asks to retry later: `GET /mails` shows its responses.',
  },
  RollbookProviderFails: {
    severity: 'critical',
    happened:
      'An identity provider or a directory fails, or refuses the credentials of its connection, so users cannot sign in through it.',
    doNext:
      'The log has a line with `"system":"identity_provider"`, the `connection_id` and the `cause`; `GET /connections/{connection_id}/failures` has the details. Does the provider work, and has the client secret, the password of `bind_dn` or a certificate expired? docs/way-back-in.md says how administrators get in meanwhile.',
  },
  RollbookTrustedIssuerFails: {
    severity: 'warning',
    happened:
      'The signing keys of a trusted issuer cannot be fetched. The known ones are used for an hour; then its tokens are refused with 503.',
    doNext:
      'The log has a line with `"system":"trusted_issuer"`, the `issuer` and the `cause`. Does its `jwks_url` respond to this node with 200?',
  },
  RollbookDirectorySyncFails: {
    severity: 'warning',
    happened:
      'A synchronization with a directory failed, or (`incomplete`) disabled no missing user because accounts could not be read or too many were missing. Users who have left may still be active.',
    doNext:
      '`GET /connections/{connection_id}/failures` and the job among the imports have the reason. Correct the connection or the directory, and synchronize again.',
  },
  RollbookDirectorySyncOverdue: {
    severity: 'warning',
    happened: 'The last successful synchronization of a directory is older than twice its `sync_hours`.',
    doNext:
      'If `RollbookDirectorySyncFails` fired, start there. Otherwise: does a node run housekeeping, and does the job that runs take this long?',
  },
  RollbookScimFails: {
    severity: 'warning',
    happened:
      'More than half of the SCIM requests of the last hour were rejected, came without a valid key, or failed here. Users are not created, changed or disabled as the identity provider asks.',
    doNext:
      'The connection under **Provisioning** lists the rejected requests and what to change. If the outcome is `unauthorized`, was the key revoked or replaced? If it is `failed`, see `RollbookErrors`.',
  },
  RollbookDiskFull: {
    severity: 'warning',
    happened:
      'SQLite: less than 512 MiB are free on the disk, or it will be full within a day if the trend of the last six hours continues.',
    doNext: 'Make room before changes are refused: docs/incidents.md, "A full disk".',
  },
  RollbookDiskExhausted: {
    severity: 'critical',
    happened:
      'SQLite: less than 64 MiB are free on the disk. Changes and sign-ins are refused now, or within minutes; reads still work.',
    doNext:
      'Make room at once: docs/incidents.md, "A full disk". Rollbook continues by itself; nothing that was acknowledged is lost.',
  },
  RollbookApiKeyExpires: {
    severity: 'warning',
    happened:
      'An API key that was created for more than a month expires within a week. Clients that use it will then be refused.',
    doNext:
      '`GET /keys` shows which, by `expires_at` and `last_used_at`. Create a new key, give it to the client, and revoke the old one; if no client needs the key, revoke it now.',
  },
  RollbookCertificateExpires: {
    severity: 'warning',
    happened:
      'The TLS certificate in front of Rollbook expires within two weeks. This alert needs the blackbox exporter; `prometheus.yml` shows how to add it.',
    doNext:
      'Find out why it was not renewed automatically, and renew it. Browsers and clients refuse an expired certificate.',
  },
} as const satisfies Record<string, { severity: 'critical' | 'warning'; happened: string; doNext: string }>
