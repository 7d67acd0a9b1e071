/**
 * What each operation needs, written down here a second time and by hand: a test that asked the routes themselves would
 * find every mistake in them right. A new operation is added here before it can pass.
 */
import { password } from '../people.ts'

export type Needs = 'public' | 'any' | 'user' | `${string}:${string}`

type Row = {
  needs: Needs
  /** A second permission, which the service asks for. */
  also?: `${string}:${string}`
  /** Beside `needs`, one of these, for which the service asks. */
  oneOf?: readonly `${string}:${string}`[]
  /** Beside `needs`, every permission of every role. */
  everyRole?: true
  /** A body with which the operation succeeds, or would but for the right to it. */
  body?: unknown
  /** A query without which the operation is refused. */
  query?: string
  /** When the body is no JSON. */
  type?: string
  /** There is no dry run, because nothing is changed. */
  noDryRun?: true
  /** Also while the session must do this first. */
  during?: readonly ('add_factor' | 'change_password')[]
  /** A user may also do it with a personal key. */
  byPersonalKey?: true
  /** It shows what the owner of a personal key cannot see either. */
  notByPersonalKey?: true
  /** It creates a key that would outlast a personal one. */
  createsKey?: true
  /** Needs a session that was authenticated in the last ten minutes. */
  recent?: true
  /** Neither an API key nor an access token can do it. */
  bySession?: true
  /** What a caller who may do it gets, because of what the caller lacks. */
  allowedStatus?: number
  /** The user in the path is one who was deleted. */
  ofDeleted?: true
  /** The user in the path is one without a password. */
  ofNewUser?: true
}

/** An id that does not exist. */
export const unknownId = '019a9f3e-0000-7000-8000-000000000000'

const token = { token: 'nothing that was ever issued' }

