import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it, type TestContext } from 'node:test'
import { writeClientTypes } from '../../scripts/client-types.ts'
import { formatted } from '../../scripts/generate.ts'
import type { ProblemCode } from '../../src/core/errors.ts'
import type * as users from '../../src/directory/users/schema.ts'
import type { CreateUser, ProblemCode as ProblemCodeOfClient, UpdateUser, User } from '../../src/sdk/client/index.ts'
import { RollbookClient, RollbookError } from '../../src/sdk/client/index.ts'
import { adminKey, anyEngine, type Started, start } from '../harness.ts'
import { calledByProviders } from '../http/audit-table.ts'
import { password } from '../people.ts'

type Ids = {
  user_id: string
  group_id: string
  organization_id: string
  setup_link_id: string
  connection_id: string
  sign_in_id: string
  directory_id: string
  name: string
  role: string
  session_id: string
  key_id: string
  endpoint_id: string
  delivery_id: string
  mail_id: string
  job_id: string
}
type Call = (client: RollbookClient, ids: Ids) => Promise<unknown>

/** How to call each operation. A new operation needs a method and an entry here. */
const calls: Record<string, Call> = {
  create_user_users_post: (client) => client.users.create({ username: 'created' }),
  list_users_users_get: (client) => client.users.list().next(),
  find_closest_users_users_closest_get: (client) => client.users.closest('nobody at all'),
  get_user_users__user_id__get: (client, { user_id }) => client.users.get(user_id),
  update_user_users__user_id__patch: (client, { user_id }) => client.users.update(user_id, { first_name: 'New' }),
  delete_user_users__user_id__delete: (client, { user_id }) => client.users.delete(user_id, { dryRun: true }),
  restore_user_users__user_id__restore_post: (client, { user_id }) => client.users.restore(user_id),
  export_users_users_export_post: (client) => client.users.planExport('a long enough passphrase'),
  import_users_users_import_post: (client, { job_id }) =>
    client.users.import('{"username": "imported"}', { contentType: 'application/x-ndjson', job_id }),
  change_users_users_bulk_post: (client, { user_id }) =>
    client.users.bulk({ action: 'deactivate', user_ids: [user_id] }, { dryRun: true }).next(),
  list_imports_imports_get: (client) => client.imports.list(),
  get_import_imports__job_id__get: (client, { job_id }) => client.imports.get(job_id),
  list_import_rows_imports__job_id__rows_get: (client, { job_id }) => client.imports.rows(job_id).next(),
  cancel_import_imports__job_id__cancel_post: (client, { job_id }) => client.imports.cancel(job_id),
  list_deleted_users_deleted_users_get: (client) => client.deletedUsers.page(),
  set_password_users__user_id__password_post: (client, { user_id }) => client.users.setPassword(user_id, { password }),
  impersonate_user_users__user_id__impersonation_post: (client, { user_id }) =>
    client.users.impersonate(user_id, { reason: 'support' }),
  get_sign_in_state_users__user_id__sign_in_get: (client, { user_id }) => client.users.signInState(user_id),
  get_lock_users__user_id__lock_get: (client, { user_id }) => client.users.lock(user_id),
  unlock_user_users__user_id__lock_delete: (client, { user_id }) => client.users.unlock(user_id),
  list_user_sessions_users__user_id__sessions_get: (client, { user_id }) => client.sessions.listOf(user_id),
  end_user_sessions_users__user_id__sessions_delete: (client, { user_id }) => client.sessions.endAllOf(user_id),
  end_user_session_users__user_id__sessions__session_id__delete: (client, { user_id, session_id }) =>
    client.sessions.endOf(user_id, session_id),
  list_connections_provisioning_get: (client) => client.provisioning.list(),
  create_connection_provisioning_post: (client) => client.provisioning.create({ name: 'created' }),
  get_connection_provisioning__connection_id__get: (client, { connection_id }) =>
    client.provisioning.get(connection_id),
  update_connection_provisioning__connection_id__patch: (client, { connection_id }) =>
    client.provisioning.update(connection_id, { profile: 'okta', end_date_attribute: 'userType' }),
  delete_connection_provisioning__connection_id__delete: (client, { connection_id }) =>
    client.provisioning.delete(connection_id, { dryRun: true }),
  list_rejected_requests_provisioning__connection_id__rejected_requests_get: (client, { connection_id }) =>
    client.provisioning.rejectedRequests(connection_id),
  list_sign_in_connections_connections_get: (client) => client.connections.list(),
  create_sign_in_connection_connections_post: (client) =>
    client.connections.create({ kind: 'oidc', name: 'made', issuer: 'https://made.example', client_id: 'made' }),
  get_sign_in_connection_connections__connection_id__get: (client, { sign_in_id }) =>
    client.connections.get(sign_in_id),
  update_sign_in_connection_connections__connection_id__patch: (client, { sign_in_id }) =>
    client.connections.update(sign_in_id, { position: 7 }),
  delete_sign_in_connection_connections__connection_id__delete: (client, { sign_in_id }) =>
    client.connections.delete(sign_in_id, { dryRun: true }),
  test_sign_in_connection_connections__connection_id__test_post: (client, { sign_in_id }) =>
    client.connections.test(sign_in_id, { sub: 'someone' }),
  list_sign_in_failures_connections__connection_id__failures_get: (client, { sign_in_id }) =>
    client.connections.failures(sign_in_id),
  sync_sign_in_connection_connections__connection_id__sync_post: (client, { directory_id }) =>
    client.connections.sync(directory_id, { dryRun: true }),
  get_saml_metadata_connections__connection_id__metadata_get: (client, { sign_in_id }) =>
    client.connections.samlMetadata(sign_in_id),
  list_user_identities_users__user_id__identities_get: (client, { user_id }) =>
    client.connections.identitiesOf(user_id),
  link_user_identity_users__user_id__identities_post: (client, { user_id, sign_in_id }) =>
    client.connections.linkIdentityOf(user_id, { connection_id: sign_in_id, subject: 'linked' }),
  list_my_identities_me_identities_get: (client) => client.connections.myIdentities(),
  link_my_identity_me_identities_post: (client, { sign_in_id }) => client.connections.linkMine(sign_in_id),
  remove_my_identities_me_identities_delete: (client) => client.connections.removeMyIdentities(),
  remove_my_identity_me_identities__identity_id__delete: (client) => client.connections.removeMyIdentity(unused),
  remove_user_identity_users__user_id__identities__identity_id__delete: (client, { user_id }) =>
    client.connections.removeIdentityOf(user_id, unused),
  remove_user_identities_users__user_id__identities_delete: (client, { user_id }) =>
    client.connections.removeIdentitiesOf(user_id),
  get_configuration_configuration_get: (client) => client.configuration.get(),
  get_configuration_history_configuration_history_get: (client) => client.configuration.history(),
  get_configuration_schema_configuration_schema_json_get: (client) => client.configuration.schema(),
  apply_configuration_configuration_post: (client) =>
    client.configuration.plan({ version: 1, groups: [{ name: 'A' }] }),
  get_branding_branding_get: (client) => client.branding.get(),
  replace_branding_branding_put: (client) => client.branding.replace({ name: 'Renamed' }, { dryRun: true }),
  get_organization_branding_organizations__organization_id__branding_get: (client, { organization_id }) =>
    client.organizations.getBranding(organization_id),
  replace_organization_branding_organizations__organization_id__branding_put: (client, { organization_id }) =>
    client.organizations.replaceBranding(organization_id, { name: 'Renamed' }, { dryRun: true }),
  delete_organization_branding_organizations__organization_id__branding_delete: (client, { organization_id }) =>
    client.organizations.deleteBranding(organization_id, { dryRun: true }),
  preview_branding_branding_preview_post: (client) => client.branding.preview({ branding: {} }),
  list_attributes_attributes_get: (client) => client.attributes.list(),
  create_attribute_attributes_post: (client) => client.attributes.create({ name: 'created', type: 'string' }),
  get_attribute_attributes__name__get: (client, { name }) => client.attributes.get(name),
  update_attribute_attributes__name__patch: (client, { name }) => client.attributes.update(name, { label: 'New' }),
  delete_attribute_attributes__name__delete: (client, { name }) => client.attributes.delete(name, { dryRun: true }),
  list_organizations_organizations_get: (client) => client.organizations.list().next(),
  create_organization_organizations_post: (client) => client.organizations.create({ name: 'created' }),
  get_organization_organizations__organization_id__get: (client, { organization_id }) =>
    client.organizations.get(organization_id),
  update_organization_organizations__organization_id__patch: (client, { organization_id }) =>
    client.organizations.update(organization_id, { external_id: 'new' }),
  delete_organization_organizations__organization_id__delete: (client, { organization_id }) =>
    client.organizations.delete(organization_id, { dryRun: true, users: 'delete' }),
  add_organization_domain_organizations__organization_id__domains_post: (client, { organization_id }) =>
    client.organizations.addDomain(organization_id, { domain: 'known.example', verified: true }),
  verify_organization_domain_organizations__organization_id__domains__domain__verify_post: (
    client,
    { organization_id },
  ) => client.organizations.verifyDomain(organization_id, 'known.example'),
  remove_organization_domain_organizations__organization_id__domains__domain__delete: (client, { organization_id }) =>
    client.organizations.removeDomain(organization_id, 'known.example', { dryRun: true }),
  list_organization_setup_links_organizations__organization_id__setup_links_get: (client, { organization_id }) =>
    client.organizations.setupLinks(organization_id),
  create_organization_setup_link_organizations__organization_id__setup_links_post: (client, { organization_id }) =>
    client.organizations.createSetupLink(organization_id, { features: ['domains'] }, { dryRun: true }),
  revoke_organization_setup_link_organizations__organization_id__setup_links__setup_link_id__delete: (
    client,
    { organization_id, setup_link_id },
  ) => client.organizations.revokeSetupLink(organization_id, setup_link_id, { dryRun: true }),
  list_groups_groups_get: (client) => client.groups.list().next(),
  create_group_groups_post: (client) => client.groups.create({ name: 'created' }),
  get_group_groups__group_id__get: (client, { group_id }) => client.groups.get(group_id),
  update_group_groups__group_id__patch: (client, { group_id }) => client.groups.update(group_id, { name: 'New' }),
  delete_group_groups__group_id__delete: (client, { group_id }) => client.groups.delete(group_id, { dryRun: true }),
  list_group_members_groups__group_id__members_get: (client, { group_id }) => client.groups.members(group_id).next(),
  change_group_members_groups__group_id__members_post: (client, { group_id, user_id }) =>
    client.groups.changeMembers(group_id, { remove: [user_id] }),
  add_group_member_groups__group_id__members__user_id__put: (client, { group_id, user_id }) =>
    client.groups.addMember(group_id, user_id, { dryRun: true }),
  remove_group_member_groups__group_id__members__user_id__delete: (client, { group_id, user_id }) =>
    client.groups.removeMember(group_id, user_id),
  list_groups_of_user_users__user_id__groups_get: (client, { user_id }) => client.groups.listOf(user_id),
  list_roles_roles_get: (client) => client.roles.list(),
  create_role_roles_post: (client) => client.roles.create({ role: 'created', permissions: [] }),
  get_role_roles__role__get: (client, { role }) => client.roles.get(role),
  update_role_roles__role__patch: (client, { role }) => client.roles.update(role, { description: 'New' }),
  delete_role_roles__role__delete: (client, { role }) => client.roles.delete(role, { dryRun: true }),
  get_policies_policies_get: (client) => client.policies.get(),
  update_policies_policies_patch: (client) => client.policies.update({ second_factor: 'optional' }),
  preview_inactivity_inactivity_preview_post: (client) => client.policies.previewInactivity(),
  confirm_inactivity_inactivity_confirmation_post: (client) => client.policies.confirmInactivity(),

  get_me_me_get: (client) => client.me.get(),
  get_my_data_me_data_get: (client) => client.me.data(),
  delete_me_me_delete: (client) => client.me.delete(),
  update_me_me_patch: (client) => client.me.update({ first_name: 'New' }),
  change_my_password_me_password_post: (client) =>
    client.me.changePassword({ current_password: password, new_password: 'a moth in relay seventy' }),
  get_setup_setup_get: (client) => client.setup.state(),
  complete_setup_setup_post: (client) => client.setup.complete({ token: 'of no link', username: 'first', password }),
  create_cli_login_cli_logins_post: (client) => client.cliLogins.create({ name: 'laptop' }),
  exchange_cli_login_cli_logins_token_post: (client) =>
    client.cliLogins.exchange({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'of no login',
    }),
  get_statistics_statistics_get: (client) => client.statistics(),
  list_my_factors_me_factors_get: (client) => client.factors.listMine(),
  add_totp_me_factors_totp_post: (client) => client.factors.addTotp({ name: 'phone' }),
  confirm_totp_me_factors_totp__factor_id__confirm_post: (client, { session_id }) =>
    client.factors.confirmTotp(session_id, '000000'),
  begin_passkey_me_factors_passkeys_options_post: (client) => client.factors.beginPasskey(),
  add_passkey_me_factors_passkeys_post: (client) => client.factors.addPasskey({ passkey: noPasskey }),
  rename_my_factor_me_factors__factor_id__patch: (client, { session_id }) => client.factors.rename(session_id, 'phone'),
  remove_my_factor_me_factors__factor_id__delete: (client, { session_id }) => client.factors.removeMine(session_id),
  replace_recovery_codes_me_recovery_codes_post: (client) => client.factors.replaceRecoveryCodes(),
  list_user_factors_users__user_id__factors_get: (client, { user_id }) => client.factors.listOf(user_id),
  remove_user_factor_users__user_id__factors__factor_id__delete: (client, { user_id, session_id }) =>
    client.factors.removeOf(user_id, session_id),
  test_second_factor_policy_second_factor_policy_test_post: (client) => client.factors.testPolicy('required'),
  list_users_without_factor_second_factor_policy_users_get: (client) => client.factors.missing().next(),
  reset_user_factors_users__user_id__factors_delete: (client, { user_id }) => client.factors.resetOf(user_id),
  reauthenticate_sessions_current_reauthentication_post: (client) => client.sessions.reauthenticate({ password }),
  begin_passkey_confirmation_sessions_current_reauthentication_passkey_options_post: (client) =>
    client.sessions.beginPasskeyConfirmation(),
  begin_passkey_sign_in_sessions_passkey_options_post: (client) => client.sessions.beginPasskey(),
  request_email_code_sessions_email_code_post: (client) => client.sessions.requestEmailCode('ada'),
  create_session_sessions_post: (client) => client.sessions.create({ username: 'person', password }),
  list_my_trusted_browsers_me_trusted_browsers_get: (client) => client.sessions.listTrustedBrowsers(),
  remove_my_trusted_browser_me_trusted_browsers__browser_id__delete: (client, { session_id }) =>
    client.sessions.removeTrustedBrowser(session_id),
  list_user_trusted_browsers_users__user_id__trusted_browsers_get: (client, { user_id }) =>
    client.sessions.listTrustedBrowsersOf(user_id),
  remove_user_trusted_browser_users__user_id__trusted_browsers__browser_id__delete: (client, { user_id, session_id }) =>
    client.sessions.removeTrustedBrowserOf(user_id, session_id),
  list_sessions_sessions_get: (client) => client.sessions.list(),
  end_other_sessions_sessions_delete: (client) => client.sessions.endOthers(),
  end_session_sessions__session_id__delete: (client, { session_id }) => client.sessions.end(session_id),
  end_current_session_sessions_current_delete: (client) => client.sessions.endCurrent(),

  create_key_keys_post: (client) => client.keys.create({ name: 'created', permissions: ['users:read'] }),
  list_keys_keys_get: (client) => client.keys.list(),
  update_key_keys__key_id__patch: (client, { key_id }) => client.keys.update(key_id, { name: 'renamed' }),
  rotate_key_keys__key_id__rotate_post: (client, { key_id }) => client.keys.rotate(key_id),
  revoke_key_keys__key_id__delete: (client, { key_id }) => client.keys.revoke(key_id),

  create_my_key_me_keys_post: (client) => client.keys.createMine({ name: 'laptop' }),
  list_my_keys_me_keys_get: (client) => client.keys.listMine(),
  revoke_my_key_me_keys__key_id__delete: (client, { key_id }) => client.keys.revokeMine(key_id),
  create_user_key_users__user_id__keys_post: (client, { user_id }) => client.keys.createOf(user_id, { name: 'server' }),
  revoke_user_key_users__user_id__keys__key_id__delete: (client, { user_id, key_id }) =>
    client.keys.revokeOf(user_id, key_id),
  list_user_keys_users__user_id__keys_get: (client, { user_id }) => client.keys.listOf(user_id),

  issue_token_token_post: (client) => client.tokens.issue(),
  introspect_token_introspect_post: (client) => client.tokens.introspect('nothing that was ever issued'),
  revoke_token_revoke_post: (client) => client.tokens.revoke('nothing that was ever issued'),
  list_revocations_revocations_get: (client) => client.tokens.revocations(),
  get_key_set__well_known_jwks_json_get: (client) => client.tokens.keySet(),
  get_issuer__well_known_oauth_authorization_server_get: (client) => client.tokens.issuer(),
  list_signing_keys_signing_keys_get: (client) => client.signingKeys.list(),
  rotate_signing_key_signing_keys_rotate_post: (client) => client.signingKeys.rotate(),

  verify_my_email_me_email_verification_post: (client) => client.me.verifyEmail(),
  invite_user_users__user_id__invitation_post: (client, { user_id }) => client.users.invite(user_id),
  get_invitation_users__user_id__invitation_get: (client, { user_id }) => client.users.invitation(user_id),
  withdraw_invitation_users__user_id__invitation_delete: (client, { user_id }) =>
    client.users.withdrawInvitation(user_id),
  create_password_reset_users__user_id__password_reset_post: (client, { user_id }) =>
    client.users.createPasswordReset(user_id),
  request_password_reset_password_resets_post: (client) => client.mails.requestPasswordReset('ada'),
  list_access_requests_access_requests_get: (client) => client.accessRequests.page(),
  get_access_request_access_requests__request_id__get: (client, { mail_id }) => client.accessRequests.get(mail_id),
  decide_access_request_access_requests__request_id__decision_post: (client, { mail_id }) =>
    client.accessRequests.decline(mail_id),
  list_mails_mails_get: (client) => client.mails.page(),
  get_mail_mails__mail_id__get: (client, { mail_id }) => client.mails.get(mail_id),
  get_mail_server_mails_server_get: (client) => client.mails.server(),
  retry_mail_mails__mail_id__retry_post: (client, { mail_id }) => client.mails.retry(mail_id),
  release_mails_mails_release_post: (client) => client.mails.release(),
  discard_mails_mails_discard_post: (client) => client.mails.discard(),
  preview_mail_mails_preview_post: (client) => client.mails.preview({ kind: 'invitation' }),
  send_test_mail_mails_test_post: (client) => client.mails.test({ address: 'ada@example.com' }),
  list_webhooks_webhooks_get: (client) => client.webhooks.list(),
  create_webhook_webhooks_post: (client) => client.webhooks.create({ url: 'https://receiver.example/created' }),
  get_webhook_webhooks__endpoint_id__get: (client, { endpoint_id }) => client.webhooks.get(endpoint_id),
  update_webhook_webhooks__endpoint_id__patch: (client, { endpoint_id }) =>
    client.webhooks.update(endpoint_id, { description: 'New' }),
  delete_webhook_webhooks__endpoint_id__delete: (client, { endpoint_id }) =>
    client.webhooks.delete(endpoint_id, { dryRun: true }),
  rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post: (client, { endpoint_id }) =>
    client.webhooks.rotateSecret(endpoint_id),
  test_webhook_webhooks__endpoint_id__test_post: (client, { endpoint_id }) =>
    client.webhooks.test(endpoint_id, { dryRun: true }),
  list_deliveries_webhooks__endpoint_id__deliveries_get: (client, { endpoint_id }) =>
    client.webhooks.deliveryPage(endpoint_id),
  get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get: (client, { endpoint_id, delivery_id }) =>
    client.webhooks.delivery(endpoint_id, delivery_id),
  redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post: (client, { endpoint_id, delivery_id }) =>
    client.webhooks.redeliver(endpoint_id, delivery_id),

  list_events_events_get: (client) => client.events.page(),
  list_reviews_reviews_get: (client) => client.reviews.list(),
  create_review_reviews_post: (client) => client.reviews.create({ name: 'Q4', due_at: '2099-01-01T00:00:00Z' }),
  get_review_reviews__review_id__get: (client, { mail_id }) => client.reviews.get(mail_id),
  update_review_reviews__review_id__patch: (client, { mail_id }) => client.reviews.close(mail_id),
  list_review_rows_reviews__review_id__rows_get: (client, { mail_id }) => client.reviews.rows(mail_id).next(),
  decide_review_rows_reviews__review_id__decisions_post: (client, { mail_id }) =>
    client.reviews.decide(mail_id, { row_ids: ['none'], decision: 'keep' }),
  list_access_access_get: (client) => client.access.list().next(),
  list_audit_audit_get: (client) => client.audit.list().next(),
  list_user_audit_users__user_id__audit_get: (client, { user_id }) => client.audit.pageOf(user_id),
  get_audit_checkpoint_audit_checkpoint_get: (client) => client.audit.checkpoint(),

  live_health_live_get: (client) => client.health.live(),
  ready_health_ready_get: (client) => client.health.ready(),
  get_metrics_metrics_get: (client) => client.metrics(),
  get_deployment_deployment_get: (client) => client.deployment(),
}

