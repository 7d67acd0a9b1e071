/** What the panel knows of each operation beside its name: its anchor on the docs page, who may do it, and its method of the SDK. */
import type { OperationName } from './call.ts'

export type OperationFacts = {
  /** The operationId, by which the docs page knows it. */
  id: string
  /** A permission; `user`: a person who is signed in, no key; `any`: whoever is known. */
  needs: 'public' | 'any' | 'user' | `${string}:${string}`
  /** The method of the client, and what it takes: a member of the path, `query`, `body`, or a member of either. */
  sdk: readonly [method: string, ...takes: string[]]
  /** For a list without an end: the method that gives row by row what `sdk` gives as a page. */
  all?: string
  /** Gives row by row, always. */
  isStream?: true
  /** A POST that takes no Idempotency-Key. */
  isRepeatable?: true
}

export const operations = {
  'POST /users': { id: 'create_user_users_post', needs: 'users:write', sdk: ['users.create', 'body'] },
  'GET /users': { id: 'list_users_users_get', needs: 'users:read', sdk: ['users.page', 'query'], all: 'users.list' },
  'GET /users/{user_id}': { id: 'get_user_users__user_id__get', needs: 'users:read', sdk: ['users.get', 'user_id'] },
  'PATCH /users/{user_id}': {
    id: 'update_user_users__user_id__patch',
    needs: 'users:write',
    sdk: ['users.update', 'user_id', 'body'],
  },
  'DELETE /users/{user_id}': {
    id: 'delete_user_users__user_id__delete',
    needs: 'users:write',
    sdk: ['users.delete', 'user_id'],
  },
  'POST /users/bulk': {
    id: 'change_users_users_bulk_post',
    needs: 'users:write',
    sdk: ['users.bulk', 'body'],
    isStream: true,
  },
  'POST /users/export': {
    id: 'export_users_users_export_post',
    needs: 'users:export_hashes',
    sdk: ['users.exportSealed', 'body.passphrase', 'query'],
    isRepeatable: true,
  },
  'GET /deleted-users': {
    id: 'list_deleted_users_deleted_users_get',
    needs: 'users:read',
    sdk: ['deletedUsers.page', 'query'],
    all: 'deletedUsers.list',
  },
  'POST /users/{user_id}/restore': {
    id: 'restore_user_users__user_id__restore_post',
    needs: 'users:write',
    sdk: ['users.restore', 'user_id'],
  },
  'POST /users/import': {
    id: 'import_users_users_import_post',
    needs: 'users:import',
    sdk: ['users.import', 'file'],
    isRepeatable: true,
  },
  'GET /imports': { id: 'list_imports_imports_get', needs: 'users:import', sdk: ['imports.list', 'query'] },
  'GET /imports/{job_id}': {
    id: 'get_import_imports__job_id__get',
    needs: 'users:import',
    sdk: ['imports.get', 'job_id'],
  },
  'GET /imports/{job_id}/rows': {
    id: 'list_import_rows_imports__job_id__rows_get',
    needs: 'users:import',
    sdk: ['imports.rows', 'job_id', 'query'],
    isStream: true,
  },
  'POST /imports/{job_id}/cancel': {
    id: 'cancel_import_imports__job_id__cancel_post',
    needs: 'users:import',
    sdk: ['imports.cancel', 'job_id'],
  },
  'POST /users/{user_id}/password': {
    id: 'set_password_users__user_id__password_post',
    needs: 'users:write',
    sdk: ['users.setPassword', 'user_id', 'body'],
  },
  'GET /users/{user_id}/lock': {
    id: 'get_lock_users__user_id__lock_get',
    needs: 'users:read',
    sdk: ['users.lock', 'user_id'],
  },
  'DELETE /users/{user_id}/lock': {
    id: 'unlock_user_users__user_id__lock_delete',
    needs: 'users:write',
    sdk: ['users.unlock', 'user_id'],
  },
  'GET /users/{user_id}/sessions': {
    id: 'list_user_sessions_users__user_id__sessions_get',
    needs: 'sessions:read',
    sdk: ['sessions.listOf', 'user_id'],
  },
  'DELETE /users/{user_id}/sessions': {
    id: 'end_user_sessions_users__user_id__sessions_delete',
    needs: 'sessions:write',
    sdk: ['sessions.endAllOf', 'user_id'],
  },
  'DELETE /users/{user_id}/sessions/{session_id}': {
    id: 'end_user_session_users__user_id__sessions__session_id__delete',
    needs: 'sessions:write',
    sdk: ['sessions.endOf', 'user_id', 'session_id'],
  },
  'GET /users/{user_id}/audit': {
    id: 'list_user_audit_users__user_id__audit_get',
    needs: 'audit:read',
    sdk: ['audit.pageOf', 'user_id', 'query'],
    all: 'audit.listOf',
  },

  'GET /setup': { id: 'get_setup_setup_get', needs: 'public', sdk: ['setup.state'] },
  'POST /setup': {
    id: 'complete_setup_setup_post',
    needs: 'public',
    sdk: ['setup.complete', 'body'],
    isRepeatable: true,
  },
  'GET /statistics': { id: 'get_statistics_statistics_get', needs: 'users:read', sdk: ['statistics', 'query'] },
  'GET /me': { id: 'get_me_me_get', needs: 'user', sdk: ['me.get'] },
  'PATCH /me': { id: 'update_me_me_patch', needs: 'user', sdk: ['me.update', 'body'] },
  'POST /me/password': {
    id: 'change_my_password_me_password_post',
    needs: 'user',
    sdk: ['me.changePassword', 'body'],
  },
  'POST /sessions': {
    id: 'create_session_sessions_post',
    needs: 'public',
    sdk: ['sessions.create', 'body'],
    isRepeatable: true,
  },
  'GET /sessions': { id: 'list_sessions_sessions_get', needs: 'user', sdk: ['sessions.list'] },
  'DELETE /sessions': { id: 'end_other_sessions_sessions_delete', needs: 'user', sdk: ['sessions.endOthers'] },
  'DELETE /sessions/current': {
    id: 'end_current_session_sessions_current_delete',
    needs: 'user',
    sdk: ['sessions.endCurrent'],
  },
  'DELETE /sessions/{session_id}': {
    id: 'end_session_sessions__session_id__delete',
    needs: 'user',
    sdk: ['sessions.end', 'session_id'],
  },

  'GET /roles': { id: 'list_roles_roles_get', needs: 'users:read', sdk: ['roles.list'] },
  'POST /keys': { id: 'create_key_keys_post', needs: 'keys:write', sdk: ['keys.create', 'body'] },
  'GET /keys': { id: 'list_keys_keys_get', needs: 'keys:read', sdk: ['keys.list'] },
  'POST /keys/{key_id}/rotate': {
    id: 'rotate_key_keys__key_id__rotate_post',
    needs: 'keys:write',
    sdk: ['keys.rotate', 'key_id'],
  },
  'DELETE /keys/{key_id}': {
    id: 'revoke_key_keys__key_id__delete',
    needs: 'keys:write',
    sdk: ['keys.revoke', 'key_id'],
  },
  'POST /token': { id: 'issue_token_token_post', needs: 'any', sdk: ['tokens.issue', 'body'], isRepeatable: true },
  'POST /introspect': {
    id: 'introspect_token_introspect_post',
    needs: 'tokens:introspect',
    sdk: ['tokens.introspect', 'body.token'],
    isRepeatable: true,
  },
  'POST /revoke': {
    id: 'revoke_token_revoke_post',
    needs: 'any',
    sdk: ['tokens.revoke', 'body.token'],
    isRepeatable: true,
  },
  'GET /revocations': {
    id: 'list_revocations_revocations_get',
    needs: 'tokens:introspect',
    sdk: ['tokens.revocations', 'query'],
  },
  'GET /.well-known/jwks.json': {
    id: 'get_key_set__well_known_jwks_json_get',
    needs: 'public',
    sdk: ['tokens.keySet'],
  },
  'GET /.well-known/oauth-authorization-server': {
    id: 'get_issuer__well_known_oauth_authorization_server_get',
    needs: 'public',
    sdk: ['tokens.issuer'],
  },
  'GET /signing-keys': {
    id: 'list_signing_keys_signing_keys_get',
    needs: 'signing_keys:write',
    sdk: ['signingKeys.list'],
  },
  'POST /signing-keys/rotate': {
    id: 'rotate_signing_key_signing_keys_rotate_post',
    needs: 'signing_keys:write',
    sdk: ['signingKeys.rotate', 'body'],
  },

  'GET /webhooks': { id: 'list_webhooks_webhooks_get', needs: 'webhooks:read', sdk: ['webhooks.list'] },
  'POST /webhooks': { id: 'create_webhook_webhooks_post', needs: 'webhooks:write', sdk: ['webhooks.create', 'body'] },
  'GET /webhooks/{endpoint_id}': {
    id: 'get_webhook_webhooks__endpoint_id__get',
    needs: 'webhooks:read',
    sdk: ['webhooks.get', 'endpoint_id'],
  },
  'PATCH /webhooks/{endpoint_id}': {
    id: 'update_webhook_webhooks__endpoint_id__patch',
    needs: 'webhooks:write',
    sdk: ['webhooks.update', 'endpoint_id', 'body'],
  },
  'DELETE /webhooks/{endpoint_id}': {
    id: 'delete_webhook_webhooks__endpoint_id__delete',
    needs: 'webhooks:write',
    sdk: ['webhooks.delete', 'endpoint_id'],
  },
  'POST /webhooks/{endpoint_id}/rotate-secret': {
    id: 'rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post',
    needs: 'webhooks:write',
    sdk: ['webhooks.rotateSecret', 'endpoint_id', 'body'],
  },
  'POST /webhooks/{endpoint_id}/test': {
    id: 'test_webhook_webhooks__endpoint_id__test_post',
    needs: 'webhooks:write',
    sdk: ['webhooks.test', 'endpoint_id'],
  },
  'GET /webhooks/{endpoint_id}/deliveries': {
    id: 'list_deliveries_webhooks__endpoint_id__deliveries_get',
    needs: 'webhooks:read',
    sdk: ['webhooks.deliveryPage', 'endpoint_id', 'query'],
    all: 'webhooks.deliveries',
  },
  'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}': {
    id: 'get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get',
    needs: 'webhooks:read',
    sdk: ['webhooks.delivery', 'endpoint_id', 'delivery_id'],
  },
  'POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver': {
    id: 'redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post',
    needs: 'webhooks:write',
    sdk: ['webhooks.redeliver', 'endpoint_id', 'delivery_id'],
  },

  'GET /events': { id: 'list_events_events_get', needs: 'events:read', sdk: ['events.page', 'query'] },
  'GET /audit': { id: 'list_audit_audit_get', needs: 'audit:read', sdk: ['audit.page', 'query'], all: 'audit.list' },
  'GET /audit/checkpoint': {
    id: 'get_audit_checkpoint_audit_checkpoint_get',
    needs: 'audit:read',
    sdk: ['audit.checkpoint'],
  },
  'GET /health/live': { id: 'live_health_live_get', needs: 'public', sdk: ['health.live'] },
  'GET /health/ready': { id: 'ready_health_ready_get', needs: 'public', sdk: ['health.ready'] },
  'GET /metrics': { id: 'get_metrics_metrics_get', needs: 'metrics:read', sdk: ['metrics'] },
  'GET /deployment': { id: 'get_deployment_deployment_get', needs: 'metrics:read', sdk: ['deployment'] },
} as const satisfies Record<OperationName, OperationFacts> & Record<string, OperationFacts>

export function factsOf(operation: OperationName): OperationFacts {
  return operations[operation]
}
