import type { ProblemCode } from '../../core/errors.ts'

/** The explanation and remedy of each problem, for the page that its `type` links to. Backticks mark code. */
export const problemTexts: Record<ProblemCode, { happened: string; doNext: string }> = {
  malformed_request: {
    happened:
      'The request is not valid HTTP/1.1, or two programs could read it differently: a broken request line, no `Host` header, a header that appears twice but may appear only once, a `Content-Length` that does not match the body, or a URL that is not percent-encoded UTF-8.',
    doNext:
      'Send the request with an HTTP library instead of building it by hand. If a library built it, check the proxies in between.',
  },
  malformed_json: {
    happened:
      'The body is empty, is not JSON in UTF-8, or is JSON that two programs could read differently: a repeated member, half a character, a member named `__proto__`, or nesting deeper than 16 levels. `detail` says which, and where.',
    doNext: 'Correct the body. Let a JSON library write it; the usual cause is quoting by hand in a shell.',
  },
  malformed_yaml: {
    happened: 'The configuration file is not YAML. `errors` says in which line and column.',
    doNext: 'Correct the text. Values that begin with a special character need quotes.',
  },
  malformed_csv: {
    happened:
      'The body is not CSV as RFC 4180 defines it: a quote is not closed, a row is too long, or the text is in another encoding than its media type says.',
    doNext:
      'Save the file as CSV in UTF-8 and send it again, or name its encoding: `Content-Type: text/csv; charset=windows-1252`. Rows well before the fault are already imported; `rows_done` of the import says how many.',
  },
  malformed_spreadsheet: {
    happened:
      'The body is not an Excel file (.xlsx) that can be read: it is damaged, protected with a password, in the format of before 2007 or of another program, unpacks to far more than its size, or its first sheet is empty. `detail` says which.',
    doNext:
      'Open the file in a spreadsheet program, and save it as .xlsx without a password, or as CSV. Rows well before the fault are already imported; `rows_done` of the import says how many.',
  },
  malformed_header: {
    happened:
      'A header has an invalid value: `If-Match` or `If-None-Match` without entity tags in quotes, or an `Idempotency-Key` that is empty, longer than 255 characters or not visible ASCII.',
    doNext:
      'Send the header in the form that `detail` describes. Send an ETag back exactly as you received it, with its quotes.',
  },
  bad_cursor: {
    happened: 'The `cursor` was not created by this API, was changed, or belongs to a list with another `sort`.',
    doNext:
      'Follow the URL in the `Link` header of the previous page without changing it. To start over, leave the cursor out. Cursors do not expire.',
  },
  ambiguous_credentials: {
    happened:
      'The request has two credentials: different ones in `X-API-Key` and `Authorization`, or a session cookie beside one of them. Rollbook does not choose between them.',
    doNext:
      'Send only the credential you mean. A client library or a proxy may add the other one. If a page of your product calls the API with a key or token, leave the cookie out (`credentials: "omit"`).',
  },
  authorization_pending: {
    happened: 'The user has not yet approved or refused this sign-in of a command line (RFC 8628 §3.5).',
    doNext: 'Ask again after `interval` seconds, until the code has expired.',
  },
  slow_down: {
    happened: 'You ask for the key of a device code more often than every `interval` seconds.',
    doNext: 'Wait five seconds longer between two requests from now on (RFC 8628 §3.5).',
  },
  access_denied: {
    happened: 'The user refused this sign-in of a command line in the browser.',
    doNext: 'Do not ask again. Start another sign-in only if the user wants one.',
  },
  expired_token: {
    happened: 'The user did not approve the sign-in of the command line within 10 minutes.',
    doNext: 'Start again with `POST /cli-logins`.',
  },
  invalid_grant: {
    happened:
      'The code is unknown, was used, has expired, or was shown with another `redirect_uri` or verifier than that of its sign-in. Or the user was disabled, deleted, or got another role or password after the approval. If the code was used before, its key is revoked now.',
    doNext: 'Start again with `POST /cli-logins`. Use each code once, and do not repeat the request.',
  },
  unsupported_grant_type: {
    happened: 'The `grant_type` is none that this operation knows.',
    doNext: 'Send `authorization_code` or `urn:ietf:params:oauth:grant-type:device_code`.',
  },
  credential_missing: {
    happened: 'The request has no credential, and this path needs one.',
    doNext:
      'Send an API key as `X-API-Key: rb_…` or `Authorization: Bearer rb_…`. The first start wrote one to `admin-key` in the data directory.',
  },
  credential_invalid: {
    happened:
      'The request has a credential, but it is not valid: it is mistyped or incomplete, has expired, was revoked, was replaced and its overlap is over, or belongs to another installation. `detail` says as much as is known.',
    doNext:
      'Send a valid credential: the new key if the key was rotated, a new access token from `POST /token`, or sign in again. docs/sessions.md lists everything that ends a credential.',
  },
  sign_in_failed: {
    happened:
      'The sign-in was refused. The response is the same, and takes the same time, whether the user exists, has a password, is disabled or is locked.',
    doNext:
      'Check the username or email address and the password. If they are right, ask an administrator: they can see whether the user is active or locked, unlock the user, or set a new password.',
  },
  second_factor_required: {
    happened:
      'The password is right, and the user has a second factor, which is needed too. `challenge_id` is valid for 5 minutes and 5 attempts, in the browser that got this response.',
    doNext:
      'Send `POST /sessions` with `challenge_id` and `code` or `recovery_code`, as `methods` says. Send the cookie of the response with it.',
  },
  second_factor_failed: {
    happened:
      'The code was not accepted: it is wrong, has expired, or was used before. Each code works once. The attempt counts like a wrong password.',
    doNext:
      'Wait for the next code of the app, and check that the clock of the phone is right. A user without the phone uses a recovery code; without these, an administrator removes the factors.',
  },
  challenge_expired: {
    happened:
      'The step of the sign-in is older than 5 minutes, was completed, had five wrong attempts, or was started in another browser.',
    doNext: 'Start the sign-in again. Send the cookie of the first response with the second request.',
  },
  insufficient_user_authentication: {
    happened:
      'The access token belongs to a user whose sign-in is too old for this operation, or lacks a second factor (RFC 9470). `WWW-Authenticate` says what is needed.',
    doNext: 'Let the user confirm or sign in again, get another access token, and repeat the request.',
  },
  permission_denied: {
    happened: 'The credential is valid, but it lacks the permission that `detail` names.',
    doNext:
      'Use a key with that permission, or ask an administrator to create one. The permissions of an existing key cannot be changed.',
  },
  user_required: {
    happened:
      'This operation is about the user who calls it, but the credential belongs to an API key or a service; or it is a personal key, which has no access to the password, email address, username, role, factors, sessions, linked accounts, keys and links of its owner.',
    doNext:
      'Sign in with `POST /sessions`. An API key of a program uses the operation under `/users/{user_id}`; a personal key cannot do so for its owner.',
  },
  password_change_required: {
    happened:
      'An administrator set a password that the user must change first. Until then the session can be used only for that, for `GET /me`, and to sign out. A password that a connection refuses holds no one.',
    doNext:
      'Change the password with `POST /me/password`, or on the page `change-password`. With a personal key, its owner must sign in and do so.',
  },
  factor_required: {
    happened:
      'Your administrator requires a second factor, and this session was started without one. It can be used only to add one, or to confirm with one that you have, for `GET /me`, and to sign out. If the password must be changed too, that comes afterwards.',
    doNext:
      'Add one-time codes with `POST /me/factors/totp`, or open the sign-in page, which shows the steps. If you have a factor already, confirm with it: `POST /sessions/current/reauthentication`.',
  },
  confirmation_failed: {
    happened:
      'The proof that should confirm the caller was not accepted: the code is wrong or was used before, or the password was sent although the user has a second factor.',
    doNext:
      'Send the code that the app shows now, or a recovery code. `methods` lists what this user can confirm with.',
  },
  reauthentication_required: {
    happened:
      'This operation could give an attacker lasting access, so it needs a session whose user has proved who they are within the last 10 minutes.',
    doNext:
      'Confirm with `POST /sessions/current/reauthentication`, then repeat the request. API keys need no confirmation.',
  },
  current_password_wrong: {
    happened: 'The current password that confirms this change is wrong. The attempt counts like a failed sign-in.',
    doNext: 'Repeat the request with the right password. If it is lost, ask an administrator to set a new one.',
  },
  cross_origin: {
    happened:
      'A request that changes something has a session cookie, but does not prove that it comes from a page of the same origin. Another site may have made the browser send it.',
    doNext:
      'Call from a page of the same origin: browsers then send `Sec-Fetch-Site: same-origin` or a matching `Origin`. In scripts, use an API key or an access token instead of a cookie. Behind a proxy, check `ROLLBOOK_PUBLIC_URL`.',
  },
  setup_link_invalid: {
    happened:
      'The token is not that of the newest link for the first administrator: the link was used, was replaced by a newer one, is older than 24 hours, or is incomplete.',
    doNext:
      'Run `rollbook admin link` on the host of the service, or start the service in a terminal again, and open the link that it prints.',
  },
  not_while_impersonating: {
    happened:
      'You act as another user (`act` in `GET /me`). Such a session can read what the user sees, and get access tokens for your product. It can change nothing here: not the password, factors, email address, keys, roles or anything else.',
    doNext:
      'Stop with `DELETE /sessions/current`, then make the change with your own session. To change something for the user, use the operations for administrators, such as `PATCH /users/{user_id}`.',
  },
  token_not_exchangeable: {
    happened:
      'The request for a new access token was made with an access token. If this were allowed, a token could renew itself forever.',
    doNext: 'Send the session or the API key instead.',
  },
  role_not_grantable: {
    happened:
      'The request would give a user a role with permissions that the credential lacks. If this were allowed, a weak key could make itself an administrator.',
    doNext: "Choose a role within the credential's own permissions, or use a credential with more permissions.",
  },
  user_outranks_caller: {
    happened:
      'The user has a role with permissions that the credential lacks. If you could change such a user, above all the password, you could act as that user.',
    doNext: 'Use a credential that has at least the permissions of this role.',
  },
  other_organization: {
    happened:
      'A connection of an organization signs in only users who belong to it. This user belongs to another organization, or to none.',
    doNext: 'Let an administrator move the user to the organization, or link an account of another connection.',
  },
  permission_not_grantable: {
    happened:
      'The key you want to create, rotate or revoke, or the access token you ask for, has permissions that the credential lacks. `detail` names them.',
    doNext: 'Ask only for permissions that the credential has, or use a credential with more permissions.',
  },
  key_outlives_caller: {
    happened:
      'The API key you want to create or rotate would last longer than the credential you use: a key that expires, the old secret of a rotated key, an access token of such a key, a token of a trusted issuer, or a personal key, which ends with its owner. `detail` says when the credential expires.',
    doNext:
      'Set `expires_at` to that time or earlier, or use a credential that lasts longer: the new secret of a rotated key, a key without expiry, or a session.',
  },
  not_found: {
    happened: 'There is no operation at this path. A missing user or key has its own code.',
    doNext: 'Compare the path with the docs page, in particular its prefix and a trailing slash.',
  },
  user_not_found: {
    happened: 'There is no user with this `user_id`. The user may have been deleted; ids are never reused.',
    doNext: 'Look the user up with `GET /users?username=…`. If you repeated a deletion, it has succeeded.',
  },
  attribute_not_found: {
    happened: 'There is no attribute with this name, or it was deleted.',
    doNext: 'List the attributes with `GET /attributes`.',
  },
  group_not_found: {
    happened: 'There is no group with this `group_id`, or it was deleted.',
    doNext: 'Look the id up with `GET /groups`, for example with `?name=`.',
  },
  organization_not_found: {
    happened: 'There is no organization with this `organization_id`, or it was deleted.',
    doNext: 'Look the id up with `GET /organizations`, for example with `?name=`.',
  },
  domain_not_found: {
    happened: 'The organization exists, and the domain is not one of its domains. It may have been removed.',
    doNext: 'Read `domains` of `GET /organizations/{organization_id}`, or add the domain first.',
  },
  setup_link_not_found: {
    happened:
      'The organization exists, and has no setup link with this `setup_link_id`. Links are deleted 30 days after they expired.',
    doNext: 'List the links with `GET /organizations/{organization_id}/setup-links`.',
  },
  connection_not_found: {
    happened: 'There is no connection with this `connection_id`, or it was deleted.',
    doNext: 'Look the id up with `GET /connections` or `GET /provisioning`.',
  },
  not_a_reviewer: {
    happened: 'The review names its reviewers, and you are not one of them.',
    doNext: 'Ask a reviewer to decide, or to be named with `PATCH /reviews/{review_id}`.',
  },
  connection_refused: {
    happened:
      'The company accepts the password, but the user may not sign in here with it: no user has this account, the user is disabled, or the address cannot be linked.',
    doNext: 'Administrators see why with `GET /connections/{connection_id}/failures`, claim by claim.',
  },
  identity_not_found: {
    happened: 'The user has no identity with this `identity_id`, or it was removed.',
    doNext: 'Look the id up with `GET /users/{user_id}/identities` or `GET /me/identities`.',
  },
  connection_conflict: {
    happened:
      'The company accepts the password, but a user with this address or name exists already, and the account of the company is not linked to them; or the address is not confirmed there.',
    doNext:
      'The detail says what the user can do: sign in in the usual way and link the account on the page `/link`. Administrators see why with `GET /connections/{connection_id}/failures`, and can link the account: `POST /users/{user_id}/identities`.',
  },
  identity_taken: {
    happened: 'This account of the connection is linked to a user already: to this one, or to another one.',
    doNext:
      'If the account belongs to another user now, remove the identity there first: `DELETE /users/{user_id}/identities/{identity_id}`.',
  },
  key_not_found: {
    happened: 'There is no API key with this `key_id`, or it was revoked.',
    doNext: 'Look the id up with `GET /keys`. Use the `key_id`, not the key itself.',
  },
  session_not_found: {
    happened: 'There is no session with this `session_id`, it has ended, or it belongs to another user.',
    doNext:
      'Look the id up with `GET /sessions`, or `GET /users/{user_id}/sessions`. If you wanted to end the session, it has ended.',
  },
  endpoint_not_found: {
    happened: 'There is no webhook endpoint with this `endpoint_id`, or it was deleted.',
    doNext: 'Look the id up with `GET /webhooks`. If you repeated a deletion, it has succeeded.',
  },
  delivery_not_found: {
    happened:
      'The endpoint has no delivery with this `delivery_id`. Deliveries that arrived are kept for a week, and deliveries that were given up for a month.',
    doNext: 'Look the id up with `GET /webhooks/{endpoint_id}/deliveries`. Older events are still in the change feed.',
  },
  mail_not_found: {
    happened: 'The URL names a message that does not exist. Finished messages are kept for 30 days.',
    doNext: 'Take the `mail_id` from `GET /mails`.',
  },
  factor_not_found: {
    happened: 'There is no factor with this id, or it belongs to another user.',
    doNext:
      'List the factors with `GET /me/factors`. One-time codes that are not confirmed within an hour are deleted.',
  },
  trusted_browser_not_found: {
    happened: 'There is no trusted browser with this id, its time is over, or it belongs to another user.',
    doNext:
      'List them with `GET /me/trusted-browsers`. Changing the password or a factor, or signing out everywhere, removes all of them.',
  },
  import_not_found: {
    happened: 'There is no import with this id. Imports are deleted a month after their last progress.',
    doNext:
      'Look at `GET /imports`, or send the file again: rows that are already imported are reported as `unchanged`.',
  },
  role_not_found: {
    happened:
      'No role has this name: it is neither built in, nor in `ROLLBOOK_ROLES`, nor stored, and no user or group holds it.',
    doNext: 'List the roles with `GET /roles`.',
  },
  access_request_not_found: {
    happened:
      'No request for access has this id, its person has not confirmed the address, or it was deleted 30 days after its end.',
    doNext: 'List the requests with `GET /access-requests`.',
  },
  review_not_found: {
    happened: 'There is no access review with this id.',
    doNext: 'List them with `GET /reviews`.',
  },
  not_enabled: {
    happened: 'This part of Rollbook is switched off in this deployment. `detail` names the setting.',
    doNext: 'Ask the operator to set it if you need it.',
  },
  method_not_allowed: {
    happened: 'The path exists, but not with this method.',
    doNext: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    happened: 'The `Accept` header refuses every format that the list is available in.',
    doNext: 'Accept `application/json`, `application/x-ndjson` or `text/csv`, or send no `Accept` header.',
  },
  request_timeout: {
    happened: 'The request did not arrive completely within the allowed time. It had no effect.',
    doNext:
      'Send it again on a new connection. For slow connections, the operator can allow more time with `ROLLBOOK_REQUEST_TIMEOUT_SECONDS`.',
  },
  username_taken: {
    happened:
      'Another user already has this username. Usernames that differ only in case or in their Unicode form count as the same. A username that is the email address of another user is refused with this code too.',
    doNext: 'Choose another username, or find the user who has it with `GET /users?username=…`.',
  },
  email_taken: {
    happened:
      'Another user already has this email address, possibly in another case. An address that is the username of another user is refused with this code too. `PATCH /me` responds with it only without a mail server.',
    doNext: 'Choose another address, or find the user who has it with `GET /users?email=…`.',
  },
  external_id_taken: {
    happened: 'Another user already has this `external_id`. External ids are compared exactly.',
    doNext:
      'Find the user who has it with `GET /users?external_id=…`. If that is the user you meant to create, you are done.',
  },
  attribute_taken: {
    happened: 'Another user already has this value of a unique attribute. `errors` names the attribute.',
    doNext: 'Choose another value, or find the user with `GET /users?attributes.<name>=` and change that user.',
  },
  attribute_name_taken: {
    happened: 'There is already an attribute with this name.',
    doNext: 'Choose another name, or change the definition with `PATCH /attributes/{name}`.',
  },
  attribute_violated: {
    happened:
      'Existing users would violate the definition: they have no value though it is required, have a value that it would not allow, or share a value that it would make unique. `detail` says how many. Nothing was changed.',
    doNext:
      'Change these users first. To make an attribute required, define it without `required`, give all users a value, then set `required`.',
  },
  too_many_attributes: {
    happened: 'There are already 64 attributes, which is the limit.',
    doNext:
      'Delete an attribute that is not used. Keep data that does not describe a user in the database of your product.',
  },
  group_name_taken: {
    happened: 'Another group already has this name. Upper and lower case do not count.',
    doNext: 'Choose another name, or find the group with `GET /groups?name=` and change it.',
  },
  organization_name_taken: {
    happened: 'Another organization already has this name. Upper and lower case do not count.',
    doNext: 'Choose another name, or find the organization with `GET /organizations?name=` and change it.',
  },
  organization_not_empty: {
    happened:
      'Users, groups, keys or connections belong to the organization (`user_count`, `group_count`, `key_count`, `connection_count`). Nothing was deleted.',
    doNext: 'Move them to another organization or delete them, then delete the organization.',
  },
  domain_taken: {
    happened:
      'A verified domain belongs to one organization, and this one is verified for another. Another caller may have verified it a moment ago.',
    doNext:
      'Remove it from the other organization with `DELETE /organizations/{organization_id}/domains/{domain}`, if it no longer belongs there.',
  },
  domain_not_proved: {
    happened:
      'The name servers have no TXT record `_rollbook.<domain>`, or none with the value that this domain of this organization needs. `reason` is `no_record` or `other_value`, and `detail` says what was found. The domain is not verified.',
    doNext:
      'Publish the record with exactly `record_value`, then try again. Name servers keep the answer that there is no record for some minutes up to an hour (docs/organizations.md).',
  },
  too_many_domains: {
    happened: 'The organization already has 100 domains, which is the limit because they are shown with it.',
    doNext: 'Remove a domain that is no longer used.',
  },
  too_many_setup_links: {
    happened:
      'The organization already has 20 setup links that work, which is the limit because each of them lets its holder set up sign-in.',
    doNext:
      'Revoke a link that is no longer needed, with `DELETE /organizations/{organization_id}/setup-links/{setup_link_id}`.',
  },
  group_in_policy: {
    happened:
      'The second-factor policy (`ROLLBOOK_SECOND_FACTOR` or `PATCH /policies`) requires a second factor of the members of this group by its name, or the inactivity rule has a limit for them. With another name this would end unnoticed. Nothing was changed.',
    doNext:
      'Name the new name in the policy as well (`"group:New name": …`), rename the group, then remove the old name. A change of the setting needs a restart.',
  },
  trial_store: {
    happened:
      'The store was restored with `rollbook restore --trial` or `rollbook restored --trial`. A service on it sends no messages and no webhooks, and calls no identity provider and no directory. This request would have to.',
    doNext:
      'Sign in with a password or an API key to try the backup. To use the store for real, stop the service and run `rollbook restored` without `--trial` (docs/backup.md).',
  },
  connection_name_taken: {
    happened:
      'Another connection of the same kind, for sign-in or for provisioning, already has this name. Upper and lower case do not count.',
    doNext: 'Choose another name, or change the connection that has it.',
  },
  role_taken: {
    happened: 'There is already a role with this name: built in, in `ROLLBOOK_ROLES`, or stored.',
    doNext: 'Choose another name, or change that role with `PATCH /roles/{role}`.',
  },
  role_in_use: {
    happened:
      'Users or groups have the role (`user_count`, `group_count`), or a connection, a policy or a trusted issuer names it (`named_by`), or it is being replaced.',
    doNext:
      'Repeat the request with `replace_with=<role>`, which gives its holders another role first. Change what names the role before that.',
  },
  role_built_in: {
    happened: 'The roles `admin` and `user` belong to Rollbook and cannot be changed or deleted.',
    doNext: 'Create a role of your own with `POST /roles`.',
  },
  too_many_roles: {
    happened: 'There are already 256 roles besides the built-in ones and those of the settings, which is the limit.',
    doNext: 'Delete a role that is not used.',
  },
  managed_elsewhere: {
    happened:
      'An identity provider manages this user or group through a provisioning connection, or the role or policy is in the settings or in a configuration file, and the request would change what is managed there.',
    doNext:
      'Change it in the identity provider, the settings or the file. If that cannot wait, repeat the request with `override=true`, where it has this parameter and `managed_by` is not `settings`; the next synchronization may undo it. A connection cannot change what another one manages.',
  },
  deletion_not_allowed: {
    happened: 'An apply of the configuration file would delete more objects than `allow_delete` says.',
    doNext:
      'Look at the plan (`dry_run=true`, `rollbook plan`): an object that is missing in the file by mistake would be deleted. Then repeat the apply with `allow_delete`, or `rollbook apply --allow-delete N`.',
  },
  user_id_taken: {
    happened: 'The import has a `user_id` that another user has or had. Ids are never reused.',
    doNext:
      'Leave `user_id` out of the row so that a new id is created, or find the user who has it with `GET /users/{user_id}`.',
  },
  setup_done: {
    happened: 'The link for the first administrator cannot be used because there is already an active administrator.',
    doNext: 'Sign in as that administrator. If no administrator can sign in, run `rollbook admin reset` on the host.',
  },
  last_admin: {
    happened:
      'The user is the last active user whose role has every permission. If you deleted, disabled or demoted this user, no administrator would be left.',
    doNext: 'Make another active user an administrator first, then repeat the request.',
  },
  last_organization_admin: {
    happened:
      'The user is the last active user of the organization who can administer it (`users:write@organization`), and your permission is limited to this organization. After the change none would be left.',
    doNext:
      'Make another active user of the organization an administrator first, or ask an administrator of the service.',
  },
  own_account: {
    happened:
      'You used an operation for administrators on your own account, where the operation on yourself asks for more: the current password, the confirmation of a new address, or a factor that stays.',
    doNext:
      'Use the operation that `detail` names: it begins with `/me`. Users do it on their account page, `/auth/account`.',
  },
  last_factor: {
    happened: 'The policy requires a second factor of this user, and this is the only one.',
    doNext: 'Add another factor, then remove this one.',
  },
  last_password_admin: {
    happened:
      'A sign-in connection refuses passwords, and after this change no active administrator could sign in with one. If the company then cannot be reached, every administrator would be locked out.',
    doNext:
      'Give an active administrator a password and name them in `password_exceptions` of each connection that refuses theirs, or allow passwords there. Then repeat the request.',
  },
  password_refused: {
    happened: 'A sign-in connection refuses passwords for this user: they sign in with their company.',
    doNext: 'Sign in with the company. An administrator can name the user in `password_exceptions` of the connection.',
  },
  last_sign_in_way: {
    happened:
      'You would remove your last passkey or linked account, and could not sign in again, because you have no password that you may use.',
    doNext: 'Add a passkey first, or set a password if no connection refuses yours, then repeat the request.',
  },
  no_factor: {
    happened: 'Recovery codes replace a second factor, and the user has none.',
    doNext: 'Add one-time codes or a passkey first.',
  },
  passkeys_unavailable: {
    happened: 'Passkeys belong to a domain, and the host of `ROLLBOOK_PUBLIC_URL` is an IP address.',
    doNext: 'Open the service under a domain name and set `ROLLBOOK_PUBLIC_URL` to it, or use one-time codes.',
  },
  too_many_keys: {
    happened: 'The user has as many keys as a user can have.',
    doNext: 'Revoke one that is no longer used.',
  },
  key_is_personal: {
    happened: 'The key belongs to a user. Anyone who reads its new secret could act as that user.',
    doNext: 'Its owner creates a new key with `POST /me/keys` and revokes the old one. You can revoke it too.',
  },
  keys_are_personal: {
    happened: 'The user is a person. Anyone who reads the secret of a new key could act as that person.',
    doNext:
      'The person creates a key with `POST /me/keys` while signed in. For a program, create a service account (`"kind": "service"`) and give it a key.',
  },
  too_many_factors: {
    happened: 'The user has as many factors as a user can have.',
    doNext: 'Remove one that is no longer used.',
  },
  key_expired: {
    happened: 'The API key has expired and cannot be rotated: the new one would have expired as well.',
    doNext: 'Create a new key with `POST /keys`, and revoke the old one.',
  },
  key_managed_by_configuration: {
    happened:
      'This key comes from `ROLLBOOK_ADMIN_KEY`. If you revoked it here, it would be back after the next start.',
    doNext: 'Change the setting and restart the service: the old key ends then.',
  },
  too_many_connections: {
    happened:
      'There are already 1,000 connections of this kind, for sign-in or for provisioning, or the organization already has 10. `detail` says which.',
    doNext: 'Delete one that is no longer used.',
  },
  too_many_endpoints: {
    happened:
      'There are already 100 webhook endpoints, which is the limit because every event is offered to each of them.',
    doNext:
      'Delete an endpoint that you no longer need. To reach more receivers, send to one that forwards the events, or let them follow the change feed.',
  },
  endpoint_inactive: {
    happened:
      'Nothing is sent to this webhook endpoint because `active` is false. Either an administrator set it, or Rollbook did after days of failures or a 410 response. `disabled_reason` says which.',
    doNext:
      'Set `active` to true with `PATCH /webhooks/{endpoint_id}`. Rollbook then sends the events that happened meanwhile; you do not need to send any again.',
  },
  delivery_in_progress: {
    happened: 'The delivery has not arrived yet and has not been given up: Rollbook retries it.',
    doNext:
      'Wait for `next_attempt_at`. When the receiver works again, `PATCH /webhooks/{endpoint_id}` with `active: true` sends everything that waits at once.',
  },
  mail_not_configured: {
    happened: 'The request would send a message, but this service has no mail server.',
    doNext: 'Ask the operator to set `ROLLBOOK_SMTP_URL` (docs/email.md), or create a link and hand it over yourself.',
  },
  user_is_service_account: {
    happened:
      'The user is a service account, a program: it has no password, factors, links or sessions, and cannot be impersonated.',
    doNext: 'Create a key for it with `POST /users/{user_id}/keys`.',
  },
  user_not_impersonable: {
    happened: 'You cannot act as this user: the user is disabled, or is you.',
    doNext: 'Enable the user first, if you may. What a disabled user would see is in their role and groups.',
  },
  user_not_invitable: {
    happened:
      'An invitation is for an active user without a password, and a link for a new password for an active user.',
    doNext: 'Enable the user, or create a link for a new password with `POST /users/{user_id}/password-reset`.',
  },
  email_missing: {
    happened:
      'A link to confirm the address was requested, but the user has no email address, or one with characters outside ASCII before the `@`, to which no messages are sent.',
    doNext: 'Set one with `PATCH /me`.',
  },
  access_request_decided: {
    happened:
      'The request was approved or declined already, perhaps by another administrator at the same moment, or it has waited for more than 30 days.',
    doNext:
      'Read it with `GET /access-requests/{request_id}`: `decided_by` says by whom. A person whose request has expired can ask again.',
  },
  review_closed: {
    happened: 'The review is closed. Its rows are sealed, and nothing of them changes any more.',
    doNext: 'Begin another review with `POST /reviews`, or change the user or the group itself.',
  },
  too_many_reviews: {
    happened: 'There are as many reviews as there can be.',
    doNext:
      'Reviews cannot be deleted, because auditors ask for them. Change an open one with `PATCH /reviews/{review_id}` instead of beginning another.',
  },
  inactivity_not_stopped: {
    happened: 'No run of the inactivity rule waits for a confirmation, or another administrator has just confirmed it.',
    doNext: 'Send `POST /inactivity/preview` with `{}`: `stopped` shows whether one waits.',
  },
  own_access: {
    happened: 'Reviewers cannot decide about their own access. The other rows of the request are decided.',
    doNext: 'Ask another reviewer to decide about this row.',
  },
  link_ended: {
    happened: 'The link was used, has expired, was replaced by a newer one, or the user has changed since.',
    doNext: 'Request a new one.',
  },
  mail_not_failed: {
    happened:
      'Only a message with the status `failed` can be sent again, and only while its link works. This one was sent, is waiting, was cancelled, or its link has expired.',
    doNext: 'Look at its `status` in `GET /mails`. If its link has ended, create a new one.',
  },
  import_busy: {
    happened: 'Another request is sending rows of the same import right now.',
    doNext:
      'Wait for the seconds in `Retry-After`, then send the same request again: rows that are already imported are skipped.',
  },
  import_cancelled: {
    happened: 'The import was cancelled and accepts no more rows. Rows that were imported before stay.',
    doNext:
      'To import the rest after all, send the file with another `job_id`: rows that are already imported are reported as `unchanged`.',
  },
  import_finished: {
    happened: 'The import has ended: it accepts no more rows and cannot be cancelled.',
    doNext: 'Send more rows as a new import, with another `job_id`.',
  },
  import_mismatch: {
    happened:
      'An import with this `job_id` was started with other options or another file, or as a dry run whose results are lost.',
    doNext: 'Send the same file with the same options as at the start, or choose another `job_id`.',
  },
  import_gap: {
    happened: 'This part of the file starts after rows that have not arrived yet.',
    doNext:
      'Read `rows_done` with `GET /imports/{job_id}`, and send the file from that row on, with `from_row` set to it.',
  },
  idempotency_in_progress: {
    happened: 'A request with the same `Idempotency-Key` is still running.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`, with the same key and body. You then receive the response to the first request.',
  },
  cursor_unknown: {
    happened:
      'The `after` parameter or `Last-Event-ID` belongs to another history than the change feed has now. This happens after a backup was restored, for example.',
    doNext: 'Discard your copy and follow the changes from the beginning: repeat the request without it.',
  },
  cursor_expired: {
    happened:
      'The `after` parameter or `Last-Event-ID` is too old: events that you would need to continue have been removed.',
    doNext: 'Discard your copy and follow the changes from the beginning: repeat the request without it.',
  },
  precondition_failed: {
    happened:
      'The resource has changed since you read the ETag in `If-Match`, or it is one that `If-None-Match` excludes. This request changed nothing.',
    doNext:
      'Read the resource again without `If-Match`, decide whether your change still applies, and send it with the new ETag.',
  },
  body_too_large: {
    happened:
      'The body is larger than the limit for a request, which is 64 KiB unless the operator changed it, or an import unpacks to more than 100 times its size.',
    doNext:
      'Send a smaller body, or an import uncompressed. If your users really need this much data, raise `ROLLBOOK_BODY_LIMIT_BYTES`.',
  },
  uri_too_long: {
    happened: 'The URL is longer than 24,576 characters, or a part of its path is longer than 200.',
    doNext: 'Ask for fewer users at once, or filter by something shorter than a list of ids.',
  },
  unsupported_media_type: {
    happened: 'The body is not labelled as JSON in UTF-8.',
    doNext:
      'Send `Content-Type: application/json`, or `application/merge-patch+json` for PATCH. UTF-8 is the only supported charset.',
  },
  unsupported_content_encoding: {
    happened: 'The body was sent compressed.',
    doNext: 'Send it uncompressed, without `Content-Encoding`. Responses can be compressed; requests cannot.',
  },
  expectation_failed: {
    happened: 'The request has an `Expect` header other than `100-continue`.',
    doNext: 'Leave the header out.',
  },
  list_too_costly: {
    happened:
      'To find this page of the list, or to count its matches exactly, Rollbook would have to read too many users: the search or the filters match many, and no index has them in this order. The work for one page is limited to about a tenth of a second, so that one list cannot delay the others. The same request is refused again while the store holds as many users.',
    doNext:
      'Do one of the things that `detail` lists: use `count=estimate` instead of `count=true`, search for a longer or rarer text, add a filter that matches few users, leave out `sort`, or follow the `Link` of each page instead of using `offset`. Without `limit` the whole list is streamed and nothing is refused.',
  },
  validation_failed: {
    happened:
      'The request is well-formed, but its content is not acceptable. `errors` lists the faults: `pointer` points to the member (`#/username`) or names the parameter (`?limit`), `code` is for programs and `detail` for people. Nothing was changed.',
    doNext:
      'Correct what `errors` lists. Members and parameters that are not documented are refused on purpose, so that typos are not silently accepted.',
  },
  idempotency_mismatch: {
    happened: 'This `Idempotency-Key` was used for a request with another path or body. This request changed nothing.',
    doNext: 'Use a new key for each new request. Use the same key only to repeat exactly the same request.',
  },
  precondition_required: {
    happened:
      'This installation requires `If-Match` to change or delete an existing user, so that you do not overwrite changes you have not seen.',
    doNext: 'Read the user, and send its `ETag` as `If-Match`. `If-Match: *` matches any version.',
  },
  too_many_attempts: {
    happened:
      'There were too many failed sign-in attempts for this name or from this network, or too many requests for new passwords from this network, or too many email addresses or unique values that a user tried with `PATCH /me`, or too many questions for the DNS records of an organization. This one was not looked at. The response is the same whether the user or the value exists or not.',
    doNext:
      'Wait for the seconds in `Retry-After`. An administrator can unlock a user in the console, with `rollbook users unlock`, or with `DELETE /users/{user_id}/lock` (docs/throttling.md).',
  },
  too_many_mails: {
    happened:
      'At most five requested messages (links and tests) per hour go to one address, and a user can ask for at most two links to the same new address.',
    doNext:
      'Wait for the time in `Retry-After`, or take the link from the response with `send: false` and hand it over.',
  },
  rate_limited: {
    happened: 'This user, API key or network sent more requests in a minute than the operator allows.',
    doNext: 'Wait for the seconds in `Retry-After`, and spread your requests: `RateLimit` says how many are left.',
  },
  headers_too_large: {
    happened: 'The headers are larger than 16 KiB together, or there are more than 256 headers.',
    doNext: 'Send fewer or smaller headers. The usual cause is cookies that the product sets on the same host.',
  },
  internal_error: {
    happened: 'Something failed inside Rollbook. A change that ends with this code was rolled back completely.',
    doNext:
      'Find the request id from `instance` in the log: the log has the cause, which is not sent to clients. If it is a bug in Rollbook, report it with that line of the log.',
  },
  upstream_unavailable: {
    happened:
      'Rollbook cannot reach the product behind it (`ROLLBOOK_UPSTREAM`), or that address leads back to Rollbook itself.',
    doNext: 'Repeat the request after the seconds in `Retry-After`. The operator finds the reason in the log.',
  },
  overloaded: {
    happened:
      'More work is waiting than can be done in time: passwords to hash, changes to store, or a search that took too long. Nothing was changed.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`, and wait longer each time. If it happens often, see the limits in the configuration.',
  },
  issuer_unavailable: {
    happened:
      'The access token comes from a trusted issuer (`ROLLBOOK_TRUSTED_ISSUERS`) whose signing keys cannot be fetched right now, so its signature cannot be checked.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`. The operator finds the reason in the log: the `jwks_url` does not respond, or not with keys.',
  },
  provider_unavailable: {
    happened:
      'The identity provider of the connection did not respond, or responded with something that is not OpenID Connect.',
    doNext: 'Repeat the request later. Administrators see why with `GET /connections/{connection_id}/failures`.',
  },
  name_server_unavailable: {
    happened:
      'No name server says whether there is a record: it does not answer, fails (SERVFAIL), refuses to resolve names for Rollbook (REFUSED), cannot be reached, or sends an answer that cannot be read. `reason` and `detail` say which. The domain is as it was.',
    doNext:
      'Try again later. If it happens for one domain only, its own name servers or DNSSEC signatures are wrong: its owner should check them. If it happens for all, the operator should check the network and `ROLLBOOK_DNS_SERVERS`.',
  },
  too_many_snapshots: {
    happened:
      'The limit of whole lists that are streamed at the same time was reached (`ROLLBOOK_MAX_SNAPSHOTS`, half of them for one credential), and none ended within two seconds. Each of them keeps a snapshot of the store open.',
    doNext: 'Repeat the request after the seconds in `Retry-After`, or read the list in pages with `?limit=`.',
  },
  storage_unavailable: {
    happened:
      'The storage cannot be read or written right now: an I/O error, or a database that cannot be reached. `detail` says whether it is certain that nothing was changed.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`; with an `Idempotency-Key` this is always safe. The operator finds the reason in the log.',
  },
  outcome_unknown: {
    happened:
      'The connection to the database broke, or its standby did not confirm, while the change was being committed. The change may or may not have happened.',
    doNext:
      'Repeat the request with the same `Idempotency-Key`: the change then happens only once, and the response tells you the result. Without a key, read the resource first. `If-Match` keeps a repeated update from overwriting anything.',
  },
  storage_damaged: {
    happened:
      'SQLite or PostgreSQL reports that the database or one of its indexes is damaged. Nothing was changed. Reads of other data may still succeed. There is no `Retry-After`, because waiting does not help.',
    doNext:
      'Tell the operator, who finds the first report in the log with level `error`. The operator stops the service, keeps a copy of the data and restores a backup (docs/backup.md, docs/postgresql.md); `rollbook doctor --thorough` says what is damaged.',
  },
  storage_full: {
    happened: 'The disk is full. Nothing was changed; stored data is safe and can still be read.',
    doNext:
      'The operator must make room in the data directory or on the disk of the database. Then repeat the request; no restart is needed.',
  },
  secret_unreadable: {
    happened:
      'The request needs a secret that is stored encrypted, such as that of one-time codes or of a connection, and the configured encryption secret does not decrypt it. Nothing was changed.',
    doNext:
      'Tell the operator: another encryption secret was configured, or the secret was lost (docs/signing-keys.md). `rollbook doctor` counts the secrets concerned. A new secret can be set at any time; a user with another second factor or a recovery code can sign in with that.',
  },
  draining: {
    happened: 'The service is stopping. It finishes running requests and accepts no new ones.',
    doNext: 'Repeat the request after the seconds in `Retry-After`: another instance, or the restarted one, responds.',
  },
  rollbook_unavailable: {
    happened:
      'The proxy in front of Rollbook cannot reach it, or waited too long for its response. The proxy itself returns this, with the configurations in `deploy/`. Meanwhile the product cannot be reached either.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`. It is unknown whether a change that was under way has happened: read the resource first, or send the same `Idempotency-Key` again. The operator starts Rollbook, and finds the reason in its log.',
  },
  upstream_timeout: {
    happened: 'The product behind Rollbook (`ROLLBOOK_UPSTREAM`) accepted the connection but did not respond in time.',
    doNext:
      'Repeat the request after the seconds in `Retry-After` if that is safe: it is unknown whether the product did what you asked for.',
  },
}