/** Operations that an API key may not use, or whose object no longer exists. */
const refusals: Record<string, ProblemCode> = {
  request_email_code_sessions_email_code_post: 'not_enabled',
  // Belongs to a connection with OpenID Connect.
  get_saml_metadata_connections__connection_id__metadata_get: 'connection_not_found',
  list_my_identities_me_identities_get: 'user_required',
  link_my_identity_me_identities_post: 'user_required',
  remove_my_identities_me_identities_delete: 'user_required',
  remove_my_identity_me_identities__identity_id__delete: 'user_required',
  remove_user_identity_users__user_id__identities__identity_id__delete: 'identity_not_found',
  restore_user_users__user_id__restore_post: 'user_not_found',
  cancel_import_imports__job_id__cancel_post: 'import_finished',
  end_user_session_users__user_id__sessions__session_id__delete: 'session_not_found',
  impersonate_user_users__user_id__impersonation_post: 'user_required',
  verify_my_email_me_email_verification_post: 'user_required',
  create_user_key_users__user_id__keys_post: 'keys_are_personal',
  revoke_user_key_users__user_id__keys__key_id__delete: 'key_not_found',
  create_my_key_me_keys_post: 'user_required',
  list_my_keys_me_keys_get: 'user_required',
  revoke_my_key_me_keys__key_id__delete: 'user_required',
  request_password_reset_password_resets_post: 'mail_not_configured',
  invite_user_users__user_id__invitation_post: 'user_not_invitable',
  confirm_inactivity_inactivity_confirmation_post: 'inactivity_not_stopped',
  get_review_reviews__review_id__get: 'review_not_found',
  update_review_reviews__review_id__patch: 'review_not_found',
  list_review_rows_reviews__review_id__rows_get: 'review_not_found',
  decide_review_rows_reviews__review_id__decisions_post: 'review_not_found',
  list_access_requests_access_requests_get: 'not_enabled',
  get_access_request_access_requests__request_id__get: 'not_enabled',
  decide_access_request_access_requests__request_id__decision_post: 'not_enabled',
  get_mail_mails__mail_id__get: 'mail_not_found',
  retry_mail_mails__mail_id__retry_post: 'mail_not_configured',
  release_mails_mails_release_post: 'mail_not_configured',
  send_test_mail_mails_test_post: 'mail_not_configured',
  get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get: 'delivery_not_found',
  redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post: 'delivery_not_found',
  complete_setup_setup_post: 'setup_link_invalid',
  exchange_cli_login_cli_logins_token_post: 'invalid_grant',
  get_me_me_get: 'user_required',
  get_my_data_me_data_get: 'user_required',
  delete_me_me_delete: 'user_required',
  update_me_me_patch: 'user_required',
  change_my_password_me_password_post: 'user_required',
  list_my_factors_me_factors_get: 'user_required',
  add_totp_me_factors_totp_post: 'user_required',
  confirm_totp_me_factors_totp__factor_id__confirm_post: 'user_required',
  begin_passkey_me_factors_passkeys_options_post: 'user_required',
  add_passkey_me_factors_passkeys_post: 'user_required',
  begin_passkey_confirmation_sessions_current_reauthentication_passkey_options_post: 'user_required',
  rename_my_factor_me_factors__factor_id__patch: 'user_required',
  remove_my_factor_me_factors__factor_id__delete: 'user_required',
  replace_recovery_codes_me_recovery_codes_post: 'user_required',
  remove_user_factor_users__user_id__factors__factor_id__delete: 'factor_not_found',
  reauthenticate_sessions_current_reauthentication_post: 'user_required',
  list_my_trusted_browsers_me_trusted_browsers_get: 'user_required',
  remove_my_trusted_browser_me_trusted_browsers__browser_id__delete: 'user_required',
  remove_user_trusted_browser_users__user_id__trusted_browsers__browser_id__delete: 'trusted_browser_not_found',
  list_sessions_sessions_get: 'user_required',
  end_other_sessions_sessions_delete: 'user_required',
  end_session_sessions__session_id__delete: 'user_required',
  end_current_session_sessions_current_delete: 'user_required',
}