export const accessTable: Record<string, Row> = {
  create_user_users_post: { needs: 'users:write', body: { username: 'created' } },
  list_users_users_get: { needs: 'users:read' },
  export_users_users_export_post: {
    needs: 'users:export_hashes',
    body: { passphrase: 'a passphrase of some length' },
    recent: true,
    notByPersonalKey: true,
  },
  import_users_users_import_post: {
    needs: 'users:import',
    recent: true,
    body: '{"username": "imported"}\n',
    type: 'application/x-ndjson',
  },
  list_imports_imports_get: { needs: 'users:import' },
  get_import_imports__job_id__get: { needs: 'users:import' },
  list_import_rows_imports__job_id__rows_get: { needs: 'users:import' },
  cancel_import_imports__job_id__cancel_post: { needs: 'users:import' },
  change_users_users_bulk_post: {
    needs: 'users:write',
    also: 'users:read',
    body: { action: 'deactivate', filter: { username: 'target' } },
  },
  find_closest_users_users_closest_get: { needs: 'users:read', query: '?q=target' },
  get_user_users__user_id__get: { needs: 'users:read' },
  update_user_users__user_id__patch: { needs: 'users:write', body: { first_name: 'Changed' } },
  delete_user_users__user_id__delete: { needs: 'users:write' },
  restore_user_users__user_id__restore_post: { needs: 'users:write', ofDeleted: true },
  list_deleted_users_deleted_users_get: { needs: 'users:read' },
  set_password_users__user_id__password_post: {
    needs: 'users:write',
    body: { password: 'a moth in relay seventy' },
    recent: true,
  },
  impersonate_user_users__user_id__impersonation_post: {
    needs: 'users:impersonate',
    body: { reason: 'support' },
    recent: true,
    bySession: true,
  },
  get_sign_in_state_users__user_id__sign_in_get: { needs: 'users:read' },
  get_lock_users__user_id__lock_get: { needs: 'users:read' },
  unlock_user_users__user_id__lock_delete: { needs: 'users:write' },
  list_user_sessions_users__user_id__sessions_get: { needs: 'sessions:read' },
  end_user_sessions_users__user_id__sessions_delete: { needs: 'sessions:write' },
  end_user_session_users__user_id__sessions__session_id__delete: { needs: 'sessions:write' },
  list_connections_provisioning_get: { needs: 'provisioning:read' },
  create_connection_provisioning_post: {
    needs: 'provisioning:write',
    recent: true,
    also: 'scim:write',
    body: { name: 'created', profile: 'okta' },
    createsKey: true,
  },
  get_connection_provisioning__connection_id__get: { needs: 'provisioning:read' },
  update_connection_provisioning__connection_id__patch: {
    needs: 'provisioning:write',
    recent: true,
    also: 'scim:write',
    body: { profile: 'entra' },
  },
  delete_connection_provisioning__connection_id__delete: {
    needs: 'provisioning:write',
    recent: true,
    also: 'scim:write',
  },
  list_rejected_requests_provisioning__connection_id__rejected_requests_get: { needs: 'provisioning:read' },
  list_sign_in_connections_connections_get: { needs: 'connections:read' },
  create_sign_in_connection_connections_post: {
    needs: 'connections:write',
    recent: true,
    everyRole: true,
    body: { kind: 'oidc', name: 'created', issuer: 'https://id.example', client_id: 'rollbook' },
  },
  // The id is that of a connection for provisioning.
  get_sign_in_connection_connections__connection_id__get: { needs: 'connections:read', allowedStatus: 404 },
  update_sign_in_connection_connections__connection_id__patch: {
    needs: 'connections:write',
    recent: true,
    everyRole: true,
    allowedStatus: 404,
    body: { position: 1 },
  },
  delete_sign_in_connection_connections__connection_id__delete: {
    needs: 'connections:write',
    recent: true,
    everyRole: true,
    allowedStatus: 404,
  },
  test_sign_in_connection_connections__connection_id__test_post: {
    needs: 'connections:read',
    also: 'users:read',
    body: { claims: { sub: 'someone' } },
    noDryRun: true,
    allowedStatus: 404,
  },
  sync_sign_in_connection_connections__connection_id__sync_post: {
    needs: 'connections:write',
    recent: true,
    also: 'users:import',
    allowedStatus: 404,
  },
  // Their credential is a token that the provider has signed.
  take_backchannel_logout_connections__connection_id__backchannel_logout_post: {
    needs: 'public',
    type: 'application/x-www-form-urlencoded',
    body: 'logout_token=x',
    noDryRun: true,
    allowedStatus: 404,
  },
  take_global_token_revocation_connections__connection_id__global_token_revocation_post: {
    needs: 'public',
    body: { sub_id: { format: 'opaque', id: 'x' } },
    noDryRun: true,
    allowedStatus: 401,
  },
  get_saml_metadata_connections__connection_id__metadata_get: { needs: 'public', allowedStatus: 404 },
  list_sign_in_failures_connections__connection_id__failures_get: { needs: 'connections:read', allowedStatus: 404 },
  list_user_identities_users__user_id__identities_get: { needs: 'users:read' },
  link_user_identity_users__user_id__identities_post: {
    needs: 'users:write',
    also: 'connections:write',
    recent: true,
    body: { connection_id: '019a9f3e-0000-7000-8000-000000000000', subject: 'linked' },
    // There is no such connection.
    allowedStatus: 404,
  },
  remove_user_identities_users__user_id__identities_delete: { needs: 'users:write', recent: true },
  remove_user_identity_users__user_id__identities__identity_id__delete: {
    needs: 'users:write',
    recent: true,
    allowedStatus: 404,
  },
  remove_my_identity_me_identities__identity_id__delete: { needs: 'user', recent: true, allowedStatus: 404 },
  list_my_identities_me_identities_get: { needs: 'user' },
  link_my_identity_me_identities_post: {
    needs: 'user',
    recent: true,
    noDryRun: true,
    body: { connection_id: '019a9f3e-0000-7000-8000-000000000000' },
    // There is no such connection.
    allowedStatus: 404,
  },
  remove_my_identities_me_identities_delete: { needs: 'user', recent: true },
  get_configuration_configuration_get: { needs: 'configuration:read' },
  get_configuration_history_configuration_history_get: { needs: 'configuration:read' },
  get_configuration_schema_configuration_schema_json_get: { needs: 'public' },
  apply_configuration_configuration_post: {
    needs: 'configuration:read',
    also: 'configuration:write',
    recent: true,
    body: { version: 1 },
  },
  get_branding_branding_get: { needs: 'branding:write' },
  replace_branding_branding_put: { needs: 'branding:write', body: { name: 'Changed' } },
  get_organization_branding_organizations__organization_id__branding_get: { needs: 'branding:write' },
  replace_organization_branding_organizations__organization_id__branding_put: {
    needs: 'branding:write',
    body: { name: 'Changed' },
  },
  delete_organization_branding_organizations__organization_id__branding_delete: { needs: 'branding:write' },
  preview_branding_branding_preview_post: { needs: 'branding:write', noDryRun: true, body: { branding: {} } },
  list_attributes_attributes_get: { needs: 'attributes:read' },
  create_attribute_attributes_post: { needs: 'attributes:write', body: { name: 'created', type: 'string' } },
  get_attribute_attributes__name__get: { needs: 'attributes:read' },
  update_attribute_attributes__name__patch: { needs: 'attributes:write', body: { label: 'Changed' } },
  delete_attribute_attributes__name__delete: { needs: 'attributes:write', also: 'users:read' },
  list_organizations_organizations_get: { needs: 'organizations:read' },
  create_organization_organizations_post: { needs: 'organizations:write', body: { name: 'created' } },
  get_organization_organizations__organization_id__get: { needs: 'organizations:read' },
  update_organization_organizations__organization_id__patch: {
    needs: 'organizations:write',
    body: { external_id: 'changed' },
  },
  delete_organization_organizations__organization_id__delete: { needs: 'organizations:write' },
  add_organization_domain_organizations__organization_id__domains_post: {
    needs: 'organizations:write',
    body: { domain: 'acme.example' },
  },
  verify_organization_domain_organizations__organization_id__domains__domain__verify_post: {
    needs: 'organizations:write',
  },
  remove_organization_domain_organizations__organization_id__domains__domain__delete: { needs: 'organizations:write' },
  list_organization_setup_links_organizations__organization_id__setup_links_get: {
    needs: 'any',
    oneOf: ['connections:read', 'provisioning:read'],
  },
  create_organization_setup_link_organizations__organization_id__setup_links_post: {
    needs: 'any',
    oneOf: ['connections:write'],
    body: { features: ['domains'] },
    recent: true,
  },
  revoke_organization_setup_link_organizations__organization_id__setup_links__setup_link_id__delete: {
    needs: 'any',
    oneOf: ['connections:write', 'provisioning:write'],
  },
  list_groups_groups_get: { needs: 'groups:read' },
  create_group_groups_post: { needs: 'groups:write', body: { name: 'created' } },
  get_group_groups__group_id__get: { needs: 'groups:read' },
  update_group_groups__group_id__patch: { needs: 'groups:write', body: { description: 'Changed' } },
  delete_group_groups__group_id__delete: { needs: 'groups:write' },
  list_group_members_groups__group_id__members_get: { needs: 'groups:read', also: 'users:read' },
  change_group_members_groups__group_id__members_post: { needs: 'groups:write', body: { add: [] } },
  add_group_member_groups__group_id__members__user_id__put: { needs: 'groups:write' },
  remove_group_member_groups__group_id__members__user_id__delete: { needs: 'groups:write' },
  list_groups_of_user_users__user_id__groups_get: { needs: 'groups:read' },
  list_roles_roles_get: { needs: 'users:read' },
  create_role_roles_post: { needs: 'roles:write', body: { role: 'created', permissions: [] }, recent: true },
  get_role_roles__role__get: { needs: 'users:read' },
  update_role_roles__role__patch: { needs: 'roles:write', body: { description: 'Changed' }, recent: true },
  delete_role_roles__role__delete: { needs: 'roles:write', recent: true },
  get_policies_policies_get: { needs: 'policies:read' },
  update_policies_policies_patch: {
    needs: 'policies:write',
    body: { second_factor: 'required' },
    recent: true,
    // The setting of these tests wins.
    allowedStatus: 409,
  },
  preview_inactivity_inactivity_preview_post: { needs: 'policies:read', also: 'users:read', body: {}, noDryRun: true },
  confirm_inactivity_inactivity_confirmation_post: {
    needs: 'policies:write',
    recent: true,
    // No run is stopped.
    allowedStatus: 409,
  },

  get_me_me_get: { needs: 'user', during: ['add_factor', 'change_password'], byPersonalKey: true },
  get_my_data_me_data_get: { needs: 'user' },
  update_me_me_patch: { needs: 'user', body: { first_name: 'Changed' } },
  // It is off by default.
  delete_me_me_delete: { needs: 'user', recent: true, allowedStatus: 404 },
  change_my_password_me_password_post: {
    needs: 'user',
    body: { current_password: password, new_password: 'a moth in relay seventy' },
    during: ['change_password'],
  },
  list_my_factors_me_factors_get: { needs: 'user', during: ['add_factor', 'change_password'] },
  add_totp_me_factors_totp_post: { needs: 'user', body: { name: 'phone' }, during: ['add_factor'], recent: true },
  confirm_totp_me_factors_totp__factor_id__confirm_post: {
    needs: 'user',
    body: { code: '000000' },
    during: ['add_factor'],
    recent: true,
  },
  begin_passkey_me_factors_passkeys_options_post: { needs: 'user', during: ['add_factor'], recent: true },
  add_passkey_me_factors_passkeys_post: {
    needs: 'user',
    body: { passkey: { id: 'none', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'oA' } } },
    during: ['add_factor'],
    recent: true,
    // These options were never given out.
    allowedStatus: 422,
  },
  rename_my_factor_me_factors__factor_id__patch: { needs: 'user', body: { name: 'phone' }, recent: true },
  remove_my_factor_me_factors__factor_id__delete: { needs: 'user', recent: true },
  replace_recovery_codes_me_recovery_codes_post: { needs: 'user', recent: true, allowedStatus: 409 },
  list_user_factors_users__user_id__factors_get: { needs: 'users:read' },
  remove_user_factor_users__user_id__factors__factor_id__delete: { needs: 'users:write', recent: true },
  test_second_factor_policy_second_factor_policy_test_post: {
    needs: 'users:read',
    body: { policy: 'required' },
    noDryRun: true,
  },
  list_users_without_factor_second_factor_policy_users_get: { needs: 'users:read' },
  reset_user_factors_users__user_id__factors_delete: { needs: 'users:write', recent: true },
  reauthenticate_sessions_current_reauthentication_post: {
    needs: 'user',
    body: { password },
    during: ['add_factor', 'change_password'],
  },
  verify_my_email_me_email_verification_post: { needs: 'user' },
  list_my_trusted_browsers_me_trusted_browsers_get: { needs: 'user' },
  remove_my_trusted_browser_me_trusted_browsers__browser_id__delete: { needs: 'user' },
  list_user_trusted_browsers_users__user_id__trusted_browsers_get: { needs: 'sessions:read' },
  remove_user_trusted_browser_users__user_id__trusted_browsers__browser_id__delete: { needs: 'sessions:write' },
  list_sessions_sessions_get: { needs: 'user' },
  end_other_sessions_sessions_delete: { needs: 'user' },
  end_session_sessions__session_id__delete: { needs: 'user' },
  end_current_session_sessions_current_delete: { needs: 'user', during: ['add_factor', 'change_password'] },

  create_key_keys_post: {
    needs: 'keys:write',
    body: { name: 'created', permissions: ['keys:write'] },
    recent: true,
    createsKey: true,
  },
  list_keys_keys_get: { needs: 'keys:read' },
  update_key_keys__key_id__patch: { needs: 'keys:write', body: { name: 'changed' }, recent: true },
  rotate_key_keys__key_id__rotate_post: { needs: 'keys:write', recent: true, createsKey: true },
  revoke_key_keys__key_id__delete: { needs: 'keys:write' },
  create_my_key_me_keys_post: { needs: 'user', body: { name: 'laptop' }, recent: true },
  list_my_keys_me_keys_get: { needs: 'user' },
  // The key is a program's.
  revoke_my_key_me_keys__key_id__delete: { needs: 'user', allowedStatus: 404 },
  list_user_keys_users__user_id__keys_get: { needs: 'keys:read' },
  create_user_key_users__user_id__keys_post: {
    needs: 'keys:write',
    body: { name: 'created' },
    recent: true,
    // The user is a person.
    allowedStatus: 409,
  },
  // The key is a program's.
  revoke_user_key_users__user_id__keys__key_id__delete: { needs: 'keys:write', allowedStatus: 404 },

  issue_token_token_post: { needs: 'any', noDryRun: true },
  introspect_token_introspect_post: { needs: 'tokens:introspect', body: token, noDryRun: true },
  revoke_token_revoke_post: { needs: 'any', body: token },
  list_revocations_revocations_get: { needs: 'tokens:introspect' },
  list_events_events_get: { needs: 'events:read' },
  list_reviews_reviews_get: { needs: 'reviews:read' },
  create_review_reviews_post: {
    needs: 'reviews:write',
    also: 'users:read',
    body: { name: 'Q4', due_at: '2099-01-01T00:00:00Z' },
  },
  get_review_reviews__review_id__get: { needs: 'reviews:read', allowedStatus: 404 },
  update_review_reviews__review_id__patch: { needs: 'reviews:write', body: { name: 'Q4' }, allowedStatus: 404 },
  list_review_rows_reviews__review_id__rows_get: { needs: 'reviews:read', allowedStatus: 404 },
  decide_review_rows_reviews__review_id__decisions_post: {
    needs: 'reviews:write',
    body: { row_ids: ['none'], decision: 'remove' },
    allowedStatus: 404,
  },
  list_access_access_get: { needs: 'audit:read', also: 'users:read' },
  list_audit_audit_get: { needs: 'audit:read' },
  get_audit_checkpoint_audit_checkpoint_get: { needs: 'audit:read' },
  list_user_audit_users__user_id__audit_get: { needs: 'audit:read' },
  list_signing_keys_signing_keys_get: { needs: 'signing_keys:write' },
  rotate_signing_key_signing_keys_rotate_post: { needs: 'signing_keys:write', recent: true },

  list_webhooks_webhooks_get: { needs: 'webhooks:read' },
  create_webhook_webhooks_post: {
    needs: 'webhooks:write',
    also: 'events:read',
    body: { url: 'https://receiver.example/created' },
  },
  get_webhook_webhooks__endpoint_id__get: { needs: 'webhooks:read' },
  update_webhook_webhooks__endpoint_id__patch: { needs: 'webhooks:write', body: { description: 'Changed' } },
  delete_webhook_webhooks__endpoint_id__delete: { needs: 'webhooks:write' },
  rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post: { needs: 'webhooks:write' },
  test_webhook_webhooks__endpoint_id__test_post: { needs: 'webhooks:write' },
  list_deliveries_webhooks__endpoint_id__deliveries_get: { needs: 'webhooks:read' },
  get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get: { needs: 'webhooks:read' },
  redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post: { needs: 'webhooks:write' },

  invite_user_users__user_id__invitation_post: { needs: 'users:write', body: {}, ofNewUser: true, recent: true },
  get_invitation_users__user_id__invitation_get: { needs: 'users:read' },
  withdraw_invitation_users__user_id__invitation_delete: { needs: 'users:write' },
  create_password_reset_users__user_id__password_reset_post: { needs: 'users:write', body: {}, recent: true },
  request_password_reset_password_resets_post: { needs: 'public', body: { username: 'visitor' }, noDryRun: true },

  list_access_requests_access_requests_get: { needs: 'users:read', allowedStatus: 404 },
  get_access_request_access_requests__request_id__get: { needs: 'users:read', allowedStatus: 404 },
  decide_access_request_access_requests__request_id__decision_post: {
    needs: 'users:write',
    body: { decision: 'decline' },
    allowedStatus: 404,
  },

  list_mails_mails_get: { needs: 'mails:read' },
  get_mail_mails__mail_id__get: { needs: 'mails:read' },
  get_mail_server_mails_server_get: { needs: 'mails:read' },
  preview_mail_mails_preview_post: { needs: 'mails:read', body: { kind: 'invitation' }, noDryRun: true },
  retry_mail_mails__mail_id__retry_post: { needs: 'mails:write' },
  release_mails_mails_release_post: { needs: 'mails:write' },
  discard_mails_mails_discard_post: { needs: 'mails:write' },
  send_test_mail_mails_test_post: { needs: 'mails:write', body: { address: 'postmaster@example.com' } },

  get_setup_setup_get: { needs: 'public' },
  complete_setup_setup_post: {
    needs: 'public',
    body: { token: 'of no link', username: 'visitor', password },
    noDryRun: true,
  },
  create_cli_login_cli_logins_post: { needs: 'public', body: { name: 'laptop' }, noDryRun: true },
  exchange_cli_login_cli_logins_token_post: {
    needs: 'public',
    body: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'of no login' },
    noDryRun: true,
    allowedStatus: 400,
  },
  get_statistics_statistics_get: { needs: 'users:read' },
  begin_passkey_confirmation_sessions_current_reauthentication_passkey_options_post: {
    needs: 'user',
    during: ['add_factor', 'change_password'],
    // Without a passkey.
    allowedStatus: 409,
  },
  begin_passkey_sign_in_sessions_passkey_options_post: { needs: 'public', noDryRun: true },
  // Codes are switched off.
  request_email_code_sessions_email_code_post: {
    needs: 'public',
    body: { username: 'visitor' },
    noDryRun: true,
    allowedStatus: 409,
  },
  create_session_sessions_post: { needs: 'public', body: { username: 'visitor', password }, noDryRun: true },
  get_key_set__well_known_jwks_json_get: { needs: 'public' },
  get_issuer__well_known_oauth_authorization_server_get: { needs: 'public' },
  get_metrics_metrics_get: { needs: 'metrics:read' },
  get_deployment_deployment_get: { needs: 'metrics:read' },
  live_health_live_get: { needs: 'public' },
  ready_health_ready_get: { needs: 'public' },
}

