/** What each alert means and what to do, for the page that its `runbook_url` links to. */
export const alertTexts = {
  RollbookDown: {
    severity: 'critical',
    happened: 'Prometheus has had no answer for a minute, or 401, 403 or 503.',
    doNext:
      "Is the process there, and does `health/live` answer? If it does: does Prometheus' key still hold, and does the database answer?",
  },
  RollbookAbsent: {
    severity: 'critical',
    happened: 'Prometheus has no target with `job="rollbook"`, so no other alert here can fire.',
    doNext: 'Look at the targets page of Prometheus: was the job renamed, or does service discovery find no node?',
  },
  RollbookNotReady: {
    severity: 'critical',
    happened: 'A node refuses requests: it is stopping, or it cannot use its store.',
    doNext: 'The log says which. If a node was told to stop and does not end, see `ROLLBOOK_SHUTDOWN_SECONDS`.',
  },
  RollbookDatabaseUnreachable: {
    severity: 'critical',
    happened: 'The database does not answer this node.',
    doNext: 'Is the database running? Do other nodes reach it? Rollbook continues by itself when the database is back.',
  },
  RollbookStorageDamaged: {
    severity: 'critical',
    happened: 'The database is damaged, or its disk cannot be read. The node is not ready.',
    doNext:
      'The log has what was found, with level `error`. Stop the node, keep a copy of the data, look at the disk, and restore a backup (docs/backup.md). On SQLite a check of the file runs meanwhile: if it finds no damage, the node is ready again.',
  },
  RollbookStorageFails: {
    severity: 'warning',
    happened:
      'Reads or changes failed because of the storage, for another reason than damage, a full disk or a lost connection.',
    doNext:
      'The line of each failed request has the reason. Look at the disk and the log of the system, and take a backup.',
  },
  RollbookBackupOld: {
    severity: 'warning',
    happened: 'No backup was made for 36 hours, or none at all.',
    doNext:
      'Look at the job that runs `rollbook backup`, which records when it ends well. On PostgreSQL, let your tool touch the file `last-backup` in the data directory after each good backup (docs/backup.md).',
  },
  RollbookStoreUnreadable: {
    severity: 'warning',
    happened: 'The node accepts changes, but a small read took longer than a second.',
    doNext: 'Look at the load and the locks of the database; on SQLite look at the disk. The log has the cause.',
  },
  RollbookErrors: {
    severity: 'critical',
    happened: 'More than 2 % of the responses have a status of 500 or above.',
    doNext:
      'The dashboard panel "Refused, and failed" names operation and status; the log has the cause of each. 503 mostly belongs to one of the other alerts.',
  },
  RollbookFaults: {
    severity: 'warning',
    happened: 'A response was 500: a fault of the program, or an unexpected answer of the database.',
    doNext: 'Look for `"level":"error"` in the log, and report it.',
  },
  RollbookSlow: {
    severity: 'warning',
    happened: 'One request in a hundred takes longer than half a second, lists and passwords not counted.',
    doNext:
      'Is the main thread full, do connections to the database run out, is the disk slow? docs/sizing.md has figures.',
  },
  RollbookEventLoopFull: {
    severity: 'warning',
    happened: 'The main thread is busy nine tenths of the time; a node uses one core for requests.',
    doNext: 'Add a node (on PostgreSQL), or find the caller that asks so much: `actor` in the log.',
  },
  RollbookHashQueueRefuses: {
    severity: 'critical',
    happened: 'Users cannot sign in: too many passwords wait to be verified.',
    doNext:
      'If `RollbookSignInsFail` fires too, it is an attack. Otherwise add cores or nodes; a larger `ROLLBOOK_HASH_QUEUE` only makes users wait longer.',
  },
  RollbookChangesRefused: {
    severity: 'critical',
    happened: 'Changes are refused because too many are waiting.',
    doNext:
      'The disk or the database is slow, or a client writes very much. See `ROLLBOOK_WRITE_QUEUE` and `ROLLBOOK_DATABASE_POOL_SIZE`.',
  },
  RollbookSnapshotsExhausted: {
    severity: 'warning',
    happened: 'Whole lists are refused: too many are being streamed, or their readers are slow.',
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
    doNext: 'Find who holds them. See `ROLLBOOK_MAX_CONNECTIONS`, and the limit of open files.',
  },
  RollbookSignInsFail: {
    severity: 'warning',
    happened: 'More sign-ins fail than succeed, and more than one fails every two seconds.',
    doNext:
      'Guessing, or an application with an old password. `GET /audit?action=session.created&outcome=failure` has the addresses. Throttling slows guessing down by itself.',
  },
  RollbookJournalStuck: {
    severity: 'warning',
    happened: 'On PostgreSQL, changes wait for their place in the audit and the change feed. They are safe meanwhile.',
    doNext:
      'The log has the reason (`the journal could not be settled`). A lock may be held: look at `pg_stat_activity`.',
  },
  RollbookWebhooksLate: {
    severity: 'warning',
    happened: 'Events have not left for a quarter of an hour, and no failing receiver is the cause.',
    doNext: 'Are receivers slow, or are there more events than they accept? Does the log mention webhooks?',
  },
  RollbookWebhookEndpointFails: {
    severity: 'warning',
    happened: 'A receiver has accepted nothing for an hour.',
    doNext: '`GET /webhooks` shows it with `failing_since`; its deliveries have the responses.',
  },
  RollbookWebhooksDead: {
    severity: 'warning',
    happened: 'Webhook deliveries were given up after all retries.',
    doNext: 'Repair the receiver, then retry the deliveries.',
  },
  RollbookDiskFull: {
    severity: 'warning',
    happened:
      'SQLite: less than 512 MiB are left on the disk, or the trend of the last six hours uses it up within a day.',
    doNext: 'Make room before changes are refused: docs/operating.md, "A full disk".',
  },
  RollbookDiskExhausted: {
    severity: 'critical',
    happened:
      'SQLite: less than 64 MiB are left on the disk. Changes and sign-ins are refused now, or within minutes; reads still work.',
    doNext:
      'Make room at once: docs/operating.md, "A full disk". Rollbook continues by itself; nothing that was acknowledged is lost.',
  },
  RollbookApiKeyExpires: {
    severity: 'warning',
    happened: 'An API key that was made for more than a month ends within a week, and what uses it will be refused.',
    doNext:
      '`GET /keys` shows which, by `expires_at` and `last_used_at`. Create a new key, give it to the client, and revoke the old one; if no client needs the key, revoke it now.',
  },
  RollbookCertificateExpires: {
    severity: 'warning',
    happened:
      'The TLS certificate in front of Rollbook ends within two weeks. Seen by the blackbox exporter, which `prometheus.yml` shows how to add.',
    doNext:
      'Find out why it was not renewed by itself, and renew it. Browsers and clients refuse an expired certificate.',
  },
} as const satisfies Record<string, { severity: 'critical' | 'warning'; happened: string; doNext: string }>
