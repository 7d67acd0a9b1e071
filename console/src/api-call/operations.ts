// Made from the OpenAPI document by `npm run generate`; change the routes of the service instead.
import type { OperationName } from '../api/call.ts'

export type OperationFacts = {
  /** The operationId, which is the anchor on the docs page. */
  id: string
  /** A permission; `user`: a signed-in user, no key; `any`: any credential. */
  needs: 'public' | 'any' | 'user' | `${string}:${string}`
  /** Its arguments in the SDK's order: path members, `body`, `query`. */
  takes: readonly string[]
  /** Answers line by line, always. */
  isStream?: true
  /** A POST that takes no Idempotency-Key. */
  isRepeatable?: true
}

export const operations: Record<OperationName, OperationFacts> = {
  'POST /users': { id: 'create_user_users_post', needs: 'users:write', takes: ['body'] },
  'GET /users': { id: 'list_users_users_get', needs: 'users:read', takes: ['query'] },
  'GET /users/{user_id}': { id: 'get_user_users__user_id__get', needs: 'users:read', takes: ['user_id'] },
  'PATCH /users/{user_id}': {
    id: 'update_user_users__user_id__patch',
    needs: 'users:write',
    takes: ['user_id', 'body'],
  },
  'DELETE /users/{user_id}': { id: 'delete_user_users__user_id__delete', needs: 'users:write', takes: ['user_id'] },
  'POST /users/{user_id}/password': {
    id: 'set_password_users__user_id__password_post',
    needs: 'users:write',
    takes: ['user_id', 'body'],
  },
  'GET /users/closest': { id: 'find_closest_users_users_closest_get', needs: 'users:read', takes: ['query'] },
  'POST /users/export': {
    id: 'export_users_users_export_post',
    needs: 'users:export_hashes',
    takes: ['body'],
    isRepeatable: true,
  },
  'GET /deleted-users': { id: 'list_deleted_users_deleted_users_get', needs: 'users:read', takes: ['query'] },
  'POST /users/{user_id}/restore': {
    id: 'restore_user_users__user_id__restore_post',
    needs: 'users:write',
    takes: ['user_id'],
  },
  'GET /attributes': { id: 'list_attributes_attributes_get', needs: 'attributes:read', takes: [] },
  'POST /attributes': { id: 'create_attribute_attributes_post', needs: 'attributes:write', takes: ['body'] },
  'GET /attributes/{name}': { id: 'get_attribute_attributes__name__get', needs: 'attributes:read', takes: ['name'] },
  'PATCH /attributes/{name}': {
    id: 'update_attribute_attributes__name__patch',
    needs: 'attributes:write',
    takes: ['name', 'body'],
  },
  'DELETE /attributes/{name}': {
    id: 'delete_attribute_attributes__name__delete',
    needs: 'attributes:write',
    takes: ['name'],
  },
  'GET /groups': { id: 'list_groups_groups_get', needs: 'groups:read', takes: ['query'] },
  'POST /groups': { id: 'create_group_groups_post', needs: 'groups:write', takes: ['body'] },
  'GET /groups/{group_id}': { id: 'get_group_groups__group_id__get', needs: 'groups:read', takes: ['group_id'] },
  'PATCH /groups/{group_id}': {
    id: 'update_group_groups__group_id__patch',
    needs: 'groups:write',
    takes: ['group_id', 'body'],
  },
  'DELETE /groups/{group_id}': {
    id: 'delete_group_groups__group_id__delete',
    needs: 'groups:write',
    takes: ['group_id'],
  },
  'GET /groups/{group_id}/members': {
    id: 'list_group_members_groups__group_id__members_get',
    needs: 'groups:read',
    takes: ['group_id', 'query'],
  },
  'POST /groups/{group_id}/members': {
    id: 'change_group_members_groups__group_id__members_post',
    needs: 'groups:write',
    takes: ['group_id', 'body'],
  },
  'PUT /groups/{group_id}/members/{user_id}': {
    id: 'add_group_member_groups__group_id__members__user_id__put',
    needs: 'groups:write',
    takes: ['group_id', 'user_id'],
  },
  'DELETE /groups/{group_id}/members/{user_id}': {
    id: 'remove_group_member_groups__group_id__members__user_id__delete',
    needs: 'groups:write',
    takes: ['group_id', 'user_id'],
  },
  'GET /users/{user_id}/groups': {
    id: 'list_groups_of_user_users__user_id__groups_get',
    needs: 'groups:read',
    takes: ['user_id'],
  },
  'POST /users/import': { id: 'import_users_users_import_post', needs: 'users:import', takes: [] },
  'GET /imports': { id: 'list_imports_imports_get', needs: 'users:import', takes: ['query'] },
  'GET /imports/{job_id}': { id: 'get_import_imports__job_id__get', needs: 'users:import', takes: ['job_id'] },
  'GET /imports/{job_id}/rows': {
    id: 'list_import_rows_imports__job_id__rows_get',
    needs: 'users:import',
    takes: ['job_id', 'query'],
    isStream: true,
  },
  'POST /imports/{job_id}/cancel': {
    id: 'cancel_import_imports__job_id__cancel_post',
    needs: 'users:import',
    takes: ['job_id'],
  },
  'POST /users/bulk': { id: 'change_users_users_bulk_post', needs: 'users:write', takes: ['body'], isStream: true },
  'GET /users/{user_id}/lock': { id: 'get_lock_users__user_id__lock_get', needs: 'users:read', takes: ['user_id'] },
  'DELETE /users/{user_id}/lock': {
    id: 'unlock_user_users__user_id__lock_delete',
    needs: 'users:write',
    takes: ['user_id'],
  },
  'GET /users/{user_id}/sign-in': {
    id: 'get_sign_in_state_users__user_id__sign_in_get',
    needs: 'users:read',
    takes: ['user_id'],
  },
  'GET /me': { id: 'get_me_me_get', needs: 'user', takes: [] },
  'PATCH /me': { id: 'update_me_me_patch', needs: 'user', takes: ['body'] },
  'POST /me/password': { id: 'change_my_password_me_password_post', needs: 'user', takes: ['body'] },
  'POST /me/email-verification': { id: 'verify_my_email_me_email_verification_post', needs: 'user', takes: [] },
  'GET /me/factors': { id: 'list_my_factors_me_factors_get', needs: 'user', takes: [] },
  'POST /me/factors/totp': { id: 'add_totp_me_factors_totp_post', needs: 'user', takes: ['body'] },
  'POST /me/factors/totp/{factor_id}/confirm': {
    id: 'confirm_totp_me_factors_totp__factor_id__confirm_post',
    needs: 'user',
    takes: ['factor_id', 'body'],
  },
  'PATCH /me/factors/{factor_id}': {
    id: 'rename_my_factor_me_factors__factor_id__patch',
    needs: 'user',
    takes: ['factor_id', 'body'],
  },
  'DELETE /me/factors/{factor_id}': {
    id: 'remove_my_factor_me_factors__factor_id__delete',
    needs: 'user',
    takes: ['factor_id'],
  },
  'POST /me/recovery-codes': { id: 'replace_recovery_codes_me_recovery_codes_post', needs: 'user', takes: [] },
  'POST /me/factors/passkeys/options': {
    id: 'begin_passkey_me_factors_passkeys_options_post',
    needs: 'user',
    takes: [],
  },
  'POST /me/factors/passkeys': { id: 'add_passkey_me_factors_passkeys_post', needs: 'user', takes: ['body'] },
  'GET /users/{user_id}/factors': {
    id: 'list_user_factors_users__user_id__factors_get',
    needs: 'users:read',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/factors': {
    id: 'reset_user_factors_users__user_id__factors_delete',
    needs: 'users:write',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/factors/{factor_id}': {
    id: 'remove_user_factor_users__user_id__factors__factor_id__delete',
    needs: 'users:write',
    takes: ['user_id', 'factor_id'],
  },
  'POST /second-factor-policy/test': {
    id: 'test_second_factor_policy_second_factor_policy_test_post',
    needs: 'users:read',
    takes: ['body'],
    isRepeatable: true,
  },
  'GET /second-factor-policy/users': {
    id: 'list_users_without_factor_second_factor_policy_users_get',
    needs: 'users:read',
    takes: ['query'],
  },
  'POST /sessions': { id: 'create_session_sessions_post', needs: 'public', takes: ['body'], isRepeatable: true },
  'GET /sessions': { id: 'list_sessions_sessions_get', needs: 'user', takes: [] },
  'DELETE /sessions': { id: 'end_other_sessions_sessions_delete', needs: 'user', takes: [] },
  'POST /sessions/passkey-options': {
    id: 'begin_passkey_sign_in_sessions_passkey_options_post',
    needs: 'public',
    takes: [],
    isRepeatable: true,
  },
  'POST /sessions/email-code': {
    id: 'request_email_code_sessions_email_code_post',
    needs: 'public',
    takes: ['body'],
    isRepeatable: true,
  },
  'GET /me/trusted-browsers': { id: 'list_my_trusted_browsers_me_trusted_browsers_get', needs: 'user', takes: [] },
  'DELETE /me/trusted-browsers/{browser_id}': {
    id: 'remove_my_trusted_browser_me_trusted_browsers__browser_id__delete',
    needs: 'user',
    takes: ['browser_id'],
  },
  'GET /users/{user_id}/trusted-browsers': {
    id: 'list_user_trusted_browsers_users__user_id__trusted_browsers_get',
    needs: 'sessions:read',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/trusted-browsers/{browser_id}': {
    id: 'remove_user_trusted_browser_users__user_id__trusted_browsers__browser_id__delete',
    needs: 'sessions:write',
    takes: ['user_id', 'browser_id'],
  },
  'DELETE /sessions/current': { id: 'end_current_session_sessions_current_delete', needs: 'user', takes: [] },
  'DELETE /sessions/{session_id}': {
    id: 'end_session_sessions__session_id__delete',
    needs: 'user',
    takes: ['session_id'],
  },
  'GET /users/{user_id}/sessions': {
    id: 'list_user_sessions_users__user_id__sessions_get',
    needs: 'sessions:read',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/sessions': {
    id: 'end_user_sessions_users__user_id__sessions_delete',
    needs: 'sessions:write',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/sessions/{session_id}': {
    id: 'end_user_session_users__user_id__sessions__session_id__delete',
    needs: 'sessions:write',
    takes: ['user_id', 'session_id'],
  },
  'POST /users/{user_id}/impersonation': {
    id: 'impersonate_user_users__user_id__impersonation_post',
    needs: 'users:impersonate',
    takes: ['user_id', 'body'],
  },
  'POST /sessions/current/reauthentication': {
    id: 'reauthenticate_sessions_current_reauthentication_post',
    needs: 'user',
    takes: ['body'],
  },
  'POST /sessions/current/reauthentication/passkey-options': {
    id: 'begin_passkey_confirmation_sessions_current_reauthentication_passkey_options_post',
    needs: 'user',
    takes: [],
  },
  'GET /setup': { id: 'get_setup_setup_get', needs: 'public', takes: [] },
  'POST /setup': { id: 'complete_setup_setup_post', needs: 'public', takes: ['body'], isRepeatable: true },
  'GET /roles': { id: 'list_roles_roles_get', needs: 'users:read', takes: [] },
  'POST /keys': { id: 'create_key_keys_post', needs: 'keys:write', takes: ['body'] },
  'GET /keys': { id: 'list_keys_keys_get', needs: 'keys:read', takes: [] },
  'POST /keys/{key_id}/rotate': { id: 'rotate_key_keys__key_id__rotate_post', needs: 'keys:write', takes: ['key_id'] },
  'DELETE /keys/{key_id}': { id: 'revoke_key_keys__key_id__delete', needs: 'keys:write', takes: ['key_id'] },
  'POST /me/keys': { id: 'create_my_key_me_keys_post', needs: 'user', takes: ['body'] },
  'GET /me/keys': { id: 'list_my_keys_me_keys_get', needs: 'user', takes: [] },
  'DELETE /me/keys/{key_id}': { id: 'revoke_my_key_me_keys__key_id__delete', needs: 'user', takes: ['key_id'] },
  'GET /users/{user_id}/keys': {
    id: 'list_user_keys_users__user_id__keys_get',
    needs: 'keys:read',
    takes: ['user_id'],
  },
  'POST /users/{user_id}/keys': {
    id: 'create_user_key_users__user_id__keys_post',
    needs: 'keys:write',
    takes: ['user_id', 'body'],
  },
  'DELETE /users/{user_id}/keys/{key_id}': {
    id: 'revoke_user_key_users__user_id__keys__key_id__delete',
    needs: 'keys:write',
    takes: ['user_id', 'key_id'],
  },
  'GET /provisioning': { id: 'list_connections_provisioning_get', needs: 'provisioning:read', takes: [] },
  'POST /provisioning': { id: 'create_connection_provisioning_post', needs: 'provisioning:write', takes: ['body'] },
  'GET /provisioning/{connection_id}': {
    id: 'get_connection_provisioning__connection_id__get',
    needs: 'provisioning:read',
    takes: ['connection_id'],
  },
  'PATCH /provisioning/{connection_id}': {
    id: 'update_connection_provisioning__connection_id__patch',
    needs: 'provisioning:write',
    takes: ['connection_id', 'body'],
  },
  'DELETE /provisioning/{connection_id}': {
    id: 'delete_connection_provisioning__connection_id__delete',
    needs: 'provisioning:write',
    takes: ['connection_id'],
  },
  'GET /provisioning/{connection_id}/rejected-requests': {
    id: 'list_rejected_requests_provisioning__connection_id__rejected_requests_get',
    needs: 'provisioning:read',
    takes: ['connection_id', 'query'],
  },
  'GET /connections': { id: 'list_sign_in_connections_connections_get', needs: 'connections:read', takes: [] },
  'POST /connections': {
    id: 'create_sign_in_connection_connections_post',
    needs: 'connections:write',
    takes: ['body'],
  },
  'GET /connections/{connection_id}': {
    id: 'get_sign_in_connection_connections__connection_id__get',
    needs: 'connections:read',
    takes: ['connection_id'],
  },
  'PATCH /connections/{connection_id}': {
    id: 'update_sign_in_connection_connections__connection_id__patch',
    needs: 'connections:write',
    takes: ['connection_id', 'body'],
  },
  'DELETE /connections/{connection_id}': {
    id: 'delete_sign_in_connection_connections__connection_id__delete',
    needs: 'connections:write',
    takes: ['connection_id'],
  },
  'POST /connections/{connection_id}/test': {
    id: 'test_sign_in_connection_connections__connection_id__test_post',
    needs: 'connections:read',
    takes: ['connection_id', 'body'],
  },
  'GET /connections/{connection_id}/failures': {
    id: 'list_sign_in_failures_connections__connection_id__failures_get',
    needs: 'connections:read',
    takes: ['connection_id', 'query'],
  },
  'GET /users/{user_id}/identities': {
    id: 'list_user_identities_users__user_id__identities_get',
    needs: 'users:read',
    takes: ['user_id'],
  },
  'POST /users/{user_id}/identities': {
    id: 'link_user_identity_users__user_id__identities_post',
    needs: 'users:write',
    takes: ['user_id', 'body'],
  },
  'DELETE /users/{user_id}/identities': {
    id: 'remove_user_identities_users__user_id__identities_delete',
    needs: 'users:write',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/identities/{identity_id}': {
    id: 'remove_user_identity_users__user_id__identities__identity_id__delete',
    needs: 'users:write',
    takes: ['user_id', 'identity_id'],
  },
  'GET /me/identities': { id: 'list_my_identities_me_identities_get', needs: 'user', takes: [] },
  'DELETE /me/identities': { id: 'remove_my_identities_me_identities_delete', needs: 'user', takes: [] },
  'POST /me/identities': { id: 'link_my_identity_me_identities_post', needs: 'user', takes: ['body'] },
  'DELETE /me/identities/{identity_id}': {
    id: 'remove_my_identity_me_identities__identity_id__delete',
    needs: 'user',
    takes: ['identity_id'],
  },
  'POST /connections/{connection_id}/sync': {
    id: 'sync_sign_in_connection_connections__connection_id__sync_post',
    needs: 'connections:write',
    takes: ['connection_id'],
  },
  'GET /connections/{connection_id}/metadata': {
    id: 'get_saml_metadata_connections__connection_id__metadata_get',
    needs: 'public',
    takes: ['connection_id'],
  },
  'POST /token': { id: 'issue_token_token_post', needs: 'any', takes: ['body'], isRepeatable: true },
  'GET /.well-known/jwks.json': { id: 'get_key_set__well_known_jwks_json_get', needs: 'public', takes: [] },
  'GET /.well-known/oauth-authorization-server': {
    id: 'get_issuer__well_known_oauth_authorization_server_get',
    needs: 'public',
    takes: [],
  },
  'GET /signing-keys': { id: 'list_signing_keys_signing_keys_get', needs: 'signing_keys:write', takes: [] },
  'POST /signing-keys/rotate': {
    id: 'rotate_signing_key_signing_keys_rotate_post',
    needs: 'signing_keys:write',
    takes: ['body'],
  },
  'GET /revocations': { id: 'list_revocations_revocations_get', needs: 'tokens:introspect', takes: ['query'] },
  'GET /webhooks': { id: 'list_webhooks_webhooks_get', needs: 'webhooks:read', takes: [] },
  'POST /webhooks': { id: 'create_webhook_webhooks_post', needs: 'webhooks:write', takes: ['body'] },
  'GET /webhooks/{endpoint_id}': {
    id: 'get_webhook_webhooks__endpoint_id__get',
    needs: 'webhooks:read',
    takes: ['endpoint_id'],
  },
  'PATCH /webhooks/{endpoint_id}': {
    id: 'update_webhook_webhooks__endpoint_id__patch',
    needs: 'webhooks:write',
    takes: ['endpoint_id', 'body'],
  },
  'DELETE /webhooks/{endpoint_id}': {
    id: 'delete_webhook_webhooks__endpoint_id__delete',
    needs: 'webhooks:write',
    takes: ['endpoint_id'],
  },
  'POST /webhooks/{endpoint_id}/rotate-secret': {
    id: 'rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post',
    needs: 'webhooks:write',
    takes: ['endpoint_id', 'body'],
  },
  'GET /webhooks/{endpoint_id}/deliveries': {
    id: 'list_deliveries_webhooks__endpoint_id__deliveries_get',
    needs: 'webhooks:read',
    takes: ['endpoint_id', 'query'],
  },
  'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}': {
    id: 'get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get',
    needs: 'webhooks:read',
    takes: ['endpoint_id', 'delivery_id'],
  },
  'POST /webhooks/{endpoint_id}/test': {
    id: 'test_webhook_webhooks__endpoint_id__test_post',
    needs: 'webhooks:write',
    takes: ['endpoint_id'],
  },
  'POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver': {
    id: 'redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post',
    needs: 'webhooks:write',
    takes: ['endpoint_id', 'delivery_id'],
  },
  'GET /mails': { id: 'list_mails_mails_get', needs: 'mails:read', takes: ['query'] },
  'GET /mails/{mail_id}': { id: 'get_mail_mails__mail_id__get', needs: 'mails:read', takes: ['mail_id'] },
  'GET /mails/server': { id: 'get_mail_server_mails_server_get', needs: 'mails:read', takes: [] },
  'POST /mails/preview': {
    id: 'preview_mail_mails_preview_post',
    needs: 'mails:read',
    takes: ['body'],
    isRepeatable: true,
  },
  'POST /mails/{mail_id}/retry': {
    id: 'retry_mail_mails__mail_id__retry_post',
    needs: 'mails:write',
    takes: ['mail_id'],
  },
  'POST /mails/release': { id: 'release_mails_mails_release_post', needs: 'mails:write', takes: ['body'] },
  'POST /mails/discard': { id: 'discard_mails_mails_discard_post', needs: 'mails:write', takes: ['body'] },
  'POST /mails/test': { id: 'send_test_mail_mails_test_post', needs: 'mails:write', takes: ['body'] },
  'POST /users/{user_id}/invitation': {
    id: 'invite_user_users__user_id__invitation_post',
    needs: 'users:write',
    takes: ['user_id', 'body'],
  },
  'GET /users/{user_id}/invitation': {
    id: 'get_invitation_users__user_id__invitation_get',
    needs: 'users:read',
    takes: ['user_id'],
  },
  'DELETE /users/{user_id}/invitation': {
    id: 'withdraw_invitation_users__user_id__invitation_delete',
    needs: 'users:write',
    takes: ['user_id'],
  },
  'POST /users/{user_id}/password-reset': {
    id: 'create_password_reset_users__user_id__password_reset_post',
    needs: 'users:write',
    takes: ['user_id', 'body'],
  },
  'POST /password-resets': { id: 'request_password_reset_password_resets_post', needs: 'public', takes: ['body'] },
  'POST /introspect': {
    id: 'introspect_token_introspect_post',
    needs: 'tokens:introspect',
    takes: ['body'],
    isRepeatable: true,
  },
  'POST /revoke': { id: 'revoke_token_revoke_post', needs: 'any', takes: ['body'] },
  'GET /access-requests': { id: 'list_access_requests_access_requests_get', needs: 'users:read', takes: ['query'] },
  'GET /access-requests/{request_id}': {
    id: 'get_access_request_access_requests__request_id__get',
    needs: 'users:read',
    takes: ['request_id'],
  },
  'POST /access-requests/{request_id}/decision': {
    id: 'decide_access_request_access_requests__request_id__decision_post',
    needs: 'users:write',
    takes: ['request_id', 'body'],
  },
  'GET /events': { id: 'list_events_events_get', needs: 'events:read', takes: ['query'] },
  'GET /audit': { id: 'list_audit_audit_get', needs: 'audit:read', takes: ['query'] },
  'GET /users/{user_id}/audit': {
    id: 'list_user_audit_users__user_id__audit_get',
    needs: 'audit:read',
    takes: ['user_id', 'query'],
  },
  'GET /audit/checkpoint': { id: 'get_audit_checkpoint_audit_checkpoint_get', needs: 'audit:read', takes: [] },
  'GET /health/live': { id: 'live_health_live_get', needs: 'public', takes: [] },
  'GET /health/ready': { id: 'ready_health_ready_get', needs: 'public', takes: [] },
  'GET /deployment': { id: 'get_deployment_deployment_get', needs: 'metrics:read', takes: [] },
  'GET /metrics': { id: 'get_metrics_metrics_get', needs: 'metrics:read', takes: [] },
  'GET /statistics': { id: 'get_statistics_statistics_get', needs: 'users:read', takes: ['query'] },
}