const noPasskey = {
  id: 'none',
  type: 'public-key' as const,
  response: { clientDataJSON: 'e30', attestationObject: 'oA' },
}

const unused = '019a9f3e-0000-7000-8000-000000000000'

const override = { override: true, retries: 0 }

/** How to change what a configuration file manages. A new operation with `override` needs an entry here. */
const overriding: Record<string, (client: RollbookClient) => Promise<unknown>> = {
  update_group_groups__group_id__patch: ({ groups }) => groups.update(unused, { name: 'New' }, override),
  delete_group_groups__group_id__delete: ({ groups }) => groups.delete(unused, override),
  update_organization_organizations__organization_id__patch: ({ organizations }) =>
    organizations.update(unused, { name: 'New' }, override),
  add_organization_domain_organizations__organization_id__domains_post: ({ organizations }) =>
    organizations.addDomain(unused, { domain: 'a.example' }, override),
  remove_organization_domain_organizations__organization_id__domains__domain__delete: ({ organizations }) =>
    organizations.removeDomain(unused, 'a.example', override),
  delete_organization_organizations__organization_id__delete: ({ organizations }) =>
    organizations.delete(unused, override),
  update_attribute_attributes__name__patch: ({ attributes }) => attributes.update('a', { label: 'New' }, override),
  delete_attribute_attributes__name__delete: ({ attributes }) => attributes.delete('a', override),
  update_sign_in_connection_connections__connection_id__patch: ({ connections }) =>
    connections.update(unused, { position: 7 }, override),
  delete_sign_in_connection_connections__connection_id__delete: ({ connections }) =>
    connections.delete(unused, override),
  update_connection_provisioning__connection_id__patch: ({ provisioning }) =>
    provisioning.update(unused, { name: 'New' }, override),
  delete_connection_provisioning__connection_id__delete: ({ provisioning }) => provisioning.delete(unused, override),
  update_webhook_webhooks__endpoint_id__patch: ({ webhooks }) => webhooks.update(unused, { active: false }, override),
  delete_webhook_webhooks__endpoint_id__delete: ({ webhooks }) => webhooks.delete(unused, override),
  update_key_keys__key_id__patch: ({ keys }) => keys.update(unused, { name: 'New' }, override),
  revoke_key_keys__key_id__delete: ({ keys }) => keys.revoke(unused, override),
  update_role_roles__role__patch: ({ roles }) => roles.update('a', { description: 'New' }, override),
  delete_role_roles__role__delete: ({ roles }) => roles.delete('a', override),
  update_policies_policies_patch: ({ policies }) => policies.update({ second_factor: 'optional' }, override),
  replace_branding_branding_put: ({ branding }) => branding.replace({ name: 'Renamed' }, override),
}