/** Every route that is not in the OpenAPI document: pages for people, and what is published on purpose. */
export const publicRoutes = [
  'GET /.well-known/change-password',
  'GET /.well-known/passkey-endpoints',
  'GET /.well-known/webauthn',
  'GET ',
  'GET /add-factor',
  'GET /add-factor/',
  'GET /change-password',
  'GET /change-password/',
  'GET /connections/:connection_id/callback',
  'POST /connections/:connection_id/callback',
  'POST /invitation/:token/passkey-options',
  'POST /invitation/:token/passkey',
  'POST /reset-password/:token/passkey-options',
  'POST /reset-password/:token/passkey',
  'GET /branding/:hash/:name',
  'GET /branding/:organization_id/:hash/:name',
  'GET /confirm',
  'GET /confirm/',
  // They ask for a sign-in themselves, and call operations of the API.
  'GET /account',
  'GET /account/',
  'GET /account/address',
  'GET /account/address/',
  'GET /account/factor',
  'GET /account/factor/',
  'GET /account/key',
  'GET /account/key/',
  'GET /account/linked',
  'GET /account/linked/',
  'GET /account/data',
  'POST /account/address',
  'POST /account/address/confirmation',
  'POST /account/browser',
  'POST /account/factor',
  'POST /account/factor/removal',
  'POST /account/key',
  'POST /account/key/revocation',
  'POST /account/language',
  'POST /account/linked',
  'POST /account/profile',
  'POST /account/session',
  'POST /account/sessions',
  'GET /console',
  'GET /console/',
  'GET /console/*',
  'GET /console/profile',
  'GET /console/assets/:name',
  'GET /docs',
  'GET /docs/',
  'GET /docs/assets/:hash/:name',
  'GET /docs/alerts',
  'GET /docs/problems',
  'GET /link',
  'GET /link/',
  'GET /login',
  'GET /login/',
  'GET /login/assets/:version/:name',
  'POST /exit',
  'GET /logout',
  'GET /logout/',
  'GET /openapi.json',
  'GET /openapi.sdk.json',
  'GET /recovery-codes',
  'GET /recovery-codes/',
  'POST /add-factor',
  'POST /change-password',
  'POST /confirm',
  'POST /link',
  'POST /login',
  'POST /recovery-codes',
  'GET /forgot-password',
  'POST /forgot-password',
  // They ask for a sign-in themselves.
  'GET /cli-login',
  'GET /cli-login/',
  'POST /cli-login',
  'GET /cli-login/:request',
  'POST /cli-login/:request',
  'GET /cli-login/done',
  'GET /setup/:token',
  'GET /setup/:token/domains',
  'POST /setup/:token/domains',
  'POST /setup/:token/domains/check',
  'POST /setup/:token/domains/remove',
  'GET /setup/:token/sign-in',
  'POST /setup/:token/sign-in',
  'GET /setup/:token/sign-in/:connection_id',
  'POST /setup/:token/sign-in/:connection_id',
  'POST /setup/:token/sign-in/:connection_id/active',
  'POST /setup/:token/sign-in/:connection_id/remove',
  'GET /setup/:token/sign-in/:connection_id/test',
  'GET /setup/:token/sign-in/:connection_id/result',
  'GET /setup/:token/users',
  'POST /setup/:token/users',
  'GET /setup/:token/users/:connection_id',
  'POST /setup/:token/users/:connection_id/again',
  'GET /request-access',
  'POST /request-access',
  'GET /request-access/:token',
  'POST /request-access/:token',
  'GET /invitation/:token',
  'POST /invitation/:token',
  'GET /reset-password/:token',
  'POST /reset-password/:token',
  'GET /verify-email/:token',
  'POST /verify-email/:token',
  'POST /logout',
  // They respond 401 and 403 themselves; their own tests cover it.
  'ANY /verify/envoy',
  'ANY /verify/envoy/*',
  'ANY /verify/forward-auth',
  'ANY /verify/nginx',
]

const scimMethods: Record<string, string[]> = {
  '': ['GET'],
  '/.search': ['POST'],
  '/Bulk': ['POST'],
  '/Groups': ['GET', 'POST'],
  '/Groups/.search': ['POST'],
  '/Groups/:id': ['GET', 'PUT', 'PATCH', 'DELETE'],
  '/Me': ['GET', 'PUT', 'PATCH', 'DELETE'],
  '/ResourceTypes': ['GET'],
  '/ResourceTypes/:id': ['GET'],
  '/Schemas': ['GET'],
  '/Schemas/:id': ['GET'],
  '/ServiceProviderConfig': ['GET'],
  '/Users': ['GET', 'POST'],
  '/Users/.search': ['POST'],
  '/Users/:id': ['GET', 'PUT', 'PATCH', 'DELETE'],
}

/** Documented by SCIM's own discovery and not among the operations. Their tests cover who may use them. */
export const scimRoutes = Object.entries(scimMethods).flatMap(([path, methods]) =>
  methods.map((method) => `${method} /scim/v2${path}`),
)
