/**
 * The tables that a move copies, in this order. A test fails if either engine's schema has a table that is neither here nor
 * in `leftOut`, so that adding one forces a decision.
 */
export type Table = {
  name: string
  /** The primary key: rows are copied and compared in its order. */
  key: readonly string[]
}

export const tables: readonly Table[] = [
  { name: 'users', key: ['user_id'] },
  { name: 'user_ends', key: ['user_id'] },
  { name: 'attribute_definitions', key: ['name'] },
  { name: 'search_refresh', key: ['name'] },
  { name: 'branding', key: ['scope'] },
  { name: 'attribute_values', key: ['attribute', 'value_key', 'user_id'] },
  { name: 'roles', key: ['role'] },
  { name: 'policies', key: ['name'] },
  { name: 'organizations', key: ['organization_id'] },
  { name: 'organization_domains', key: ['organization_id', 'domain'] },
  { name: 'organization_setup_links', key: ['setup_link_id'] },
  { name: 'user_groups', key: ['group_id'] },
  { name: 'group_members', key: ['group_id', 'user_id'] },
  { name: 'membership_ends', key: ['group_id', 'user_id'] },
  { name: 'scim_documents', key: ['user_id'] },
  { name: 'scim_emails', key: ['email_key', 'user_id'] },
  { name: 'provisioning_connections', key: ['connection_id'] },
  { name: 'rejected_requests', key: ['rejection_id'] },
  { name: 'api_keys', key: ['key_id'] },
  { name: 'idempotency_keys', key: ['scope'] },
  { name: 'jobs', key: ['name'] },
  { name: 'sessions', key: ['session_id'] },
  { name: 'trusted_browsers', key: ['browser_id'] },
  { name: 'sign_in_throttles', key: ['throttle_key'] },
  { name: 'factors', key: ['factor_id'] },
  { name: 'recovery_codes', key: ['user_id', 'code_hash'] },
  { name: 'challenges', key: ['challenge_id'] },
  { name: 'cli_logins', key: ['login_id'] },
  { name: 'sign_in_connections', key: ['connection_id'] },
  { name: 'identities', key: ['identity_id'] },
  { name: 'pending_sign_ins', key: ['state_hash'] },
  { name: 'used_messages', key: ['message_hash'] },
  { name: 'passwordless', key: ['connection_id', 'domain'] },
  { name: 'break_glass', key: ['connection_id', 'user_id'] },
  { name: 'sign_in_failures', key: ['failure_id'] },
  { name: 'signing_keys', key: ['kid'] },
  { name: 'secrets', key: ['name'] },
  { name: 'revoked', key: ['seq'] },
  { name: 'audit_records', key: ['seq'] },
  { name: 'events', key: ['seq'] },
  { name: 'journal_state', key: ['name'] },
  { name: 'deleted_users', key: ['user_id'] },
  { name: 'erasures', key: ['user_id'] },
  { name: 'webhook_endpoints', key: ['endpoint_id'] },
  { name: 'webhook_deliveries', key: ['delivery_id'] },
  { name: 'webhook_backlogs', key: ['endpoint_id', 'order_key'] },
  { name: 'mails', key: ['mail_id'] },
  { name: 'user_links', key: ['link_id'] },
  { name: 'link_tokens', key: ['token_hash'] },
  { name: 'password_reset_requests', key: ['request_id'] },
  { name: 'access_requests', key: ['request_id'] },
  { name: 'reviews', key: ['review_id'] },
  { name: 'review_rows', key: ['review_id', 'position'] },
  { name: 'imports', key: ['job_id'] },
  { name: 'import_rows', key: ['job_id', 'first_row'] },
  { name: 'configuration_objects', key: ['section', 'object_id'] },
  { name: 'configuration_applies', key: ['apply_id'] },
  { name: 'setup_links', key: ['token_hash'] },
  { name: 'daily_counts', key: ['date', 'kind'] },
  { name: 'active_users', key: ['date', 'user_id'] },
]

/** Tables that each engine creates itself, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  migrations: 'the record of each schema',
  move_under_way: 'the mark of the move itself',
  users_search: 'the search index of SQLite, filled while users are written',
  search_pending: 'rows that wait for that index',
  search_texts: 'the texts of that index',
  audit_targets: 'an index of SQLite, filled while audit records are written',
  event_owners: 'an index of SQLite, filled while events are written',
  journal_indexed: 'up to which numbers those two are filled',
  journal_pending: 'entries of PostgreSQL that wait for their numbers; they get them before a move',
  mail_servers: 'the state of the mail server, which each store finds out by itself',
  nodes: 'who serves this database now',
  revocations: 'a count for the nodes of this database alone',
  user_changes: 'a count for the nodes of this database alone',
}

/** Columns that only one engine has. */
export const leftOutColumns: Readonly<Record<string, readonly string[]>> = {
  // It increases with user_id, also when users are written in the order of user_id.
  users: ['row_id'],
}