describe('the client and the OpenAPI document', () => {
  const ends: (() => Promise<void>)[] = []
  let app: Started
  let client: RollbookClient
  let ids: Ids
  const sent: string[] = []

  before(async () => {
    app = await start({ after: (end: () => Promise<void>) => ends.push(end) } as unknown as TestContext, anyEngine)
    client = new RollbookClient({
      url: await app.listen(),
      apiKey: adminKey,
      fetch(url, init) {
        sent.push(`${init?.method} ${new URL(String(url)).pathname.slice(app.config.basePath.length)}`)
        return fetch(url, init)
      },
    })
    const { user_id } = await client.users.create({ username: 'person', password })
    const { group_id } = await client.groups.create({ name: 'known' })
    const { organization_id } = await client.organizations.create({ name: 'known' })
    const setupLink = await client.organizations.createSetupLink(organization_id, { features: ['domains'] })
    const { connection_id } = await client.provisioning.create({ name: 'known' })
    const { connection_id: sign_in_id } = await client.connections.create({
      kind: 'oidc',
      name: 'known',
      issuer: 'https://known.example',
      client_id: 'known',
    })
    const { connection_id: directory_id } = await client.connections.create({
      kind: 'ldap',
      name: 'directory',
      servers: ['ldaps://127.0.0.1:1'],
      user_base: 'dc=example',
    })
    const { name } = await client.attributes.create({ name: 'known', type: 'string' })
    const { key_id } = await client.keys.create({ name: 'known', permissions: ['users:read'] })
    const { role } = await client.roles.create({ role: 'known', permissions: ['users:read'] })
    const { endpoint_id } = await client.webhooks.create({ url: 'https://receiver.example/known' })
    ids = {
      user_id,
      group_id,
      organization_id,
      setup_link_id: setupLink.setup_link_id,
      connection_id,
      sign_in_id,
      directory_id,
      name,
      role,
      key_id,
      endpoint_id,
      session_id: unused,
      delivery_id: unused,
      mail_id: unused,
      job_id: unused,
    }
  })
  after(async () => {
    for (const end of ends) await end()
  })

  it('have exactly one method for each operation, and none for what identity providers call', () => {
    const operations = Object.values(app.document.paths).flatMap((methods) => Object.values(methods))
    const listed = [...Object.keys(calls), ...calledByProviders].sort()
    assert.deepEqual(listed, operations.map(({ operationId }) => operationId).sort())
    const marked = operations.filter((operation) => operation['x-called-by'] === 'provider')
    assert.deepEqual(marked.map(({ operationId }) => operationId).sort(), calledByProviders)
  })

  it('agree about each operation', async () => {
    for (const [path, methods] of Object.entries(app.document.paths)) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        if (calledByProviders.includes(operationId)) continue
        sent.length = 0
        const refusal = await (calls[operationId] as Call)(client, ids).then(
          () => undefined,
          (error) => (error instanceof RollbookError ? error.code : error),
        )
        const form = new RegExp(
          `^${method.toUpperCase()} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
        )
        assert.match(sent[0] ?? '', form, operationId)
        assert.deepEqual(refusal, refusals[operationId], operationId)
      }
    }
  })

  it('have a method with override for each operation that changes what a configuration file may manage', async () => {
    const takesOverride = Object.values(app.document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters = [] }) =>
        (parameters as { name: string; description?: string }[]).some(
          ({ name, description = '' }) => name === 'override' && description.includes('configuration file'),
        ),
      )
    assert.deepEqual(Object.keys(overriding).sort(), takesOverride.map(({ operationId }) => operationId).sort())
    const problem = { type: 'about:blank', title: 'x', status: 404, detail: 'x', instance: 'x', code: 'not_found' }
    const queries: string[] = []
    const recording = new RollbookClient({
      url: 'http://rollbook.example/auth',
      apiKey: adminKey,
      fetch(url) {
        queries.push(new URL(String(url)).search)
        const headers = { 'content-type': 'application/problem+json' }
        return Promise.resolve(new Response(JSON.stringify(problem), { status: 404, headers }))
      },
    })
    for (const [operation, call] of Object.entries(overriding)) {
      queries.length = 0
      await call(recording).catch((error) => assert.equal(error.code, 'not_found', operation))
      assert.deepEqual(queries, ['?override=true'], operation)
    }
  })

  it('have the same types: npm run generate would not change the file', () => {
    const text = readFileSync(new URL('../../src/sdk/client/types.ts', import.meta.url), 'utf8')
    assert.equal(formatted('src/sdk/client/types.ts', writeClientTypes(app.document)), text)
  })

  it('have the same types of users and problems as the service', () => {
    // The type checker is the test: each type must be assignable to the other.
    type Sure<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> }
    const same = <Left, Right>(_: [Left] extends [Right] ? ([Right] extends [Left] ? true : never) : never) => {}
    same<Sure<User>, Sure<users.User>>(true)
    same<Sure<CreateUser>, Sure<users.CreateUser>>(true)
    same<Sure<UpdateUser>, Sure<users.UpdateUser>>(true)
    same<ProblemCodeOfClient, ProblemCode>(true)
    // @ts-expect-error A difference is found.
    same<User, users.UpdateUser>(true)
  })
})
