// Made from the OpenAPI document by `npm run generate`; change the schemas of the service instead.

/** The members of `T`, each of which may be missing. */
type Optional<T> = { [K in keyof T]?: T[K] | undefined }

/** The members of `T`, none of which is missing. */
type Complete<T> = { [K in keyof T]-?: Exclude<T[K], undefined> }

/** The codes of all problems; docs/problems.md explains each. */
// biome-ignore format: a list of words
export type ProblemCode =
  | 'malformed_request' | 'malformed_json' | 'malformed_yaml' | 'malformed_csv' | 'malformed_spreadsheet'
  | 'malformed_header' | 'bad_cursor' | 'ambiguous_credentials' | 'authorization_pending' | 'slow_down'
  | 'access_denied' | 'expired_token' | 'invalid_grant' | 'unsupported_grant_type' | 'credential_missing'
  | 'credential_invalid' | 'sign_in_failed' | 'second_factor_required' | 'second_factor_failed' | 'challenge_expired'
  | 'insufficient_user_authentication' | 'permission_denied' | 'user_required' | 'password_change_required'
  | 'factor_required' | 'confirmation_failed' | 'reauthentication_required' | 'current_password_wrong' | 'cross_origin'
  | 'setup_link_invalid' | 'not_while_impersonating' | 'token_not_exchangeable' | 'role_not_grantable'
  | 'user_outranks_caller' | 'other_organization' | 'permission_not_grantable' | 'key_outlives_caller' | 'not_found'
  | 'user_not_found' | 'attribute_not_found' | 'group_not_found' | 'organization_not_found' | 'domain_not_found'
  | 'setup_link_not_found' | 'connection_not_found' | 'not_a_reviewer' | 'connection_refused' | 'identity_not_found'
  | 'connection_conflict' | 'identity_taken' | 'key_not_found' | 'session_not_found' | 'endpoint_not_found'
  | 'delivery_not_found' | 'mail_not_found' | 'factor_not_found' | 'trusted_browser_not_found' | 'import_not_found'
  | 'role_not_found' | 'access_request_not_found' | 'review_not_found' | 'not_enabled' | 'method_not_allowed'
  | 'not_acceptable' | 'request_timeout' | 'username_taken' | 'email_taken' | 'external_id_taken' | 'attribute_taken'
  | 'attribute_name_taken' | 'attribute_violated' | 'too_many_attributes' | 'group_name_taken'
  | 'organization_name_taken' | 'organization_not_empty' | 'domain_taken' | 'domain_not_proved' | 'too_many_domains'
  | 'too_many_setup_links' | 'group_in_policy' | 'trial_store' | 'connection_name_taken' | 'role_taken' | 'role_in_use'
  | 'role_built_in' | 'too_many_roles' | 'managed_elsewhere' | 'deletion_not_allowed' | 'user_id_taken' | 'setup_done'
  | 'last_admin' | 'last_organization_admin' | 'own_account' | 'last_factor' | 'last_password_admin'
  | 'password_refused' | 'last_sign_in_way' | 'no_factor' | 'passkeys_unavailable' | 'too_many_keys'
  | 'key_is_personal' | 'keys_are_personal' | 'too_many_factors' | 'key_expired' | 'key_managed_by_configuration'
  | 'too_many_connections' | 'too_many_endpoints' | 'endpoint_inactive' | 'delivery_in_progress'
  | 'mail_not_configured' | 'user_is_service_account' | 'user_not_impersonable' | 'user_not_invitable'
  | 'email_missing' | 'access_request_decided' | 'review_closed' | 'too_many_reviews' | 'inactivity_not_stopped'
  | 'own_access' | 'link_ended' | 'mail_not_failed' | 'import_busy' | 'import_cancelled' | 'import_finished'
  | 'import_mismatch' | 'import_gap' | 'idempotency_in_progress' | 'cursor_unknown' | 'cursor_expired'
  | 'precondition_failed' | 'body_too_large' | 'uri_too_long' | 'unsupported_media_type'
  | 'unsupported_content_encoding' | 'expectation_failed' | 'list_too_costly' | 'validation_failed'
  | 'idempotency_mismatch' | 'precondition_required' | 'too_many_attempts' | 'too_many_mails' | 'rate_limited'
  | 'headers_too_large' | 'internal_error' | 'upstream_unavailable' | 'overloaded' | 'issuer_unavailable'
  | 'provider_unavailable' | 'name_server_unavailable' | 'too_many_snapshots' | 'storage_unavailable'
  | 'outcome_unknown' | 'storage_damaged' | 'storage_full' | 'secret_unreadable' | 'draining' | 'rollbook_unavailable'
  | 'upstream_timeout'

/** How an identity was linked. */
export type LinkedBy = 'user' | 'domain' | 'creation' | 'administrator'

/** A type of event, or all types of a subject: `user.*`. */
// biome-ignore format: a list of words
export type EventType =
  | 'user.*' | 'user.created' | 'user.updated' | 'user.signed_in' | 'user.deleted' | 'user.restored' | 'user.expired'
  | 'user.erased' | 'attribute.*' | 'attribute.created' | 'attribute.updated' | 'attribute.deleted' | 'organization.*'
  | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'setup_link.*' | 'setup_link.created'
  | 'setup_link.revoked' | 'group.*' | 'group.created' | 'group.updated' | 'group.deleted' | 'group.member_added'
  | 'group.member_removed' | 'factor.*' | 'factor.added' | 'factor.renamed' | 'factor.removed' | 'connection.*'
  | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'identity.*' | 'identity.linked'
  | 'identity.removed' | 'session.*' | 'session.created' | 'session.ended' | 'key.*' | 'key.created' | 'key.updated'
  | 'key.rotated' | 'key.revoked' | 'role.*' | 'role.created' | 'role.updated' | 'role.deleted' | 'access_request.*'
  | 'access_request.created' | 'access_request.approved' | 'access_request.declined' | 'access_request.expired'
  | 'branding.*' | 'branding.updated' | 'review.*' | 'review.created' | 'review.updated' | 'review.due'
  | 'review.closed'

/** The member by which an import finds existing users. */
export type ImportMatch = 'username' | 'email' | 'external_id' | 'user_id' | 'identity'

/** What an import did with a row. */
export type ImportVerdict = 'created' | 'updated' | 'unchanged' | 'skipped' | 'rejected'

/** What the values of a custom attribute are. */
// biome-ignore format: a list of words
export type AttributeType =
  | 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'url' | 'email' | 'enum' | 'string[]'

/** Who may write a custom attribute. */
export type AttributeEditor = 'admin' | 'user' | 'nobody'

/** What kind of caller acted. */
export type ActorKind = 'user' | 'api_key' | 'service' | 'setup_link' | 'system' | 'anonymous'

/** How an action ended. */
export type AuditOutcome = 'success' | 'failure' | 'denied'

/** The habits of an identity provider, which a connection accepts. */
export type ProvisioningProfile = 'strict' | 'okta' | 'entra' | 'google' | 'jumpcloud'

/** The SCIM attribute with the end date of a user; null: none. */
export type EndDateAttribute =
  | 'title'
  | 'userType'
  | 'nickName'
  | 'employeeNumber'
  | 'costCenter'
  | 'organization'
  | 'division'
  | 'department'

/** The protocol of a connection through which users sign in. */
export type ConnectionKind = 'oidc' | 'github' | 'saml' | 'ldap'

/** The kind of identity provider behind a sign-in connection. */
// biome-ignore format: a list of words
export type SignInPreset =
  | 'generic' | 'google' | 'entra' | 'okta' | 'keycloak' | 'auth0' | 'gitlab' | 'adfs' | 'openldap'
  | 'active_directory'

/** Whose passwords a sign-in connection refuses. */
export type PasswordRule = 'allowed' | 'refused_for_domains' | 'refused_for_all'

/** When the UserInfo endpoint of a provider is read. */
export type UserInfoReading = 'auto' | 'always' | 'never'

/** How the client secret of a connection is sent. */
export type ClientSecretMethod = 'auto' | 'client_secret_basic' | 'client_secret_post'

/** How the groups of a user are found in a directory. */
export type DirectoryGroups = 'member' | 'member_of' | 'token_groups' | 'none'

/** What a claim means for a sign-in, as a code. */
// biome-ignore format: a list of words
export type SignInNote =
  | 'subject' | 'subject_attribute' | 'subject_missing' | 'email_missing' | 'email_malformed' | 'domain_trusted'
  | 'domain_untrusted' | 'domain_provisioned' | 'domain_not_provisioned' | 'address_verified' | 'address_unverified'
  | 'entra_email_verified' | 'addresses_verified' | 'addresses_unverified' | 'names' | 'first_name' | 'last_name'
  | 'login_ignored' | 'username_ignored' | 'group_names' | 'group_dns' | 'role_mapped' | 'role_unmatched'
  | 'role_missing' | 'role_overage' | 'role_unreadable' | 'groups_missing' | 'groups_overage' | 'groups_unreadable'
  | 'groups_mapped' | 'attribute_mapped' | 'attribute_unmapped' | 'expires_at_mapped' | 'expires_at_never'
  | 'expires_at_missing' | 'expires_at_overage' | 'expires_at_unreadable' | 'factor' | 'no_factor' | 'acr_ignored'
  | 'acr_compared' | 'auth_time' | 'auth_time_missing'

/** A probable mistake in a deployment, as a code. */
// biome-ignore format: a list of words
export type DeploymentWarning =
  | 'storage_damaged' | 'clock_jumped' | 'settings_differ' | 'trial_store' | 'session_cookie_not_secure'
  | 'public_url_differs' | 'forwarded_headers_ignored' | 'public_url_missing' | 'key_encryption_secret_missing'
  | 'second_factor_policy_unknown' | 'inactivity_stopped'

/** How a sign-in through a connection ends. */
export type SignInOutcome = 'signs_in' | 'links' | 'creates' | 'refused' | 'reachable'

/** What a message is about. */
// biome-ignore format: a list of words
export type MailKind =
  | 'invitation' | 'verification' | 'password_reset' | 'sign_in_code' | 'password_changed' | 'email_changed'
  | 'email_requested' | 'email_renewed' | 'identity_linked' | 'impersonated' | 'new_sign_in' | 'key_created'
  | 'factor_added' | 'factor_removed' | 'factors_reset' | 'recovery_code_used' | 'recovery_codes_replaced'
  | 'connection_changed' | 'certificate_expiring' | 'access_ending' | 'access_endings' | 'inactivity_notice'
  | 'membership_ending' | 'notices' | 'access_request' | 'access_known' | 'access_waiting' | 'access_declined'
  | 'access_company' | 'access_requests' | 'review_due' | 'setup_link' | 'test'

/** The state of a message. */
export type MailStatus = 'waiting' | 'held' | 'sent' | 'failed' | 'cancelled'

/** What a setup link is for. */
export type SetupFeature = 'domains' | 'connection' | 'provisioning'

/** Whether a setup link works. */
export type SetupLinkState = 'active' | 'expired' | 'revoked'

/** The state of a request for access. */
export type AccessRequestState = 'waiting' | 'approved' | 'declined' | 'expired'

/** The state of a row of an access review. */
export type ReviewRowState = 'open' | 'kept' | 'removed' | 'changed_meanwhile'

/** The state of a webhook delivery. */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'dead'

/** The path of one user. */
export type UserPath = {
  /** The id of the user. */
  user_id: string
}

/** The path of one group. */
export type GroupPath = {
  /** The id of the group. */
  group_id: string
}

/** The path of one attribute. */
export type AttributePath = {
  /** The name of the attribute. */
  name: string
}

/** The path of one member of a group. */
export type MembershipPath = UserPath & GroupPath

/** The path of one provisioning connection. */
export type ConnectionPath = {
  /** The id of the connection. */
  connection_id: string
}

/** The path of one session. */
export type SessionPath = {
  /** The id of the session. */
  session_id: string
}

/** The path of one factor. */
export type FactorPath = {
  /** The id of the second factor. */
  factor_id: string
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

/** The path of one request for access. */
export type AccessRequestPath = {
  /** The id of the user. */
  request_id: string
}

/** The path of one message. */
export type MailPath = {
  /** The id of the message. */
  mail_id: string
}

/** The path of one webhook delivery. */
export type DeliveryPath = EndpointPath & {
  /** The id of the delivery. */
  delivery_id: string
}

/** The query of operations that can be tried first. */
export type DryRun = {
  /** Return what would happen, with the same checks, without changing anything. */
  dry_run?: boolean | undefined
}

/** Conditions on users. All must hold. */
export type UserConditions = {
  /** Users whose username, email, name or searchable attributes contain every word of this text, in any order, ignoring case, accents and commas. At most 16 different words. If no word has three characters, each must begin a word, and one of them the username, email, first or last name, or an attribute. A user with exactly this `user_id`, `external_id` or value of a unique attribute comes first, whatever the order, and so does one whose `user_id` begins with the text (8 or more characters). */
  q?: string | undefined
  role?: string | undefined
  /** Only members of the group with this `group_id`. Needs the permission `groups:read`. */
  group?: string | undefined
  active?: boolean | undefined
  /** `active`: users who may use their access now. `disabled`: `active` is false. `expired`: the end date has passed, and `active` is true. */
  state?: 'active' | 'disabled' | 'expired' | undefined
  /** Only users who have a password, or who have none. */
  has_password?: boolean | undefined
  /** Only users who have signed in at least once, or who never have. */
  has_signed_in?: boolean | undefined
  /** Only users created after this instant (RFC 3339). */
  created_after?: string | undefined
  /** Only users created before this instant (RFC 3339). */
  created_before?: string | undefined
  /** Only users who last signed in after this instant (RFC 3339). */
  last_login_after?: string | undefined
  /** Only users who last signed in before this instant (RFC 3339). */
  last_login_before?: string | undefined
  /** Only users whose end date is after this instant (RFC 3339). */
  expires_after?: string | undefined
  /** Only users whose end date is before this instant (RFC 3339). */
  expires_before?: string | undefined
  /** Only users who last signed in before this instant (RFC 3339), or who never have and were created before it. */
  inactive_since?: string | undefined
  /** The user with exactly this username, ignoring case. */
  username?: string | undefined
  /** The user with exactly this email address, ignoring case. */
  email?: string | undefined
  /** The user with exactly this external id. */
  external_id?: string | undefined
}

/** Which audit records to list, and in which order. */
export type AuditQuery = {
  /** The maximum number of records to return, with a `Link` to the next page. Default: 100; with NDJSON all. */
  limit?: number | undefined
  /** Where the page starts: from the `Link` header of the previous page. */
  cursor?: string | undefined
  /** Oldest first (`seq`) or newest first (`-seq`). Default: `-seq`; with NDJSON `seq`. */
  sort?: 'seq' | '-seq' | undefined
  /** Only records of this actor: the id of a user or key. */
  actor?: string | undefined
  actor_kind?: ActorKind | undefined
  /** Only these actions, such as `user.updated`, or `user.*` for all actions on users. You can repeat the parameter. */
  action?: string | string[] | undefined
  outcome?: AuditOutcome | undefined
  /** Only records in which this member was changed, such as `role` or `password`. A creation or deletion changes no member. */
  changed?: string | undefined
  /** Only records after this time (RFC 3339). */
  occurred_after?: string | undefined
  /** Only records before this time (RFC 3339). */
  occurred_before?: string | undefined
  /** Only records of this request. */
  request_id?: string | undefined
}

/** A user of the product’s web UI. */
export type User = Complete<Pick<CreateUser, 'username' | 'first_name' | 'last_name' | 'role'>> & {
  /** A UUIDv7 made by the server, never reused. */
  user_id: string
  email: string | null
  external_id: string | null
  /** If false, the user cannot sign in and is refused everywhere at once. */
  active: boolean
  /** Whether the user has a password. Without one, the user cannot sign in. */
  has_password: boolean
  last_login_at: string | null
  created_at: string
  updated_at: string
  /** The provisioning connection whose identity provider manages the user (`GET /provisioning`). Missing: none does. */
  managed_by?: string | undefined
  /** Whether the user has shown that the address is theirs. Missing: not yet. */
  email_verified?: boolean | undefined
  /** Whether the user was invited and has not set a password yet. Missing: no. */
  invited?: boolean | undefined
  /** The language of messages to the user: a tag (RFC 5646) of a language, a script and a region, such as `de`, `pt-BR` or `zh-Hant-TW`. */
  locale?: string | undefined
  /** `service`: a service account, which cannot sign in and acts with keys. Missing: a person. */
  kind?: 'service' | undefined
  /** The end date: from this instant on the user is refused everywhere, as if disabled, while `active` stays true. Missing: the access does not end. */
  expires_at?: string | undefined
  /** The organization to which the user belongs. Missing: none. */
  organization_id?: string | undefined
  /** The values of the custom attributes that `GET /attributes` defines; one that is not set is missing. */
  attributes: Record<string, string | number | boolean | string[]>
}

/** A new user. */
export type CreatedUser = {
  /** A UUIDv7 made by the server, never reused. */
  user_id: string
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  email: string | null
  external_id: string | null
  first_name: string
  last_name: string
  /** One of the configured roles. Built in are `admin` (all permissions) and `user` (no permissions of this API). */
  role: string
  /** If false, the user cannot sign in and is refused everywhere at once. */
  active: boolean
  /** Whether the user has a password. Without one, the user cannot sign in. */
  has_password: boolean
  last_login_at: string | null
  created_at: string
  updated_at: string
  /** The provisioning connection whose identity provider manages the user (`GET /provisioning`). Missing: none does. */
  managed_by?: string | undefined
  /** Whether the user has shown that the address is theirs. Missing: not yet. */
  email_verified?: boolean | undefined
  /** Whether the user was invited and has not set a password yet. Missing: no. */
  invited?: boolean | undefined
  /** The language of messages to the user: a tag (RFC 5646) of a language, a script and a region, such as `de`, `pt-BR` or `zh-Hant-TW`. */
  locale?: string | undefined
  /** `service`: a service account, which cannot sign in and acts with keys. Missing: a person. */
  kind?: 'service' | undefined
  /** The end date: from this instant on the user is refused everywhere, as if disabled, while `active` stays true. Missing: the access does not end. */
  expires_at?: string | undefined
  /** The organization to which the user belongs. Missing: none. */
  organization_id?: string | undefined
  /** The values of the custom attributes that `GET /attributes` defines; one that is not set is missing. */
  attributes: Record<string, string | number | boolean | string[]>
  /** With `invite`. */
  invitation?:
    | {
        /** Until when the link works. */
        expires_at: string
        /** Whether a message with the link is on its way. */
        sent: boolean
        /** The link, to hand over, if no message is sent. Its holder can set the password. It is never returned again. */
        url?: string | undefined
      }
    | undefined
}

/** A user after a change. */
export type UpdatedUser = Optional<
  Pick<CreatedUser, 'managed_by' | 'email_verified' | 'invited' | 'locale' | 'kind' | 'expires_at' | 'organization_id'>
> & {
  /** A UUIDv7 made by the server, never reused. */
  user_id: string
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  email: string | null
  external_id: string | null
  first_name: string
  last_name: string
  /** One of the configured roles. Built in are `admin` (all permissions) and `user` (no permissions of this API). */
  role: string
  /** If false, the user cannot sign in and is refused everywhere at once. */
  active: boolean
  /** Whether the user has a password. Without one, the user cannot sign in. */
  has_password: boolean
  last_login_at: string | null
  created_at: string
  updated_at: string
  /** The values of the custom attributes that `GET /attributes` defines; one that is not set is missing. */
  attributes: Record<string, string | number | boolean | string[]>
  /** If the user has moved to another organization, or left one: what was removed; in a dry run what would be. */
  move?:
    | {
        /** How many sessions ended. */
        sessions: number
        /** The groups of the former organization, of which the user is no member any more. */
        groups: { group_id: string; name: string }[]
        /** The removed identities of connections of the former organization. */
        identities: { identity_id: string; connection_id: string; connection_name: string }[]
      }
    | undefined
}

/** A user in a list. */
export type ListedUser = User & {
  /** With `include=groups`: the names of the user’s groups. In CSV they are one cell, separated by `;`. */
  groups?: string[] | undefined
  /** With `include=groups`: the user’s own role, then the roles that only groups give. In CSV they are one cell, separated by `;`. An import ignores it. */
  effective_roles?: string[] | undefined
  /** Among the members of a group: when the membership ends. Missing: it does not end. CSV has the column if there is such a member. */
  membership_expires_at?: string | undefined
}

/** All values are strings, except those of custom attributes; only `username` is required. Unknown members are refused. */
export type CreateUser = {
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. All characters count, including spaces. Common passwords, and passwords made of the username or email, are refused. */
  password?: string | undefined
  /** Unique, compared case-insensitively. A domain in Unicode and its ASCII form (`xn--…`) are the same. */
  email?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
  /** One of the configured roles. Built in are `admin` (all permissions) and `user` (no permissions of this API). */
  role?: string | undefined
  /** The client's own id for the user. Unique, compared exactly. */
  external_id?: string | undefined
  /** The language of messages to the user: a tag (RFC 5646) of a language, a script and a region, such as `de`, `pt-BR` or `zh-Hant-TW`. */
  locale?: string | undefined
  /** `service`: a service account, a user who is a program. It has no password and cannot sign in; it acts with keys (`POST /users/{user_id}/keys`). Default: `person`. It cannot be changed afterwards. */
  kind?: 'person' | 'service' | undefined
  /** The end date (RFC 3339): from this instant on the user is refused everywhere, as if disabled. One in the past ends the access at once. */
  expires_at?: string | undefined
  /** The organization to which the user belongs. */
  organization_id?: string | undefined
  /** `true`: invites the user, as `POST /users/{user_id}/invitation` does. Not together with `password`. */
  invite?: 'true' | 'false' | undefined
  /** Values of custom attributes, at most 16 KiB in all. Members that you leave out stay unchanged; `null` removes a value. */
  attributes?: Record<string, string | number | boolean | string[] | null> | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` clears `email`, `external_id`, `locale`, `expires_at`, `organization_id` or a custom attribute. */
export type UpdateUser = Optional<
  Pick<CreateUser, 'username' | 'password' | 'first_name' | 'last_name' | 'role' | 'attributes'>
> & {
  /** Unique, compared case-insensitively. A domain in Unicode and its ASCII form (`xn--…`) are the same. */
  email?: string | null | undefined
  /** The client's own id for the user. Unique, compared exactly. */
  external_id?: string | null | undefined
  /** The language of messages to the user: a tag (RFC 5646) of a language, a script and a region, such as `de`, `pt-BR` or `zh-Hant-TW`. */
  locale?: string | null | undefined
  /** What the user is already: the kind cannot be changed. */
  kind?: 'person' | 'service' | undefined
  active?: boolean | undefined
  /** The end date (RFC 3339): from this instant on the user is refused everywhere, as if disabled. One in the past ends the access at once. */
  expires_at?: string | null | undefined
  /** The organization to which the user belongs: its `organization_id`. With another one the user moves: sessions end, and memberships of groups and identities of connections of the former organization are removed. */
  organization_id?: string | null | undefined
}

export type ConfirmationOfDeletion = {
  user_id: string
  /** False only in a dry run. */
  deleted: boolean
  /** Until then `POST /users/{user_id}/restore` can restore the user. Null: the user cannot be restored. */
  restorable_until: string | null
}

export type SetPassword = {
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. All characters count, including spaces. Common passwords, and passwords made of the username or email, are refused. */
  password: string
  /** Whether the user must choose another password before they can do anything else. Default: false. */
  must_change?: boolean | undefined
}

/** `data` of the events `user.*`. */
export type UserEventV1 =
  | User
  | {
      user_id: string
      /** Until then the deletion can be undone. Null: it cannot be undone. */
      restorable_until: string | null
    }
  | {
      user_id: string
      /** The user was erased, and with them the personal data of this event. Receivers do not need to act on it. */
      erased?: true | undefined
    }

export type ExportUsers = {
  /** The passphrase that decrypts the file, at least 16 characters. Rollbook does not store it; without it the file is lost. */
  passphrase: string
  /** False: without the secrets of one-time codes and the hashes of recovery codes. These users then sign in at the other store with the password alone. */
  factors?: boolean | undefined
}

export type PlannedExport = {
  /** The number of users that the file would contain. */
  users: number
}

/** A deleted user who can be restored, as they were. */
export type DeletedUser = User & {
  deleted_at: string
  /** After this time the user is erased and cannot be restored. */
  restorable_until: string
}

/** The definition of a custom member of users. */
export type Attribute = Complete<CreateAttribute> & {
  created_at: string
  updated_at: string
  /** `file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed. */
  managed_by?: 'file' | undefined
}

/** Only `name` and `type` are required, and `options` for an `enum`. The label is the name unless you give one, and administrators may edit the values. */
export type CreateAttribute = {
  /** The name of the member in `attributes`. It cannot be changed later. */
  name: string
  label?: string | undefined
  /** The type of the values. `date` is a day such as 2026-11-24, `datetime` an instant (RFC 3339), `url` an absolute http or https URL, `enum` one of the `options`, `string[]` a list of texts. */
  type: AttributeType
  /** The values of an `enum`, in the order in which a form lists them. Null for the other types. */
  options?: string[] | null | undefined
  /** Whether every user has a value. Give all users one before you set it. */
  required?: boolean | undefined
  /** Whether no two users have the same value. The database enforces it. In a list each text must be unique. */
  unique?: boolean | undefined
  /** Whether filters by this attribute use an index, and searches find its values. Of a unique attribute this is always so. */
  searchable?: boolean | undefined
  /** A regular expression in the syntax of RE2 that a text must match somewhere; use `^` and `$` for the whole text. For `string`, `url`, `email` and each text of a `string[]`. The larger the pattern, the shorter the texts may be: `.{1,200}` allows 326 characters. Limit a length with `max_length` instead. */
  pattern?: string | null | undefined
  /** The least `number`. */
  minimum?: number | null | undefined
  /** The greatest `number`. */
  maximum?: number | null | undefined
  /** How many characters a `string`, `url`, `email` or each text of a `string[]` may have. */
  max_length?: number | null | undefined
  /** `admin`: callers with `users:write`. `user`: they and the users themselves, with `PATCH /me`. `nobody`: only SCIM, imports and claims of an identity provider write it. */
  editable_by?: AttributeEditor | undefined
  /** Whether access tokens of users carry it in the claim `attributes`. */
  in_token?: boolean | undefined
  /** Whether forward-auth and the gateway send your product the value, in the header `Remote-Attributes`. */
  in_header?: boolean | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` removes a limit. */
export type UpdateAttribute = Optional<Omit<CreateAttribute, 'name'>>

export type ConfirmationOfAttributeDeletion = {
  /** The name of the member in `attributes`. It cannot be changed later. */
  name: string
  /** False only in a dry run. */
  deleted: boolean
  /** The number of users who lost a value. In a dry run: how many would. */
  values_removed: number
}

/** `data` of the events `attribute.*`. The deletion removes the values of users without events of their own. */
export type AttributeEventV1 =
  | Attribute
  | {
      /** The name of the member in `attributes`. It cannot be changed later. */
      name: string
      /** The number of users who lost a value. */
      values_removed: number
    }

/** A domain of an organization. */
export type OrganizationDomain = {
  /** In lower case and ASCII. */
  domain: string
  /** When the record was found, or a caller vouched for the domain. Null: not yet. A verified domain belongs to one organization, and stays verified when its record disappears. */
  verified_at: string | null
  /** The name of the TXT record that proves the domain. */
  record_name: string
  /** What the record must have. It proves this domain of this organization only, and is no secret. */
  record_value: string
}

export type AddOrganizationDomain = {
  /** A domain below a top-level one, without scheme, path and port. Capitals, a dot at the end and other scripts are allowed. Subdomains do not count. */
  domain: string
  /** True: you vouch that the domain belongs to the organization, so that no record is needed. Default: false. */
  verified?: boolean | undefined
}

export type ConfirmationOfDomainDeletion = {
  organization_id: string
  domain: string
  /** False only in a dry run. */
  deleted: boolean
}

/** An organization, for example a customer whose people are your users. */
export type Organization = {
  /** A UUIDv7 made by the server, never reused. */
  organization_id: string
  /** Unique, compared as names of groups are; shown as entered. */
  name: string
  /** The client's own id for the organization. Unique, compared exactly. */
  external_id: string | null
  /** If false, none of its users can sign in, and they are refused everywhere, as disabled users are. */
  active: boolean
  /** Its domains, by name. */
  domains: OrganizationDomain[]
  /** `required`: its users need a second factor, whatever the policy says of them. Null: only the policy counts. It never weakens the policy. */
  second_factor: 'required' | null
  /** How many users belong to it. */
  user_count: number
  /** How many groups belong to it. */
  group_count: number
  created_at: string
  updated_at: string
  /** `file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed. */
  managed_by?: 'file' | undefined
}

/** Only `name` is required. Unknown members are refused. */
export type CreateOrganization = {
  /** Unique, compared as names of groups are; shown as entered. */
  name: string
  /** The client's own id for the organization. Unique, compared exactly. */
  external_id?: string | null | undefined
  /** If false, none of its users can sign in, and they are refused everywhere, as disabled users are. Default: true. */
  active?: boolean | undefined
  /** `required`: its users need a second factor, whatever the policy says of them. Null: only the policy counts. It never weakens the policy. */
  second_factor?: 'required' | null | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` clears `external_id` or `second_factor`. */
export type UpdateOrganization = {
  /** Unique, compared as names of groups are; shown as entered. */
  name?: string | undefined
  /** The client's own id for the organization. Unique, compared exactly. */
  external_id?: string | null | undefined
  /** If false, none of its users can sign in, and they are refused everywhere, as disabled users are. */
  active?: boolean | undefined
  /** `required`: its users need a second factor, whatever the policy says of them. Null: only the policy counts. It never weakens the policy. */
  second_factor?: 'required' | null | undefined
}

export type ConfirmationOfOrganizationDeletion = {
  organization_id: string
  /** False in a dry run, and while users are left. */
  deleted: boolean
  /** With `users=delete`: how many of its users this request deleted. */
  user_count?: number | undefined
  /** How many of its users are not deleted yet: repeat the request. Missing: none. */
  users_left?: number | undefined
  /** With `users=delete`: how many groups are deleted with it. */
  group_count?: number | undefined
  /** With `users=delete`: how many API keys are deleted with it. */
  key_count?: number | undefined
  /** With `users=delete`: how many connections, for sign-in and for provisioning, are deleted with it. */
  connection_count?: number | undefined
  /** With `users=delete`: how many users from elsewhere leave its groups. */
  guest_count?: number | undefined
}

/** `data` of the events `organization.*`. Which users and groups belong to it is in the events `user.*` and `group.*`. */
export type OrganizationEventV1 =
  | (Omit<Organization, 'domains' | 'user_count' | 'group_count' | 'managed_by'> & {
      /** Its domains, by name. */
      domains: {
        /** In lower case and ASCII. */
        domain: string
        /** When the record was found, or a caller vouched for the domain. Null: not yet. A verified domain belongs to one organization, and stays verified when its record disappears. */
        verified_at: string | null
      }[]
    })
  | {
      /** A UUIDv7 made by the server, never reused. */
      organization_id: string
    }

/** A link with which the IT administrator of a customer sets up the organization, without an account. */
export type OrganizationSetupLink = SetupLinkEventV1 & {
  /** Whether the link works: until `expires_at`, unless it was revoked. While the organization is disabled, no link of it works. */
  state: SetupLinkState
  /** The address that the link was sent to. Null: it was not sent by email. */
  email: string | null
  created_by: {
    kind: string
    id: string
    /** Empty once the user was erased. */
    name: string
  }
  /** When a page of the link was opened last, to the minute. Null: never. */
  last_used_at: string | null
}

/** A setup link with its address, which is returned only now. */
export type NewOrganizationSetupLink = OrganizationSetupLink & {
  /** Whether a message with the link is on its way. */
  sent: boolean
  /** The link, to hand over. Its holder can do what `features` says. Missing in a dry run and in a repeated response. */
  url?: string | undefined
}

export type CreateOrganizationSetupLink = {
  /** What the link is for. `domains`: add domains and prove them. `connection`: set up, test and activate company sign-in. `provisioning`: set up provisioning with SCIM. */
  features: SetupFeature[]
  /** Until when the link works (RFC 3339), at most 30 days from now. Default: in 7 days. */
  expires_at?: string | undefined
  /** Sends the link to this address as well, with the branding of the organization. */
  email?: string | undefined
  /** The language of the message and of the pages, until their reader chooses another one, as a language tag (BCP 47). Default: that of the installation. */
  locale?: string | undefined
}

export type ConfirmationOfSetupLinkRevocation = {
  organization_id: string
  setup_link_id: string
  /** False only in a dry run. */
  revoked: boolean
}

/** `data` of the events `setup_link.*`. Without the link and the address that it was sent to. */
export type SetupLinkEventV1 = {
  /** A UUIDv7 made by the server, never reused. */
  setup_link_id: string
  organization_id: string
  /** What the link is for. `domains`: add domains and prove them. `connection`: set up, test and activate company sign-in. `provisioning`: set up provisioning with SCIM. */
  features: SetupFeature[]
  created_at: string
  /** Until when the link works. */
  expires_at: string
}

/** A group of users. Groups contain users only, no other groups. */
export type Group = Complete<Omit<CreateGroup, 'organization_id'>> & {
  /** A UUIDv7 made by the server, never reused. */
  group_id: string
  /** How many members the group has. To a caller whose permission is limited to their organization: how many of the organization. */
  member_count: number
  /** How many members do not belong to the organization of the group. Missing: the group belongs to none. */
  guest_count?: number | undefined
  created_at: string
  updated_at: string
  /** The provisioning connection whose identity provider manages the group (`GET /provisioning`), or `file`: a configuration file manages it, and others change it with `override=true` only; its members are not concerned. Missing: none does. */
  managed_by?: string | undefined
  /** The organization to which the group belongs. Missing: none. */
  organization_id?: string | undefined
}

/** Only `name` is required. Unknown members are refused. */
export type CreateGroup = {
  /** Unique, compared as usernames are, but with spaces between words; shown as entered. */
  name: string
  description?: string | undefined
  /** The client's own id for the group. Unique, compared exactly. */
  external_id?: string | null | undefined
  /** One of the configured roles, which the members have in addition to their own. Null: none. */
  role?: string | null | undefined
  /** The organization to which the group belongs: its `organization_id`. Its members may belong elsewhere. Null: none. */
  organization_id?: string | null | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` clears `external_id`, `role` or `organization_id`. */
export type UpdateGroup = Optional<CreateGroup>

/** A group of a user. */
export type GroupOfUser = Group & {
  /** When the membership ends. Missing: it does not end. */
  expires_at?: string | undefined
}

export type ConfirmationOfGroupDeletion = {
  group_id: string
  /** False only in a dry run. */
  deleted: boolean
}

/** The end date of a membership. Without a body, or with an empty one, it stays as it is. */
export type SetGroupMember = {
  /** The end date of the membership: from this instant on it gives nothing, and it is removed. A date in the past ends it at once; `null` removes the date. Omitted: members keep their date, and new ones have none. */
  expires_at?: string | null | undefined
}

/** Users to add and to remove, up to 1,000 together. All are applied in one change. */
export type ChangeGroupMembers = {
  /** The `user_id` of each user. */
  add?: string[] | undefined
  /** The `user_id` of each user. */
  remove?: string[] | undefined
  /** The end date of the membership: from this instant on it gives nothing, and it is removed. A date in the past ends it at once; `null` removes the date. Omitted: members keep their date, and new ones have none. Only together with `add`. */
  expires_at?: string | null | undefined
}

export type ChangedGroupMembers = {
  group_id: string
  /** How many members the group has after the change. */
  member_count: number
  added: number
  removed: number
  /** One result for each id, first those of `add`, then those of `remove`. */
  results: {
    user_id: string
    /** What happened to this id; in a dry run what would happen. `changed`: a member whose membership ends at another time than before. `unchanged`: it was so already. */
    result: 'added' | 'removed' | 'changed' | 'unchanged' | 'refused'
    /** Why this id was refused: a problem code. */
    code?: string | undefined
    /** Why this id was refused, as a sentence. */
    detail?: string | undefined
    /** The former end date of a membership that was changed or removed; null: there was none. */
    before?: { expires_at: string | null } | undefined
  }[]
}

export type GroupMembership = {
  group_id: string
  user_id: string
  /** Whether the user is a member after the change. */
  member: boolean
  /** False if it was so already, and in a dry run. */
  changed: boolean
  /** When the membership ends. Missing: it does not end. */
  expires_at?: string | undefined
}

/** `data` of the events `group.*`. The deletion of a group ends its memberships without events of their own. */
export type GroupEventV1 =
  | Omit<Group, 'member_count' | 'guest_count'>
  | {
      /** A UUIDv7 made by the server, never reused. */
      group_id: string
    }
  | {
      /** A UUIDv7 made by the server, never reused. */
      group_id: string
      user_id: string
      /** When the membership ends, or ended. A member whose date was changed is announced by `member_added` again; null: it does not end any more. Missing: there is no end date. */
      expires_at?: string | null | undefined
      /** The user was erased, and with them the personal data of this event. Receivers do not need to act on it. */
      erased?: true | undefined
    }

/** The result for a row. */
export type ImportedRow = {
  /** The number of the row in the file. The header of a CSV file and blank lines do not count. */
  row: number
  /** The line on which the row begins, as editors count: the header of a CSV file, blank lines and line breaks within cells count. Null if unknown because the row came in a part without `from_line`. */
  line: number | null
  /** `unchanged`: the user existed and already matched the row. Passwords are not compared: a user who has one keeps it. `skipped`: the user existed but did not match the row. */
  verdict: ImportVerdict
  /** Null if the row was rejected, or if a dry run would create the user. */
  user_id: string | null
  /** The reason for the rejection: a problem code, or the code of an input fault. */
  code?: string | undefined
  /** The member, as an RFC 6901 fragment; null: the whole row. */
  pointer?: string | null | undefined
  detail?: string | undefined
}

/** An import and its progress. */
export type ImportJob = {
  job_id: string
  /** `running`: rows are arriving, or arrived less than a minute ago. `interrupted`: no rows are arriving; send the rest with the same `job_id`. */
  state: 'running' | 'interrupted' | 'done' | 'cancelled'
  /** Whether the import is a dry run, which changes nothing. */
  dry_run: boolean
  mode: 'create' | 'update'
  on_conflict: 'reject' | 'skip'
  /** `identity`: users are recognized by the connection that is synchronized. */
  match: ImportMatch
  /** `ldap`: a directory is synchronized. */
  format: 'ndjson' | 'csv' | 'xlsx' | 'ldap'
  /** The name of the file; missing if it was not given. */
  file_name?: string | undefined
  /** The number of finished rows: their verdicts are final and their changes are committed. */
  rows_done: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  rejected: number
  /** The first 100 rejected rows. `GET /imports/{job_id}/rows?verdict=rejected` returns all of them. */
  rejects: ImportedRow[]
  created_at: string
  updated_at: string
  finished_at: string | null
}

/** One change for many users: those in `user_ids`, or all that match `filter`. */
export type BulkChange = {
  /** `restore` takes `user_ids` only. */
  action:
    | 'activate'
    | 'deactivate'
    | 'set_role'
    | 'set_attribute'
    | 'set_locale'
    | 'set_expires_at'
    | 'set_organization'
    | 'add_to_group'
    | 'remove_from_group'
    | 'end_sessions'
    | 'delete'
    | 'restore'
    | 'invite'
  /** The role that `set_role` assigns. Not allowed with other actions. */
  role?: string | undefined
  /** The values that `set_attribute` sets; `null` removes one. Others stay. Not allowed with other actions. */
  attributes?: Record<string, string | number | boolean | string[] | null> | undefined
  /** The language that `set_locale` sets; `null` stands for the configured one. Not allowed with other actions. */
  locale?: string | null | undefined
  /** The end date that `set_expires_at` sets; `null` stands for none. With `add_to_group`: the end date of the memberships, also of members. Not allowed with other actions. */
  expires_at?: string | null | undefined
  /** The organization to which `set_organization` moves the users; `null` stands for none. Not allowed with other actions. */
  organization_id?: string | null | undefined
  /** The group of `add_to_group` and `remove_from_group`. Not allowed with other actions. */
  group_id?: string | undefined
  /** With `invite`: false returns the links in the response instead of sending messages. Default: true. */
  send?: boolean | undefined
  /** With `invite`: true also invites users who have an invitation that still works, which ends it. Default: false. */
  resend?: boolean | undefined
  user_ids?: string[] | undefined
  /** The filters of the list, as JSON values, combined with AND. `{}` matches every user. */
  filter?:
    | (UserConditions & {
        /** Only users who belong to the organization with this `organization_id`; `none`: who belong to none. */
        organization?: string | undefined
        /** Only users whom this provisioning connection manages: its `connection_id`. */
        managed_by?: string | undefined
        /** Only service accounts, or only people. */
        kind?: 'person' | 'service' | undefined
        /** Only users who were invited and have not set a password yet, whether the link still works or not; or only the others. */
        invited?: boolean | undefined
        /** Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why. */
        locked?: boolean | undefined
        /** Only these users; repeat the parameter, up to 500 times. */
        user_id?: string[] | undefined
      })
    | undefined
  /** With `filter`: users to leave out. */
  except?: string[] | undefined
}

/** A line of the response to a bulk change. */
export type BulkLine =
  | {
      type: 'begin'
      /** The number of affected users. */
      total: number
    }
  | {
      type: 'row'
      user_id: string
      /** Null: there is no such user. */
      username: string | null
      verdict: 'changed' | 'unchanged' | 'refused'
      /** If refused: the problem code that a change of this single user returns. */
      code?: string | undefined
      detail?: string | undefined
      /** If `set_attribute`, `set_locale`, `set_expires_at` or `set_organization` changed the user, or a membership with an end date was changed or removed: the former values, in the form of the request. `null`: there was none. */
      before?:
        | {
            /** Values of custom attributes, at most 16 KiB in all. Members that you leave out stay unchanged; `null` removes a value. */
            attributes?: Record<string, string | number | boolean | string[] | null> | undefined
            locale?: string | null | undefined
            expires_at?: string | null | undefined
            organization_id?: string | null | undefined
          }
        | undefined
      /** With `invite`, if no message is sent: the link, to hand over. Its holder can set the password. It is never returned again. */
      url?: string | undefined
      /** With `url`: until when it works. */
      expires_at?: string | undefined
    }
  | {
      type: 'progress'
      done: number
      changed: number
      unchanged: number
      refused: number
    }
  | { type: 'end'; changed: number; unchanged: number; refused: number }

/** An identity provider that administers users and groups through SCIM. */
export type ProvisioningConnection = Pick<Organization, 'name' | 'created_at' | 'updated_at' | 'managed_by'> & {
  /** A UUIDv7 made by the server, never reused. */
  connection_id: string
  /** The client to be compatible with. `okta` and `entra` also accept how these deviate from RFC 7644; the others refuse it and report what is wrong. */
  profile: ProvisioningProfile
  /** The SCIM attribute in which the client sends the end date of a user, if it cannot send `expiresAt` of the extension of Rollbook: a date and time (RFC 3339), or a date (the end of that day in UTC). A request with another value is refused. Null: none. */
  end_date_attribute: EndDateAttribute | null
  /** The address that the identity provider sends its requests to. */
  scim_url: string
  /** The number of users that the connection manages: they have its id as `managed_by`. */
  user_count: number
  /** When a key of the connection was last accepted; updated once a minute. */
  last_used_at: string | null
  /** The organization that the connection belongs to, with its keys. Missing: none. */
  organization_id?: string | undefined
}

/** A connection with its first API key, which is shown only now. */
export type NewProvisioningConnection = ProvisioningConnection & {
  /** The id of the API key. Missing in a dry run. */
  key_id?: string | undefined
  /** The API key with the permission `scim:write`, for the bearer token of the identity provider. Rollbook stores only its hash. Missing in a dry run. */
  key?: string | undefined
}

export type CreateProvisioningConnection = {
  /** Unique, compared as names of groups are; shown as entered. */
  name: string
  /** The client to be compatible with. `okta` and `entra` also accept how these deviate from RFC 7644; the others refuse it and report what is wrong. Default: `strict`. */
  profile?: ProvisioningProfile | undefined
  /** The SCIM attribute in which the client sends the end date of a user, if it cannot send `expiresAt` of the extension of Rollbook: a date and time (RFC 3339), or a date (the end of that day in UTC). A request with another value is refused. Null: none. */
  end_date_attribute?: EndDateAttribute | null | undefined
  /** When the API key expires (RFC 3339, in the future). Omitted or null: never. */
  expires_at?: string | null | undefined
  /** The organization whose users the identity provider administers: it creates them there, and may not change others. Null: none. */
  organization_id?: string | null | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged. */
export type UpdateProvisioningConnection = {
  /** Unique, compared as names of groups are; shown as entered. */
  name?: string | undefined
  /** The client to be compatible with. `okta` and `entra` also accept how these deviate from RFC 7644; the others refuse it and report what is wrong. */
  profile?: ProvisioningProfile | undefined
  /** The SCIM attribute in which the client sends the end date of a user, if it cannot send `expiresAt` of the extension of Rollbook: a date and time (RFC 3339), or a date (the end of that day in UTC). A request with another value is refused. Null: none. */
  end_date_attribute?: EndDateAttribute | null | undefined
  /** The organization whose users the identity provider administers: it creates them there, and may not change others. Null: none. */
  organization_id?: string | null | undefined
}

export type ConfirmationOfConnectionDeletion = {
  connection_id: string
  /** False only in a dry run. */
  deleted: boolean
  /** How many users the connection managed. They stay as they are, and administrators may change them again. */
  released: number
}

/** A SCIM request that was rejected. */
export type RejectedRequest = {
  rejection_id: string
  rejected_at: string
  /** The `X-Request-Id` of the response, as in the log. */
  request_id: string
  method: string
  /** The path behind the SCIM address, with the query. */
  path: string
  /** The body that was sent, as JSON without passwords, cut off after 8,192 characters. Null: no body, or no JSON. */
  body: string | null
  status: number
  /** The keyword of the error (RFC 7644 §3.12). */
  scim_type: string | null
  /** Why the request was rejected. */
  detail: string
  /** What to change in the identity provider, or here. */
  advice: string
}

/** The reasons why a user must wait before signing in. */
export type Lock = {
  user_id: string
  /** True after 90 failures in a row: even the right password is refused until an administrator unlocks the user or sets another password. Only browsers in which the user has signed in before have ten more attempts. */
  locked: boolean
  /** The number of wrong passwords in a row, from anywhere. */
  failures: number
  /** Until then, attempts from unknown browsers are refused, from any network. Null: they are not, but a network with many failures may still have to wait; see `waiting`. */
  retry_at: string | null
  /** The waiting times in force for this user: of the user, and of each network that tried to sign in as this user within a day. Entries about the user come first, then the latest attempts; at most 100. Empty: nothing waits. */
  waiting: {
    /** `user`: attempts from every unknown browser wait. `network`: attempts from `network` wait; other networks may try. `browser`: one browser in which the user has signed in before waits. */
    kind: 'user' | 'network' | 'browser'
    /** An IPv4 address, an IPv6 /64 or an IPv6 /48; null unless `kind` is `network`. */
    network: string | null
    /** When the next attempt is accepted. Null: only an administrator or a new password ends the wait. */
    until: string | null
    /** `locked`: 90 wrong passwords in a row for this user. `wrong_passwords_from_many_networks`: unknown browsers share 20 attempts for this user, and one more every 30 seconds; so do all browsers together for codes of the second factor. `wrong_passwords_for_user`: more than four wrong passwords in a row for this user from this network or browser. `network_shut_out`: 20 in a row for this user from this network. The network is refused, even with the right password, until it has made no attempt for a day. `wrong_passwords_for_many_users`: 30 wrong passwords from this network (240 from a /48), for any users. */
    reason:
      | 'locked'
      | 'wrong_passwords_from_many_networks'
      | 'wrong_passwords_for_user'
      | 'network_shut_out'
      | 'wrong_passwords_for_many_users'
    /** The number of wrong passwords counted. */
    attempts: number
    /** The latest attempt that was counted, or that was refused because of this wait. */
    last_attempt_at: string
  }[]
}

/** Whether a user can sign in now, and if not, why and what to do. */
export type SignInState = {
  user_id: string
  /** `yes`: with the right password. `no`: with no password. `not_everywhere`: some networks or browsers must wait, others need not; see `cause`. */
  can_sign_in: 'yes' | 'no' | 'not_everywhere'
  /** `none`: nothing keeps the user from signing in. `wrong_passwords`: nothing does, but the latest attempts had a wrong password. `expired`: the end date has passed. `organization_disabled`: the organization of the user is disabled. `company_sign_in`: the user has no password, and a sign-in connection takes them: one that is linked, or one for the domain of their address. `email_code_only`: the user has no password, and signs in with a code by email. `password_refused`: a sign-in connection refuses the password, so the user signs in with their company. `service_account`: the user is a program, which acts with keys. `must_change_password`: at the next sign-in the user chooses a new password first. The others are reasons of `GET /users/{user_id}/lock`, which lists everything that must wait; this is the one that matters most. `wrong_passwords_for_user` without a `network`: in a browser in which the user has signed in before. */
  cause:
    | 'none'
    | 'wrong_passwords'
    | 'must_change_password'
    | 'disabled'
    | 'expired'
    | 'organization_disabled'
    | 'no_password'
    | 'service_account'
    | 'password_refused'
    | 'company_sign_in'
    | 'email_code_only'
    | 'locked'
    | 'wrong_passwords_from_many_networks'
    | 'wrong_passwords_for_user'
    | 'network_shut_out'
    | 'wrong_passwords_for_many_users'
  /** The same in English, for people. Times are in UTC. */
  sentence: string
  /** The action an administrator can take: `enable` the user, `enable_organization`, which has `active: false`, `extend` the access (a later `expires_at`, or none), `set_password` for the first time, `reset_password`, or `unlock` (`DELETE /users/{user_id}/lock`). */
  remedy: 'none' | 'enable' | 'enable_organization' | 'extend' | 'set_password' | 'reset_password' | 'unlock'
  /** Whether sign-in as this user must wait now because of wrong passwords, everywhere or in some networks or browsers: what the filter `locked` of the list finds. */
  locked: boolean
  /** The number of wrong passwords in a row, from anywhere. */
  failures: number
  /** The latest of these, from the audit log. Null: there is none, or its record was deleted. */
  last_failure: {
    occurred_at: string
    address: string | null
    user_agent: string | null
    /** The browser and system, in words. */
    device: string | null
  } | null
  /** When a disabled user was disabled, and by whom, from the audit log. Null: unknown, or not disabled. */
  disabled: {
    at: string
    by: {
      /** The kind of the actor in the audit log, such as `user` or `key`. */
      kind: string
      id: string | null
      name: string | null
    }
  } | null
  /** When the next attempt is accepted there. Null: nothing must wait, or only an administrator ends the wait. With `expired`: the end date. */
  until: string | null
  /** The network that must wait. Null: none, or not a network; see `cause`. */
  network: string | null
  /** The number of attempts counted for this cause; 0 for causes other than wrong passwords. */
  attempts: number
}

/** The definition of an attribute of the calling user. With `editable_by` `user`, `PATCH /me` changes the value. */
export type OwnAttribute = {
  /** The name of the member in `attributes`. It cannot be changed later. */
  name: string
  label: string
  /** The type of the values. `date` is a day such as 2026-11-24, `datetime` an instant (RFC 3339), `url` an absolute http or https URL, `enum` one of the `options`, `string[]` a list of texts. */
  type: AttributeType
  /** The values of an `enum`, in the order in which a form lists them. Null for the other types. */
  options: string[] | null
  /** Whether every user has a value. Give all users one before you set it. */
  required: boolean
  /** A regular expression in the syntax of RE2 that a text must match somewhere; use `^` and `$` for the whole text. For `string`, `url`, `email` and each text of a `string[]`. The larger the pattern, the shorter the texts may be: `.{1,200}` allows 326 characters. Limit a length with `max_length` instead. */
  pattern: string | null
  /** The least `number`. */
  minimum: number | null
  /** The greatest `number`. */
  maximum: number | null
  /** How many characters a `string`, `url`, `email` or each text of a `string[]` may have. */
  max_length: number | null
  /** `admin`: callers with `users:write`. `user`: they and the users themselves, with `PATCH /me`. `nobody`: only SCIM, imports and claims of an identity provider write it. */
  editable_by: AttributeEditor
}

/** The calling user and their permissions. */
export type Me = User & {
  /** The permissions of the role and of the roles of the groups, as far as the credential has them; `*` means all. */
  permissions: string[]
  /** Each permission with where it comes from. */
  permission_sources: {
    permission: string
    sources: {
      /** The role that has the permission. */
      role: string
      /** The group that gives the role; null: it is the user's own role. */
      group: { group_id: string; name: string } | null
    }[]
  }[]
  /** The groups of the user, by name. */
  groups: { group_id: string; name: string }[]
  /** The definitions behind `attributes`, by name: those whose value you may change with `PATCH /me`, and those of which you have a value. */
  attribute_definitions: OwnAttribute[]
  /** A new address that replaces `email` as soon as the link that was sent to it is used. */
  pending_email?: string | undefined
  /** If true, other operations are refused until `POST /me/password` has set another password. False if a connection refuses your password: then nothing holds you. */
  must_change_password: boolean
  /** If true, other operations are refused until this session has a second factor: add one with `POST /me/factors/totp`, or confirm with one that you have, with `POST /sessions/current/reauthentication`. This comes before the password. */
  must_add_factor: boolean
  /** From then on you need a second factor, and you have none yet. Null: none is required, or there is one. See `GET /me/factors`. */
  second_factor_from: string | null
  /** The session of this request. Missing: it has a personal key. */
  session_id?: string | undefined
  /** The personal key of this request. Missing: it has a session. */
  key_id?: string | undefined
  /** The organization to which you belong. Missing: none. */
  org_id?: string | undefined
  /** The name of that organization. */
  org_name?: string | undefined
  /** Present while an administrator acts as the user: their `user_id` and username. */
  act?: { sub: string; username: string } | undefined
  /** With `act`: when the administrator stops acting as the user at the latest. */
  act_until?: string | undefined
}

/** A JSON Merge Patch (RFC 7396) with what users may change about themselves. A change of `email` requires `current_password`. */
export type UpdateMe = {
  first_name?: string | undefined
  last_name?: string | undefined
  /** Unique, compared case-insensitively. A domain in Unicode and its ASCII form (`xn--…`) are the same. */
  email?: string | null | undefined
  /** The language of messages to the user: a tag (RFC 5646) of a language, a script and a region, such as `de`, `pt-BR` or `zh-Hant-TW`. */
  locale?: string | null | undefined
  /** Values of custom attributes, at most 16 KiB in all. Members that you leave out stay unchanged; `null` removes a value. */
  attributes?: Record<string, string | number | boolean | string[] | null> | undefined
  /** The current password. */
  current_password?: string | undefined
}

export type ChangeOwnPassword = {
  /** The current password. */
  current_password: string
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. All characters count, including spaces. Common passwords, and passwords made of the username or email, are refused. */
  new_password: string
}

export type ConfirmationOfPassword = {
  user_id: string
  /** False only in a dry run. */
  changed: boolean
  /** The number of other sessions ended. In a dry run: the number that would be. */
  revoked: number
}

export type SentVerification = {
  email: string
  /** Until when the link in the message works. */
  expires_at: string
}

/** Something that a user signs in with besides, or instead of, the password. It never contains a secret. */
export type Factor = {
  factor_id: string
  /** `totp`: one-time codes of an app. `passkey`: a key of the device, a password manager or a security key. */
  kind: 'totp' | 'passkey'
  /** The name that the user gives it. */
  name: string
  created_at: string
  last_used_at: string | null
  /** Details of a passkey. Null for other kinds. */
  passkey: {
    /** Its id for the browser, in base64url. */
    credential_id: string
    /** The domain that it belongs to. */
    rp_id: string
    /** How a browser reaches it, as the browser said when it was added. */
    transports: string[]
    /** The model of the authenticator; zeros if it does not say. */
    aaguid: string
    /** Whether it can be copied to other devices of the user. */
    backup_eligible: boolean
    /** Whether it was copied when it was last used. */
    backed_up: boolean
  } | null
}

export type Factors = {
  user_id: string
  /** Whether the policy requires a second factor of this user. */
  required: boolean
  /** Until then the user can sign in without a second factor. Null: no such time is set. */
  required_from: string | null
  factors: Factor[]
  /** The number of recovery codes left. */
  recovery_codes: number
  /** The passkeys of this user for browsers to know, per domain. After removing or renaming, pages pass it to `PublicKeyCredential.signalAllAcceptedCredentials` and `signalCurrentUserDetails`, so that password managers hide what no longer works. */
  passkey_accounts: {
    rp_id: string
    /** The `userId` of the signals, in base64url. */
    user_handle: string
    name: string
    display_name: string
    credential_ids: string[]
  }[]
}

export type AddTotp = {
  /** The name that the user gives it. */
  name?: string | undefined
}

/** One-time codes that work once the first code has confirmed them. */
export type NewTotp = {
  factor_id: string
  /** The secret in base32, to be typed into the app. It is shown only now. */
  secret: string
  /** The same for apps on this device: a link that opens them. */
  otpauth_uri: string
  /** The link as a QR code: an SVG image. */
  qr_code: string
}

export type ConfirmTotp = {
  /** A code that the app shows now. */
  code: string
}

export type RenameFactor = {
  /** The name that the user gives it. */
  name: string
}

/** A new passkey: what `navigator.credentials.create` returned, as its `toJSON()` writes it. */
export type PasskeyRegistration = {
  id: string
  rawId?: string | undefined
  type: 'public-key'
  response: {
    clientDataJSON: string
    attestationObject: string
    /** From `getTransports()`. Kept, and sent back in later options. */
    transports?: string[] | undefined
  }
}

/** A passkey in use: what `navigator.credentials.get` returned, as its `toJSON()` writes it. */
export type PasskeyAssertion = {
  id: string
  rawId?: string | undefined
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null | undefined
  }
}

/** For `navigator.credentials.get`: pass it to `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export type PasskeyRequestOptions = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: string
  allowCredentials: { type: string; id: string; transports: string[] }[]
}

export type PasskeyRequest = {
  /** Sent back with the passkey. */
  challenge_id: string
  /** When the options stop working. */
  expires_at: string
  options: PasskeyRequestOptions
}

export type PasskeyCreation = {
  /** Sent back with the passkey. */
  challenge_id: string
  /** When the options stop working. */
  expires_at: string
  /** For `navigator.credentials.create`: pass it to `PublicKeyCredential.parseCreationOptionsFromJSON`. */
  options: {
    challenge: string
    rp: { id: string; name: string }
    user: { id: string; name: string; displayName: string }
    pubKeyCredParams: { type: string; alg: number }[]
    timeout: number
    attestation: string
    authenticatorSelection: { residentKey: string; requireResidentKey: boolean; userVerification: string }
    excludeCredentials: { type: string; id: string; transports: string[] }[]
  }
}

export type AddPasskey = {
  /** From the response with the options. Can be omitted: the passkey names it too. */
  challenge_id?: string | undefined
  passkey: PasskeyRegistration
  /** The name that the user gives it. Omitted: the name of the password manager, or `Passkey`. */
  name?: string | undefined
}

export type ConfirmationOfFactorRemoval = {
  user_id: string
  /** The number of factors removed. In a dry run: the number that would be. */
  removed: number
}

export type RecoveryCodes = {
  /** Ten codes, each for one sign-in without the other factors. They are shown only now; empty in a dry run. */
  recovery_codes: string[]
}

/** `data` of the events `factor.*`. It never contains a secret. */
export type FactorEventV1 =
  | (Omit<Factor, 'last_used_at' | 'passkey'> & { user_id: string })
  | {
      factor_id: string
      user_id: string
      /** The user was erased, and with them the personal data of this event. Receivers do not need to act on it. */
      erased?: true | undefined
    }

export type TestSecondFactorPolicy = {
  /** The value that `ROLLBOOK_SECOND_FACTOR` would have: `optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles. */
  policy?: 'optional' | 'required' | Record<string, 'optional' | 'required'> | undefined
}

/** The effect of a policy on the current users. Disabled users are not counted. */
export type SecondFactorPolicyTest = {
  /** `optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles. */
  policy: 'optional' | 'required' | Record<string, 'optional' | 'required'>
  /** Until then users can sign in without a second factor. Null: no such time is set. */
  from: string | null
  /** Active users. */
  users: number
  /** Users who have a second factor. */
  with_factor: number
  /** Users who have none. */
  without_factor: number
  /** Users for whom the policy requires a second factor. */
  required: number
  /** Those of them who have none: they add one at the next sign-in. */
  asked: number
  /** Administrators among these. */
  asked_administrators: number
  /** Users without a password among these: they cannot sign in to add one, until they are invited or get a password. */
  cannot_sign_in: number
  /** Names in the policy that match no role or group, perhaps misspelt. */
  unknown: string[]
  /** The same in words. */
  sentence: string
}

/** A user for whom the policy requires a second factor, and who has none. */
export type UserWithoutFactor = {
  user_id: string
  username: string
  role: string
  /** Whether the user, or a group of the user, has every permission. */
  administrator: boolean
  /** False: the user cannot sign in to add a factor. */
  has_password: boolean
  last_login_at: string | null
}

/** A step of a sign-in. The first one: `username` and `password`. The second one, if the response to the first asks for it: `challenge_id` with `code`, `recovery_code` or `passkey`. With a code by email: `challenge_id` of `POST /sessions/email-code` and `email_code`. With a passkey alone: `passkey`, for the options of `POST /sessions/passkey-options`. */
export type CreateSession = {
  /** The username or the email address. */
  username?: string | undefined
  password?: string | undefined
  /** The connection that checks the password: a directory, such as Active Directory. Without it, the password is the one that is kept here. */
  connection_id?: string | undefined
  /** From the response to the first step. */
  challenge_id?: string | undefined
  /** The six digits that were sent by email. Spaces in it are ignored. */
  email_code?: string | undefined
  /** The one-time code that the app shows now. */
  code?: string | undefined
  /** With the second step: `true` sets a cookie with which this browser is not asked for the second factor for `ROLLBOOK_TRUST_BROWSER_DAYS` days. No effect while that is 0. */
  trust_browser?: boolean | undefined
  /** A recovery code; it works once. */
  recovery_code?: string | undefined
  passkey?: PasskeyAssertion | undefined
}

export type RequestEmailCode = {
  /** The username or the email address. */
  username: string
}

/** The first step of a sign-in, whether or not a code was sent. */
export type RequestedEmailCode = {
  /** Send it to `POST /sessions` with `email_code`. */
  challenge_id: string
  /** Until when the code works. */
  expires_at: string
}

/** A browser in which a user is not asked for the second factor. Only its cookie contains the secret. */
export type TrustedBrowser = {
  browser_id: string
  /** When the user chose to trust it. */
  created_at: string
  /** When the user last signed in with it. */
  last_used_at: string
  /** From then on the second factor is asked for again. */
  expires_at: string
  /** The address at that time. */
  address: string
  /** The `User-Agent` of the browser at that time. */
  user_agent: string
  /** The same in readable form. */
  device: string
}

export type ConfirmationOfTrustRemoval = { user_id: string; browser_id: string }

export type Impersonate = {
  /** Why you act as the user. It is recorded, and the user reads it in the notice by email. */
  reason: string
}

/** A user who is signed in on one device. Only the cookie contains the secret of the session. */
export type Session = {
  session_id: string
  user_id: string
  /** When the user signed in. */
  created_at: string
  /** When the session was last used; updated once a minute. */
  last_seen_at: string
  /** When the session ends at the latest. An unused session ends earlier. */
  expires_at: string
  /** The address that the user signed in from. */
  address: string
  /** The `User-Agent` of the browser or script, cut off at 512 characters; may be empty. Clients can send any value. */
  user_agent: string
  /** The same in readable form; `Unknown device` if it is not recognized. */
  device: string
  /** Whether this is the session of this request. */
  current: boolean
  /** How the user was authenticated (RFC 8176): `pwd` password, `otp` one-time or recovery code, `mfa` two kinds of proof. */
  amr: string[]
  /** When the user last proved who they are. */
  auth_time: string
  /** Present while an administrator acts as the user: their `user_id` and username. */
  act?: { sub: string; username: string } | undefined
}

export type ConfirmationOfSignOut = {
  session_id: string
  /** False only in a dry run. */
  revoked: boolean
}

export type ConfirmationOfSignOuts = {
  user_id: string
  /** The number of sessions ended. In a dry run: the number that would be. */
  revoked: number
}

/** `data` of the events `session.*`. */
export type SessionEventV1 =
  | (Pick<Session, 'session_id' | 'user_id' | 'created_at' | 'expires_at' | 'address' | 'user_agent'> & {
      /** How the user was authenticated (RFC 8176): `pwd` password, `otp` one-time or recovery code, `mfa` two kinds of proof. */
      amr?: string[] | undefined
      /** When the user last proved who they are. */
      auth_time?: string | undefined
      /** An administrator acts as the user: their `user_id`. */
      act?: { sub: string } | undefined
    })
  | {
      session_id: string
      user_id: string
      /** The user was erased, and with them the personal data of this event. Receivers do not need to act on it. */
      erased?: true | undefined
    }

/** One proof. Users who have a second factor confirm with it; the password is enough for the others: their own, or with `connection_id` and `username` that of a directory (LDAP). */
export type Reauthenticate = {
  /** The current password. */
  password?: string | undefined
  /** A directory with which the user signs in, which then checks `password`. */
  connection_id?: string | undefined
  /** The username in this directory. */
  username?: string | undefined
  /** The one-time code that the app shows now. */
  code?: string | undefined
  /** A recovery code; it works once. */
  recovery_code?: string | undefined
  passkey?: PasskeyAssertion | undefined
}

export type Reauthenticated = {
  session_id: string
  /** The methods of the session from now on (RFC 8176). */
  amr: string[]
  /** When the user proved who they are: now. */
  auth_time: string
}

export type SetupState = {
  /** Whether there is no active administrator yet among the users. */
  open: boolean
}

/** The token of the link, and the first administrator. All values are strings. */
export type CompleteSetup = {
  /** The part of the link after `#token=`. */
  token: string
  /** Unique, compared case-insensitively after Unicode normalization (PRECIS UsernameCaseMapped, RFC 8265); shown as entered. Spaces are not allowed. */
  username: string
  /** At least 15 characters and at most 1,024 bytes in UTF-8, after normalization to NFC. All characters count, including spaces. Common passwords, and passwords made of the username or email, are refused. */
  password: string
  /** Unique, compared case-insensitively. A domain in Unicode and its ASCII form (`xn--…`) are the same. */
  email?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
}

/** A role, its permissions, and how many hold it. */
export type Role = {
  role: string
  /** What the role is for. May be empty. */
  description: string
  /** `*` means all permissions. Words such as `reports:read`, whose subject is none of Rollbook's, belong to your product and have a meaning only there. */
  permissions: string[]
  /** Whether it is `admin` or `user`, which cannot be changed or deleted. */
  built_in: boolean
  /** `settings`: it is in `ROLLBOOK_ROLES` and can be changed only there. `file`: a configuration file made it. Null: neither. */
  managed_by: 'settings' | 'file' | null
  /** Present while the role is being removed: the role that its holders get. It permits the same until the last one has it. */
  replaced_by?: string | undefined
  /** How many users have this role themselves. With many users it may be some seconds old. */
  user_count: number
  /** How many groups give this role. */
  group_count: number
  /** Null for a role that is not stored. */
  created_at: string | null
  /** Null for a role that is not stored. */
  updated_at: string | null
}

/** Unknown members are refused. */
export type CreateRole = {
  /** The name: lower-case letters, digits, _ and -, beginning with a letter. It cannot be changed. */
  role: string
  /** What the role is for. May be empty. */
  description?: string | undefined
  /** `*` means all permissions. Words such as `reports:read`, whose subject is none of Rollbook's, belong to your product and have a meaning only there. */
  permissions: string[]
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged. `permissions` replaces all of them. */
export type UpdateRole = {
  /** What the role is for. May be empty. */
  description?: string | undefined
  /** `*` means all permissions. Words such as `reports:read`, whose subject is none of Rollbook's, belong to your product and have a meaning only there. */
  permissions?: string[] | undefined
}

export type ConfirmationOfRoleDeletion = {
  role: string
  /** False in a dry run, and as long as some hold the role that is being replaced. */
  deleted: boolean
  /** The role that its holders get. */
  replaced_by: string | null
  /** How many users held the role themselves. */
  user_count: number
  /** How many groups gave the role. */
  group_count: number
}

/** `data` of the events `role.*`: the permissions of the role, or its last permissions if it was removed. */
export type RoleEventV1 = {
  role: string
  /** `*` means all permissions. Words such as `reports:read`, whose subject is none of Rollbook's, belong to your product and have a meaning only there. */
  permissions: string[]
  /** Missing for a role of the settings. */
  description?: string | undefined
}

/** The policies in force. */
export type Policies = {
  /** Who needs a second factor: `optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles. */
  second_factor: 'optional' | 'required' | Record<string, 'optional' | 'required'>
  /** Who is disabled after a time without sign-in or use of a key or token: limits by `*`, role, `group:<name>`, `kind:service` (service accounts, who have no other limit) and `managed` (users whom an identity provider manages, who have no other limit either). The fewest days win. Null: no user. */
  inactivity: Record<
    string,
    {
      /** Without use for so many days, the user is disabled. */
      days: number
      /** So many days before, the user is told. Fewer than `days`. */
      notice_days: number
    }
  > | null
  /** What manages each policy. */
  managed_by: {
    /** `settings`: `ROLLBOOK_SECOND_FACTOR` is set, wins, and can be changed only there. `file`: a configuration file set it. Null: neither. */
    second_factor: 'settings' | 'file' | null
    /** `file`: a configuration file set it. Null: it did not. */
    inactivity: 'file' | null
  }
  /** Null: no policy was ever changed here. */
  updated_at: string | null
}

/** Omitted members stay unchanged; each policy is replaced as a whole. `null` is the default: `optional`, and no inactivity rule. */
export type UpdatePolicies = {
  /** Who needs a second factor: `optional`, `required`, or an object by role and group, such as `{"admin": "required", "group:Staff": "required"}`, with `*` for the other roles. */
  second_factor?: 'optional' | 'required' | Record<string, 'optional' | 'required'> | null | undefined
  /** Who is disabled after a time without sign-in or use of a key or token: limits by `*`, role, `group:<name>`, `kind:service` (service accounts, who have no other limit) and `managed` (users whom an identity provider manages, who have no other limit either). The fewest days win. Null: no user. */
  inactivity?:
    | Record<
        string,
        {
          /** Without use for so many days, the user is disabled. */
          days: number
          /** So many days before, the user is told. Fewer than `days`. */
          notice_days: number
        }
      >
    | null
    | undefined
}

/** An API key, without the key itself. */
export type ApiKey = {
  key_id: string
  /** The beginning of the key, to identify it. */
  prefix: string
  name: string
  permissions: string[]
  created_at: string
  /** When the key expires; null: never. */
  expires_at: string | null
  /** When the key was last accepted; updated once a minute. */
  last_used_at: string | null
  /** Whether the key comes from `ROLLBOOK_ADMIN_KEY`. Such a key cannot be rotated or revoked with the API. */
  managed: boolean
  /** `file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed. */
  managed_by?: 'file' | undefined
  /** The provisioning connection that the key belongs to. Missing: none. */
  connection_id?: string | undefined
  /** The user that the key belongs to: it is never permitted more than this user. Missing: none. */
  user_id?: string | undefined
  /** The organization that the key belongs to: it is refused while that is disabled, and what it may do in its organization is meant of this one. Missing: none. A key of a user belongs where the user does. */
  organization_id?: string | undefined
}

/** An API key with the key itself, which is shown only now. */
export type NewApiKey = ApiKey & {
  /** Keep it safe: Rollbook stores only its hash. Missing in a dry run. */
  key?: string | undefined
}

export type CreateApiKey = {
  /** What the key is for. */
  name: string
  /** The permissions of the key, a subset of the caller's own. `*` means all. One such as `users:read@organization` is about the organization of the key, which needs one. */
  permissions: string[]
  /** When the key expires (RFC 3339, in the future). Omitted or null: never. */
  expires_at?: string | null | undefined
  /** The provisioning connection that the key is for: SCIM accepts only such keys, with the permission `scim:write`. Needs `provisioning:write` as well. */
  connection_id?: string | null | undefined
  /** The organization that the key belongs to. Omitted or null: none, or that of the connection, where a connection's key always belongs. */
  organization_id?: string | null | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged. `permissions` replaces all of them. */
export type UpdateApiKey = {
  /** What the key is for. */
  name?: string | undefined
  /** The permissions of the key, a subset of the caller's own. `*` means all. One such as `users:read@organization` is about the organization of the key, which needs one. */
  permissions?: string[] | undefined
  /** When the key expires. Null: never. */
  expires_at?: string | null | undefined
  /** The organization that the key belongs to from now on. Null: none. The key of a connection or of a user belongs where that does. */
  organization_id?: string | null | undefined
}

export type CreatePersonalKey = {
  /** What the key is for. */
  name: string
  /** What the key may do: some of your own permissions. `*` means all that its owner holds at any moment. Omitted: nothing here; the key then only says who its owner is. */
  permissions?: string[] | undefined
  /** When the key expires (RFC 3339, in the future). Omitted or null: never. */
  expires_at?: string | null | undefined
}

export type ConfirmationOfRevocation = {
  key_id: string
  /** False only in a dry run. */
  revoked: boolean
}

/** `data` of the events `key.*`. It never contains the key itself. */
export type KeyEventV1 =
  | Omit<ApiKey, 'last_used_at' | 'managed'>
  | {
      key_id: string
      /** The user that the key belongs to: it is never permitted more than this user. Missing: none. */
      user_id?: string | undefined
      /** The user was erased, and with them the personal data of this event. Receivers do not need to act on it. */
      erased?: true | undefined
    }

export type CreateCliLogin = {
  /** The machine, which becomes the name of the key. */
  name: string
  /** What the key should be able to do. The key gets those that its owner holds. Omitted: all of the owner's permissions. */
  permissions?: string[] | undefined
  /** For how many seconds the key is valid: 90 days if omitted, at most a year. */
  key_expires_in?: number | undefined
  /** Where the browser brings the code: `http://127.0.0.1:<port>/…` or `http://[::1]:<port>/…` (RFC 8252). Omitted: a device code. */
  redirect_uri?: string | undefined
  /** PKCE (RFC 7636). Required with `redirect_uri`. */
  code_challenge?: string | undefined
  /** Required with `redirect_uri`. */
  code_challenge_method?: 'S256' | undefined
  /** Comes back with the code. Required with `redirect_uri`. */
  state?: string | undefined
}

/** A sign-in of the command line that waits for its user: with `login_uri`, or with the codes of RFC 8628. */
export type CliLogin = {
  /** The page to open in the browser of this machine. */
  login_uri?: string | undefined
  /** Keep it secret: with it you get the key. */
  device_code?: string | undefined
  /** What the user types on the page. */
  user_code?: string | undefined
  /** The page on which the user types the code. */
  verification_uri?: string | undefined
  /** Seconds. */
  expires_in: number
  /** How many seconds to wait between two requests for the key. */
  interval?: number | undefined
}

export type ExchangeCliLogin = {
  /** `authorization_code`, or `urn:ietf:params:oauth:grant-type:device_code`. */
  grant_type: string
  /** The code that the browser brought. */
  code?: string | undefined
  /** The same as before. */
  redirect_uri?: string | undefined
  /** The verifier of `code_challenge`. */
  code_verifier?: string | undefined
  device_code?: string | undefined
}

/** A personal key, in the form of an access token (RFC 6749 §5.1). */
export type CliKey = {
  /** The key. Rollbook stores only its hash. */
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
  /** The permissions, separated by spaces. */
  scope: string
  key_id: string
  name: string
  permissions: string[]
  expires_at: string
  /** The owner. */
  user_id: string
  username: string
}

/** A company, or another identity provider, through which users sign in. */
export type SignInConnection = Omit<
  CreateSignInConnection,
  'metadata_url' | 'metadata' | 'client_secret' | 'bind_password' | 'sp_private_key' | 'organization_id'
> &
  Complete<
    Pick<
      CreateSignInConnection,
      | 'kind'
      | 'preset'
      | 'name'
      | 'active'
      | 'position'
      | 'domains'
      | 'passwords'
      | 'password_exceptions'
      | 'trusted_domains'
      | 'provisioning_domains'
      | 'default_role'
      | 'role_claim'
      | 'roles'
      | 'role_sync'
      | 'group_claim'
      | 'groups'
      | 'group_sync'
      | 'attribute_claims'
      | 'attribute_sync'
      | 'expires_at_claim'
      | 'expires_at_sync'
      | 'missing_claims'
      | 'second_factor'
      | 'acr_values'
    >
  > & {
    /** A UUIDv7 made by the server, never reused. */
    connection_id: string
    /** The secret itself is never returned. */
    has_client_secret?: boolean | undefined
    /** LDAP: the password itself is never returned. */
    has_bind_password?: boolean | undefined
    /** The key itself is never returned. */
    has_sp_private_key?: boolean | undefined
    /** SAML: the fingerprints to compare, and when each certificate expires. */
    certificate_details?:
      | {
          /** SHA-256. */
          fingerprint: string
          subject: string
          not_before: string
          /** Announced 30 days before. */
          not_after: string
        }[]
      | undefined
    /** OpenID Connect, GitHub: register exactly this address with the provider. Each connection has its own. */
    redirect_uri?: string | undefined
    /** SAML: the assertion consumer service (ACS) of this connection. The provider posts its responses there. */
    acs_url?: string | undefined
    /** SAML: the entity id of this service for the connection, and the address of its metadata. */
    sp_entity_id?: string | undefined
    /** OpenID Connect: register it if users are to sign out of the provider as well. */
    post_logout_redirect_uri?: string | undefined
    /** OpenID Connect: the provider posts its logout tokens there (Back-Channel Logout 1.0). */
    backchannel_logout_uri?: string | undefined
    /** OpenID Connect: the provider revokes all sessions and tokens of an account there (Global Token Revocation, as Okta and Auth0 call it). */
    global_token_revocation_uri?: string | undefined
    /** The number of users who have linked the connection. */
    identity_count: number
    /** When a sign-in failed last, if it was in the last 14 days. The failures are at `GET /connections/{connection_id}/failures`. */
    last_failed_at: string | null
    created_at: string
    updated_at: string
    /** The organization that the connection belongs to. Missing: none. */
    organization_id?: string | undefined
    /** `file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed. */
    managed_by?: 'file' | undefined
  }

/** Omitted members get the value that lets the fewest people in. Members of another kind are refused. With `active: false`, a connection to which the browser is sent may lack what the provider gives (`issuer`, `client_id`, `entity_id`, `sso_url`, `certificates`) until it is activated. */
export type CreateSignInConnection = {
  /** The protocol. It decides which further members there are. */
  kind: ConnectionKind
  /** The product of the provider: `google` and `gitlab` have a known issuer; `entra` states in `xms_edov` whether an address is verified. Default: the first of the kind, such as `generic`. */
  preset?: SignInPreset | undefined
  /** Unique, compared as names of groups are. The button on the sign-in page shows it. */
  name: string
  /** False: sign-ins through it are refused, and its sessions have ended. */
  active?: boolean | undefined
  /** The order of the buttons on the sign-in page, smallest first. */
  position?: number | undefined
  /** Domains whose users sign in here: the sign-in page asks for the username or email first and sends them to this connection. Subdomains do not count. No two connections have the same domain. */
  domains?: string[] | undefined
  /** Whether users may still sign in with a password while the connection is active. `refused_for_domains`: users whose email address or username is in `domains` may not. `refused_for_all`: no user may. Users in `password_exceptions` always may. At least one active administrator must be able to use a password. */
  passwords?: PasswordRule | undefined
  /** The ids of users who may use a password although this connection refuses it, for the day when the company cannot be reached (break-glass). */
  password_exceptions?: string[] | undefined
  /** Domains for whose addresses the provider is trusted: a verified address in one of them signs in the existing user with the same, verified address. Subdomains do not count. Empty: users link the connection themselves. */
  trusted_domains?: string[] | undefined
  /** Domains for whose verified addresses a user is created at the first sign-in. Empty: no users are created. */
  provisioning_domains?: string[] | undefined
  /** The role of users who are created, unless `roles` gives another. Cannot be an administering role. */
  default_role?: string | undefined
  /** The claim whose value, or one of whose values, `roles` translates into a role. A path such as `realm_access.roles` reaches into objects; of an object, the keys count. Numbers and booleans count as texts, and distinguished names are compared by their parts. */
  role_claim?: string | null | undefined
  /** Roles by values of `role_claim`; the first that matches counts. The only way to become an administrator through a connection. */
  roles?: Record<string, string> | undefined
  /** When the role is set: when the user is created, or at every sign-in. At a sign-in without a match the user gets `default_role`. A claim that did not arrive whole is not a claim without a match: see `missing_claims`. */
  role_sync?: 'creation' | 'sign_in' | undefined
  /** The claim whose values `groups` translates into groups, read as `role_claim` is. */
  group_claim?: string | null | undefined
  /** Ids of groups by values of `group_claim`. Groups with an administering role are refused: only `roles` names administrators. Groups that are not named here are left alone. */
  groups?: Record<string, string> | undefined
  /** When users join and leave these groups: when the user is created, or at every sign-in. */
  group_sync?: 'creation' | 'sign_in' | undefined
  /** Claims by the names of attributes. If a claim is missing, the attribute stays as it is; if the attribute does not accept the value, the sign-in fails. */
  attribute_claims?: Record<string, string> | undefined
  /** When attributes are written: when the user is created, or at every sign-in. Attributes that SCIM manages are not changed. */
  attribute_sync?: 'creation' | 'sign_in' | undefined
  /** The claim with the end date of the user (`expires_at`): a date and time (RFC 3339), a date (the end of that day in UTC), or seconds since 1970 as a number; of a directory also generalized time or `accountExpires` of Active Directory, whose 0 and 9223372036854775807 mean never. A claim with anything else changes nothing, and the failures of the connection say so. A date that has passed refuses the sign-in. */
  expires_at_claim?: string | null | undefined
  /** When the end date is set: when the user is created, or at every sign-in, also to a later date. A user whose access has ended cannot sign in, so no claim brings them back. End dates of users whom SCIM manages are not changed. */
  expires_at_sync?: 'creation' | 'sign_in' | undefined
  /** What a missing `role_claim`, `group_claim` or `expires_at_claim` means at a sign-in. `keep`: nothing, so the role, the groups and the end date stay as they are, and the failures of the connection report a missing claim with roles or groups. `none`: the user has no values; choose it if the provider leaves out the claims of such users, as Okta does. A claim that the provider left out because there is too much of it, or that has an unexpected form, always changes nothing. */
  missing_claims?: 'keep' | 'none' | undefined
  /** `own`: users with a second factor are asked for it here. `provider`: not if the provider says that it asked for one, with `mfa` in `amr` or one of `acr_values` as `acr`. */
  second_factor?: 'own' | 'provider' | undefined
  /** Values of `acr` (SAML: the authentication context) that stand for a second factor, if `second_factor` is `provider`. */
  acr_values?: string[] | undefined
  /** OpenID Connect: the issuer (Discovery 1.0), exactly as the provider writes it. The presets google and gitlab know theirs. */
  issuer?: string | undefined
  /** OpenID Connect, GitHub: the id that the provider gave to this client. */
  client_id?: string | undefined
  /** OpenID Connect: the scopes to request. `openid` is always added. */
  scopes?: string[] | undefined
  /** OpenID Connect: whether to read the UserInfo endpoint, for providers that keep claims out of the ID token. `auto`: if the ID token lacks the address or a claim of the mapping. */
  read_userinfo?: UserInfoReading | undefined
  /** OpenID Connect: how the secret is sent to the token endpoint (OpenID Connect Core 1.0 §9). `auto`: by HTTP Basic, unless the provider supports only the form; and by the form, if the provider supports both and refuses the client. */
  token_endpoint_auth_method?: ClientSecretMethod | undefined
  /** OpenID Connect: users who sign out on the page `/logout` are also sent to the provider to sign out there (RP-Initiated Logout 1.0). Register `post_logout_redirect_uri` with it. */
  sign_out_there?: boolean | undefined
  /** GitHub: the address of GitHub Enterprise Server. Default: https://github.com. */
  github_url?: string | undefined
  /** SAML: the entity id of the provider, exactly as its metadata has it. */
  entity_id?: string | undefined
  /** SAML: where the browser is sent, with the binding HTTP-Redirect. */
  sso_url?: string | undefined
  /** SAML: the certificates with which the provider signs, in PEM. Only these are trusted: list the next one beside the current one before the provider switches. Only the keys matter: RSA from 2048 bits on, or ECDSA. */
  certificates?: string[] | undefined
  /** SAML: sign the requests to the provider. */
  sign_requests?: boolean | undefined
  /** SAML: the metadata of this service offers a key to encrypt assertions with, by AES-GCM and RSA-OAEP. Switch it off for providers that then encrypt with AES-CBC, which is refused: AD FS, SimpleSAMLphp. Default: on, and off with the preset adfs. */
  offer_encryption_key?: boolean | undefined
  /** SAML: the certificate of this service for the connection, in PEM. The provider encrypts assertions to it and verifies signed requests with it. Made with the connection unless you send it with `sp_private_key`. */
  sp_certificate?: string | undefined
  /** SAML: also accept sign-ins that begin at the provider (IdP-initiated). Then an attacker can sign a user in to an account of the attacker, so leave it off unless a portal of the provider needs it. */
  allow_unsolicited?: boolean | undefined
  /** SAML, LDAP: you state that no user can choose their own address at the provider, so every address from there counts as verified. No assertion or entry says so itself. */
  emails_verified?: boolean | undefined
  /** SAML: the attribute with the id of the account, which must never be given to another person. Null: the NameID. */
  subject_claim?: string | null | undefined
  /** SAML: the attribute with the email address. Null: the usual names, or a NameID that is an address. */
  email_claim?: string | null | undefined
  /** SAML: the attribute with the first name. Null: the usual names. */
  first_name_claim?: string | null | undefined
  /** SAML: the attribute with the last name. Null: the usual names. */
  last_name_claim?: string | null | undefined
  /** LDAP: the servers, in the order in which they are tried. `ldaps://`, or `ldap://` with `start_tls`; without TLS only on this machine. */
  servers?: string[] | undefined
  /** LDAP: TLS begins with StartTLS, before anything else is sent. For servers with `ldap://`. */
  start_tls?: boolean | undefined
  /** LDAP: the certificates of the authorities that are trusted, as PEM, in place of the system's. For a directory with an authority of its own. */
  ca_certificate?: string | null | undefined
  /** LDAP: binds with `bind_password` to search. It only needs to read. Null: the user binds by `user_bind_name`, or the search is anonymous. */
  bind_dn?: string | null | undefined
  /** LDAP: the name with which a user binds to search, if there is no `bind_dn`: a distinguished name with `{username}`, or for Active Directory `{username}@corp.example.com`. */
  user_bind_name?: string | null | undefined
  /** LDAP: where users are searched, with everything below. */
  user_base?: string | undefined
  /** LDAP: the filter (RFC 4515) that finds a user, with `{username}`, which is escaped. Exactly one entry must match. Default: by the preset. */
  user_filter?: string | undefined
  /** LDAP: identifies the account, with the connection. It must not change when a user is renamed, and never belong to another one later. Default: `entryUUID`, for Active Directory `objectGUID`. */
  subject_attribute?: string | undefined
  /** LDAP: the email address. */
  email_attribute?: string | undefined
  /** LDAP: the first name. */
  first_name_attribute?: string | undefined
  /** LDAP: the last name. */
  last_name_attribute?: string | undefined
  /** LDAP: the claim `preferred_username`, and what `memberUid` of a group means. */
  username_attribute?: string | undefined
  /** LDAP: further attributes, which become claims with the same name. */
  read_attributes?: string[] | undefined
  /** LDAP: how groups are found. `member`: groups that name the user, and groups that name those, ten levels deep. `member_of`: the same, beginning with `memberOf` of the user. `token_groups`: Active Directory, with all nested groups and the primary one. They become the claims `groups` (names) and `group_dns`. */
  group_source?: DirectoryGroups | undefined
  /** LDAP: where groups are searched. Groups elsewhere do not count, or a group of the same name would grant rights. Null: `user_base`. */
  group_base?: string | null | undefined
  /** LDAP: the filter that a group must match. Default: by the preset. */
  group_filter?: string | undefined
  /** LDAP: the attribute of a group that names its members: `member`, `uniqueMember` or `memberUid`. */
  group_member_attribute?: string | undefined
  /** LDAP: the number of hours between synchronizations of users. Null: only `POST /connections/{connection_id}/sync` synchronizes. */
  sync_hours?: number | null | undefined
  /** SAML: read `entity_id`, `sso_url` and `certificates` from the metadata at this https address, once, now. Compare the fingerprints in the response with what the provider shows. */
  metadata_url?: string | undefined
  /** SAML: read them from this metadata, the text of the XML document. */
  metadata?: string | undefined
  /** The secret that the provider gave to this client. Stored encrypted, never returned. Null: a public client. */
  client_secret?: string | null | undefined
  /** LDAP: the password of `bind_dn`. Stored encrypted, never returned. */
  bind_password?: string | null | undefined
  /** SAML: the private key of `sp_certificate`, in PEM. Made with the connection unless you send both. */
  sp_private_key?: string | undefined
  /** The organization whose users sign in here: they are created there, and users from elsewhere are refused. Null: none, and users of every organization may sign in. */
  organization_id?: string | null | undefined
}

/** A JSON Merge Patch (RFC 7396): omitted members stay unchanged. Lists and `roles` are replaced whole. */
export type UpdateSignInConnection = Optional<Omit<CreateSignInConnection, 'kind' | 'organization_id'>> & {
  /** The organization whose users sign in here: they are created there, and users from elsewhere are refused. Null: none, and users of every organization may sign in. Another one ends the sessions of the connection. */
  organization_id?: string | null | undefined
  /** True: you confirm that the subjects are the same people as before, although what identifies the provider changes. Identities and sessions stay, which is recorded. Needed to add the next certificate of a SAML provider. */
  keep_identities?: boolean | undefined
}

export type ConfirmationOfSignInConnectionDeletion = {
  /** A UUIDv7 made by the server, never reused. */
  connection_id: string
  /** False only in a dry run. */
  deleted: boolean
  /** The number of identities removed. */
  unlinked: number
  /** The number of sessions through it that ended. */
  sessions_ended: number
}

/** A claim that arrived, or is missing, and what it means for the sign-in. */
export type SignInClaim = {
  claim: string
  /** As JSON, at most 200 characters. Null: missing. */
  value: string | null
  /** The consequences for the sign-in, in English. */
  note: string
  /** The same as codes, to show in another language. Codes are never renamed; new ones may be added. Empty for a failure that an earlier release kept. */
  notes: {
    code: SignInNote
    /** The domain, role, attribute or end date that the note is about. */
    name?: string | undefined
    /** The number of groups that the user joins. */
    count?: number | undefined
    /** The number of groups of the mapping. */
    total?: number | undefined
  }[]
}

/** A sign-in through a connection that failed, a test sign-in (`reason` is `test`), or a sign-in that succeeded and left something as it was (`claims_incomplete`, `address_kept`). */
export type SignInFailure = {
  failure_id: string
  failed_at: string
  /** The number that the page showed to the user. */
  request_id: string
  /** `test`: a test sign-in of an administrator; `test_outcome` says how it would have ended. */
  reason: string
  /** The cause, and what to change, in English. */
  detail: string
  /** The claims that arrived, if they could be verified. */
  claims: SignInClaim[]
  /** How the test sign-in would have ended. Null: it was none, or an earlier release kept it. */
  test_outcome: SignInOutcome | null
  /** Why the test sign-in would have been refused. */
  test_reason: string | null
}

/** Either `claims`, or for a directory `username`. With neither, only whether the directory can be reached and searched is checked. */
export type TestSignInConnection = {
  /** The data the provider would send: the claims of an ID token, the attributes of an assertion or of an entry. */
  claims?: Record<string, unknown> | undefined
  /** LDAP: reads the entry of this username as `bind_dn`, and tries its claims. Without a password. */
  username?: string | undefined
}

/** What a sign-in with these claims would do. */
export type SignInTrial = {
  /** The user who has this identity signs in; the identity is linked to an existing user, who signs in; a user is created; or the sign-in is refused. `reachable`: the directory can be searched, and no user was asked for. */
  outcome: SignInOutcome
  /** Why it is refused. */
  reason?: string | undefined
  /** The outcome or the reason, in English. */
  detail: string
  /** LDAP: which server responded, and which entry it has, in English. */
  found?: string | undefined
  /** The existing user. */
  user_id?: string | undefined
  /** The user who would be created. */
  user?:
    | {
        username: string
        email: string
        first_name: string
        last_name: string
        role: string
      }
    | undefined
  /** The result of the mapping. It is applied if `…_sync` says so. */
  mapped?:
    | {
        role: string
        groups: string[]
        attributes: Record<string, unknown>
        /** The end date that the claim names. Null: the access does not end. Missing: the claims say nothing. */
        expires_at?: string | null | undefined
      }
    | undefined
  claims: SignInClaim[]
}

/** An account of an identity provider with which a user signs in. */
export type Identity = {
  identity_id: string
  /** A UUIDv7 made by the server, never reused. */
  connection_id: string
  /** Unique, compared as names of groups are. The button on the sign-in page shows it. */
  connection_name: string
  /** The protocol. It decides which further members there are. */
  connection_kind: ConnectionKind
  /** The id of the account at the provider, such as `sub`. */
  subject: string
  /** The address of the account at its last sign-in. */
  email: string | null
  /** Linked by the user while signed in, because the domain is trusted, with the creation of the user, or by an administrator. */
  linked_by: LinkedBy
  created_at: string
  last_used_at: string
}

export type LinkIdentity = {
  /** A UUIDv7 made by the server, never reused. */
  connection_id: string
  /** Where the browser goes afterwards: a path, or a URL of an origin in `ROLLBOOK_RETURN_ORIGINS`. Default: the page `/link`. */
  return_to?: string | undefined
}

export type LinkStart = {
  /** Send the browser there. */
  authorization_url: string
}

export type LinkUserIdentity = {
  /** A UUIDv7 made by the server, never reused. */
  connection_id: string
  /** The id of the account at the provider: `sub` of OpenID Connect, the id of the GitHub user, the NameID or `subject_claim` of SAML, `subject_attribute` of LDAP. The failures of the connection show it after a sign-in that was refused. */
  subject: string
}

export type ConfirmationOfIdentityRemoval = {
  user_id: string
  /** The number of identities removed, or that would be in a dry run. */
  removed: number
}

/** `data` of the events `connection.*`. It never contains a secret. The deletion of a connection removes its identities without events of their own. */
export type ConnectionEventV1 =
  | (Pick<
      SignInConnection,
      'connection_id' | 'kind' | 'preset' | 'name' | 'active' | 'position' | 'domains' | 'organization_id'
    > & {
      /** Domains for whose addresses the provider is trusted: a verified address in one of them signs in the existing user with the same, verified address. Subdomains do not count. Empty: users link the connection themselves. */
      trusted_domains?: string[] | undefined
      /** Domains for whose verified addresses a user is created at the first sign-in. Empty: no users are created. */
      provisioning_domains?: string[] | undefined
      /** How many identities the change removed, without events of their own. */
      unlinked: number
      created_at?: string | undefined
      updated_at?: string | undefined
    })
  | {
      /** A UUIDv7 made by the server, never reused. */
      connection_id: string
    }

/** `data` of the events `identity.*`: an account of a company was linked to a user, or is no longer. */
export type IdentityEventV1 =
  | (Omit<Identity, 'connection_name' | 'connection_kind' | 'last_used_at'> & { user_id: string })
  | {
      identity_id: string
      user_id: string
      /** A UUIDv7 made by the server, never reused. */
      connection_id?: string | undefined
      /** The user was erased, and with them the personal data of this event. Receivers do not need to act on it. */
      erased?: true | undefined
    }

export type RequestToken = {
  /** The permissions of the token, a subset of the caller's. Omitted: all permissions of the caller. Empty: none. */
  permissions?: string[] | undefined
}

export type AccessToken = {
  /** A JWT as defined in RFC 9068, signed with EdDSA, or ES256 by configuration. */
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
}

export type TokenInQuestion = {
  /** An access token, an API key, or the value of a session cookie. */
  token: string
  /** Not needed: the type is recognized from the token itself. */
  token_type_hint?: string | undefined
}

/** RFC 7662 §2.2. For a token that is not accepted, for any reason, only `active`. */
export type Introspection = {
  active: boolean
  token_type?: 'access_token' | 'api_key' | 'session' | undefined
  iss?: string | undefined
  /** For a user the `user_id`, for a key the `key_id`. For a personal key its owner. */
  sub?: string | undefined
  /** `rollbook` for sessions, the `key_id` for keys, personal ones as well. */
  client_id?: string | undefined
  username?: string | undefined
  email?: string | null | undefined
  /** For a user the first and last name, for a key its name. */
  name?: string | undefined
  role?: string | undefined
  permissions?: string[] | undefined
  /** The permissions, separated by spaces. */
  scope?: string | undefined
  /** The `session_id` behind a session or its access token. */
  sid?: string | undefined
  /** When the user last proved who they are, in seconds since 1970. */
  auth_time?: number | undefined
  /** How the user was authenticated (RFC 8176). */
  amr?: string[] | undefined
  /** `aal2`: with two kinds of proof; `aal1`: with one. */
  acr?: string | undefined
  /** Present while an administrator acts as the user: their `user_id` and username. */
  act?: { sub: string; username: string } | undefined
  /** The `organization_id` of the user or key. Missing: none. */
  org_id?: string | undefined
  /** The name of that organization. */
  org_name?: string | undefined
  jti?: string | undefined
  aud?: string | undefined
  iat?: number | undefined
  /** Missing if the credential does not expire. */
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
  /** When the key is no longer published; null: it is still signing. */
  expires_at: string | null
  public_key: {
    kty: string
    crv: string
    x: string
    /** With ES256. */
    y?: string | undefined
    kid: string
    alg: string
    use: string
  }
}

export type RotateSigningKeys = {
  /** Set to true in an emergency, if a private key may have leaked. The new key signs at once, and everything that the others have signed is refused. */
  revoke_previous?: boolean | undefined
}

export type Revocations = {
  /** The value of `after` for the next request. */
  cursor: number
  revocations: {
    /** Grows by one with each revocation, in the order in which they take effect. */
    seq: number
    /** What `id` identifies: a `user_id`, `session_id`, `key_id`, the `jti` of an access token or the `kid` of a signing key; or an `organization_id` (`organization`: it was disabled, and every token with this `org_id` that was issued at `revoked_at` or before is revoked). A changed key (`key_changed`), session (`session_changed`: its user was authenticated again) or organization (`organization_changed`: renamed, for example) stays valid, but cached data about it may be wrong. */
    kind:
      | 'user'
      | 'session'
      | 'session_changed'
      | 'key'
      | 'key_changed'
      | 'token'
      | 'signing_key'
      | 'organization'
      | 'organization_changed'
    id: string
    /** For a user: tokens with a smaller `credentials_version` are revoked. */
    credentials_version?: number | undefined
    revoked_at: string
  }[]
}

/** A webhook endpoint, without its secret. */
export type WebhookEndpoint = {
  endpoint_id: string
  url: string
  description: string
  event_types: string[] | null
  /** If false, nothing is sent; events that happen meanwhile are sent afterwards. */
  active: boolean
  /** `failing`: the endpoint is active, but the last attempt failed; `failure` says why. `disabled`: `active` is false. */
  state: 'active' | 'failing' | 'disabled'
  /** The failed attempts since the last success; null if there are none. Tests do not count. */
  failure: {
    /** The number of failed attempts in a row, over all deliveries. */
    failed_attempts: number
    /** When the first of them failed; null: unknown. */
    since: string | null
    /** When the last of them failed; null: unknown. */
    last_attempt_at: string | null
    /** The last response status; null: no response. */
    response_status: number | null
    /** Why there was no response, or why it did not count as a success. */
    error: string | null
  } | null
  /** Why Rollbook disabled the endpoint: `failing`, no attempt has succeeded for days; `gone`, the receiver responded with 410; `secret_lost`, its secret cannot be decrypted any more: rotate it, then activate the endpoint. Null if the endpoint is active or was disabled by a caller. */
  disabled_reason: string | null
  /** Since when five or more attempts in a row have failed. Rollbook then tries one delivery at a time, and disables the endpoint after five days. Null: fewer attempts failed. `state` is `failing` from the first failed attempt. */
  failing_since: string | null
  /** Until then deliveries are also signed with the previous secret; null: there is none. */
  previous_secret_expires_at: string | null
  created_at: string
  updated_at: string
  /** `file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed. */
  managed_by?: 'file' | undefined
}

/** A webhook endpoint with its signing secret, which is shown only now. */
export type NewWebhookEndpoint = WebhookEndpoint & {
  /** Give it unchanged to the receiver, for a Standard Webhooks library. Missing in a dry run. */
  secret?: string | undefined
}

export type CreateWebhookEndpoint = {
  /** The URL to send to: https, without user name and fragment, and not an internal address. */
  url: string
  /** What the endpoint is for. */
  description?: string | undefined
  /** The events to send: types such as `user.created`, or `user.*` for all types of a noun. Null or omitted: every event, including those of later releases. */
  event_types?: EventType[] | null | undefined
}

/** Given members are changed; omitted members stay. */
export type UpdateWebhookEndpoint = {
  /** The URL to send to: https, without user name and fragment, and not an internal address. */
  url?: string | undefined
  /** What the endpoint is for. */
  description?: string | undefined
  /** The events to send: types such as `user.created`, or `user.*` for all types of a noun. Null or omitted: every event, including those of later releases. */
  event_types?: EventType[] | null | undefined
  /** True also reactivates an endpoint that Rollbook disabled. */
  active?: boolean | undefined
}

export type ConfirmationOfWebhookDeletion = {
  endpoint_id: string
  /** False only in a dry run. */
  deleted: boolean
}

export type RotateWebhookSecret = {
  /** Set to true in an emergency, if the secret may have leaked. The old secret stops signing at once, so the receiver refuses deliveries until it has the new one. */
  revoke_previous?: boolean | undefined
}

/** One event for one endpoint. */
export type WebhookDelivery = {
  delivery_id: string
  endpoint_id: string
  /** The `webhook-id`, the same for each attempt. */
  event_id: string
  type: string
  /** `queued`: waits for an earlier delivery about the same user; `due`: will be sent or retried at `next_attempt_at`; `delivered`; `dead`: given up after the last attempt. */
  status: DeliveryStatus
  attempt_count: number
  next_attempt_at: string | null
  created_at: string
  /** When the delivery succeeded or was given up. */
  finished_at: string | null
}

/** A delivery with its latest attempts, newest last. */
export type WebhookDeliveryWithAttempts = WebhookDelivery & {
  attempts: {
    attempted_at: string
    duration_ms: number
    /** Null if there was no response. */
    response_status: number | null
    /** The first 1,024 bytes of the response. */
    response_body: string | null
    /** Why there was no response, or why it did not count as a success. */
    error: string | null
  }[]
}

/** A message, without its content. */
export type Mail = {
  /** Also the first part of the `Message-ID`. */
  mail_id: string
  /** The kind of message. */
  kind: MailKind
  /** Null for a test message, and for a message to a person who is no user. */
  user_id: string | null
  address: string
  /** The user's language; null: the configured one. */
  locale: string | null
  /** `waiting`: will be sent or retried at `next_attempt_at`; `held`: waited in a store that was restored, until you release or discard it; `sent`: the mail server has accepted it; `failed`: given up; `cancelled`: its link ended before it was sent, or it was discarded. */
  status: MailStatus
  attempt_count: number
  next_attempt_at: string | null
  /** Why the last attempt failed, in one word. */
  error: string | null
  /** The last response of the mail server. */
  response: string | null
  /** When the link in it expires; null without a link. */
  expires_at: string | null
  created_at: string
  /** When it was sent, given up or cancelled. */
  finished_at: string | null
}

/** Whether messages are sent, and what waits. */
export type MailServer = {
  /** Whether a mail server is set up, with `ROLLBOOK_SMTP_URL` and `ROLLBOOK_MAIL_FROM`. */
  configured: boolean
  sender: string | null
  /** Since when the mail server accepts nothing; null: it does. */
  failing_since: string | null
  /** While it accepts nothing: when the next message is tried. All others wait until one succeeds. */
  next_attempt_at: string | null
  /** The number of waiting messages. */
  waiting: number
  /** The number of messages held after a restore, until you release or discard them. */
  held: number
  /** The number of messages given up within 30 days. */
  failed: number
  /** The languages that messages can be sent in: the built-in ones, and those of your own templates. */
  locales: string[]
}

export type PreviewMail = {
  /** The kind of message. */
  kind: MailKind
  /** A language such as `en`, `de` or `pt-BR`. */
  locale?: string | undefined
}

export type ChooseMails = {
  /** Only these of the held messages. Omitted: all of them. */
  mail_ids?: string[] | undefined
}

export type DiscardedMails = {
  /** How many held messages were given up. */
  discarded: number
}

export type ReleasedMails = {
  /** How many held messages are sent now. */
  released: number
}

/** A message as an invented user would get it. Its link leads nowhere. */
export type MailPreview = {
  /** The kind of message. */
  kind: MailKind
  /** The language of the template that was found. */
  locale: string
  subject: string
  text: string
  html: string
}

export type TestMail = {
  address: string
  /** A language such as `en`, `de` or `pt-BR`. */
  locale?: string | undefined
}

export type HandOutLink = {
  /** Whether to send a message, if the user has an address and email is set up. Default: true. */
  send?: boolean | undefined
  /** Whether to return the link even if a message is sent. Default: false. */
  return_url?: boolean | undefined
}

export type InviteUser = {
  /** Whether to send a message, if the user has an address and email is set up. Default: true. */
  send?: boolean | undefined
  /** Whether to return the link even if a message is sent. Default: false. */
  return_url?: boolean | undefined
  /** Sets the end date of the user (`expires_at` of a user); `null` removes it. `expires_at` of the response is the end of the link. */
  access_expires_at?: string | null | undefined
}

export type HandedLink = {
  user_id: string
  expires_at: string
  /** Whether a message with the link is on its way. */
  sent: boolean
  /** The link, to hand over. Its holder can set the password. It is returned when no message is sent, or with `return_url`, and never again. */
  url?: string | undefined
}

export type Invitation = {
  user_id: string
  /** Whether the user was invited and has not set a password yet. */
  invited: boolean
  /** Null if the user is not invited. */
  created_at: string | null
  /** Until when the link works. Once it has passed, invite the user again. */
  expires_at: string | null
}

export type ConfirmationOfWithdrawal = {
  user_id: string
  /** False if the user was not invited, and in a dry run. */
  withdrawn: boolean
}

export type RequestPasswordReset = {
  /** The username or the email address. */
  username: string
}

/** A person who asks for access. There is no user yet. */
export type AccessRequest = {
  /** A UUIDv7 made by the server, never reused. */
  request_id: string
  /** `waiting`: for a decision; `expired`: it waited for 30 days without one. */
  state: AccessRequestState
  /** The address, which the person has confirmed. */
  email: string
  first_name: string
  last_name: string
  /** The language of the page in which the person asked. */
  locale: string | null
  /** The values of the required attributes, as the person stated them. Checked again at the approval. */
  attributes: Record<string, string | number | boolean | string[]>
  /** Why the person asks, in their own words. */
  reason: string
  /** When the person sent the request. */
  created_at: string
  /** Until when it can be decided. */
  expires_at: string
  /** Null: not decided. */
  decided_at: string | null
  /** Who decided. Null: not decided. */
  decided_by: {
    kind: string
    id: string
    /** Empty once the user was erased. */
    name: string
  } | null
  /** What the person was told. Null unless declined. */
  decline_reason: string | null
  /** The user of an approved request. */
  user_id: string | null
  /** The user who has this address by now, though the request waits: it cannot be approved. Null: there is none. */
  existing_user_id: string | null
  /** The name of the connection that signs in people with addresses of this domain. The user then gets no password. Null: none does. */
  company: string | null
}

/** A request after its decision. */
export type DecidedAccessRequest = AccessRequest & {
  /** The invitation of the new user. Missing if a company signs the user in, and if declined. */
  invitation?:
    | {
        expires_at: string
        /** Whether a message with the link is on its way. */
        sent: boolean
        /** The link, to hand over, if no message is sent. Returned only now. */
        url?: string | undefined
      }
    | undefined
}

/** With `approve`, everything else is optional. With `decline`, only `reason` is allowed. */
export type DecideAccessRequest = {
  decision: 'approve' | 'decline'
  /** The username of the new user. Default: the address. */
  username?: string | undefined
  /** The role of the new user. Default: `user`. */
  role?: string | undefined
  /** The groups of the new user, each by its id or its name. Needs `groups:write` too. */
  groups?: string[] | undefined
  /** Values of attributes, beside those that the person stated, or in their place. */
  attributes?: Record<string, string | number | boolean | string[] | null> | undefined
  /** The end date of the new user (`expires_at` of a user). */
  access_expires_at?: string | undefined
  /** Why it was declined; the message to the person quotes it. Only with `decline`. */
  reason?: string | undefined
}

/** `data` of the events `access_request.*`. Without the address and the reason: read them with `GET /access-requests/{request_id}`. */
export type AccessRequestEventV1 = {
  /** A UUIDv7 made by the server, never reused. */
  request_id: string
  created_at: string
  expires_at: string
  decided_at: string | null
  /** The user of an approved request. */
  user_id: string | null
}

/** An event in the CloudEvents 1.0 envelope. */
export type CloudEvent = {
  specversion: '1.0'
  /** The id of this event, here and in webhooks. */
  id: string
  /** The base URL of the service that reports the event. */
  source: string
  type: string
  /** The id of the user, organization, setup link, group, connection, identity, session, key or request for access, or the name of the role or attribute, that the event is about; for a membership the ids of group and user. */
  subject: string
  /** When it happened. Events are in the order of commits, which can differ from this order. */
  time: string
  datacontenttype: 'application/json'
  /** The schema of `data`. */
  dataschema: string
  /** The number of the event. Events with greater numbers were committed later. */
  sequence: string
  data:
    | UserEventV1
    | OrganizationEventV1
    | SetupLinkEventV1
    | GroupEventV1
    | FactorEventV1
    | ConnectionEventV1
    | IdentityEventV1
    | AttributeEventV1
    | SessionEventV1
    | KeyEventV1
    | RoleEventV1
    | AccessRequestEventV1
    | BrandingEventV1
    | ReviewEventV1
}

export type EventPage = {
  /** Identifies this history. If it changes, for example after a restored backup, start over without `after`. */
  feed_id: string
  /** The value of `after` for the next request. */
  cursor: string
  /** Whether more events are available now. They may be of other types than the ones you requested. */
  has_more: boolean
  events: CloudEvent[]
}

/** Who changed what, when and from where. */
export type AuditRecord = {
  /** The sequence number of the record; it grows by one. */
  seq: number
  record_id: string
  /** When the request was received. */
  occurred_at: string
  /** A noun and a past participle. */
  action: string
  /** `failure`: a sign-in that failed; `denied`: the actor was not allowed to. */
  outcome: AuditOutcome
  /** The problem code of the response, unless the outcome is `success`. */
  code: string | null
  /** The actor; `anonymous` if unknown. */
  actor: {
    kind: ActorKind
    /** For a user the `user_id`, for a key the `key_id`, for a setup link the `setup_link_id`. */
    id: string
    /** The name of the actor at that time; null if it was erased. */
    name: string | null
    key_id: string | null
    session_id: string | null
    /** The `user_id` of the impersonated user, if the actor acted as another user. */
    acts_as?: string | undefined
  }
  /** The target of the action. */
  target: {
    kind: string
    id: string
    /** The name of the target at that time; null if it was erased or has no name. */
    name: string | null
  } | null
  /** For each changed member `{"before": …, "after": …}`, or `"changed"` for a secret. Null: no changes, or they were erased. */
  changes: Record<string, unknown> | null
  /** Further details, depending on the action. Null: none, or they were erased. */
  details: Record<string, unknown> | null
  /** The address of the client; null if Rollbook itself acted. */
  address: string | null
  user_agent: string | null
  /** The request id, as in `X-Request-Id`. */
  request_id: string
  /** Whether the personal data of this record was erased with the user. */
  erased: boolean
  /** The link of the record in the chain. */
  hash: string
}

/** The end of the chain at one point in time. Store it elsewhere: later it can prove that no record was removed since. */
export type AuditCheckpoint = {
  /** The sequence number of the newest record. */
  seq: number
  /** The number of records. */
  count: number
  /** The hash of the newest record. */
  hash: string
  created_at: string
  /** The sequence number up to which retention has deleted records. */
  base_seq: number
}

/** Everything that is stored about the calling user, without secrets. */
export type OwnData = {
  /** When this was read. */
  created_at: string
  user: Me
  /** Second factors and passkeys. */
  factors: Factor[]
  /** How many are left. */
  recovery_codes: number
  /** Where the user is signed in. */
  sessions: Session[]
  /** Where no second factor is asked for. */
  trusted_browsers: TrustedBrowser[]
  /** Linked accounts of identity providers. */
  identities: Identity[]
  /** Personal keys. */
  keys: ApiKey[]
  /** All audit records about the user, the oldest first; of changes by others without the address and browser of those. */
  activity: AuditRecord[]
}

/** The look of the sign-in pages, the pages behind links, the account page and messages. A member that is null has its default. */
export type Branding = {
  /** The name of the product on pages and in messages. Null: `ROLLBOOK_PRODUCT_NAME`. */
  name: string | null
  /** A data URL of an SVG, or of a PNG with up to 4,096 pixels on a side; at most 64 KiB. Of an SVG only shapes, paths, gradients, clips and masks are stored; texts, pictures, scripts and style sheets are left out. */
  logo: string | null
  /** The logo for dark ground. Null: `logo` is used there, too. */
  logo_dark: string | null
  /** The colour of buttons and links. Its contrast with the light pages must be at least 4.5:1 (WCAG 2.2); on dark pages links have the nearest colour of the same hue that has as much. */
  accent_color: string | null
  /** The terms of use. An https URL. */
  terms_url: string | null
  /** The privacy notice. An https URL. */
  privacy_url: string | null
  /** Where users get help. An https URL or a `mailto:` address. */
  support_url: string | null
  /** When the branding was changed last. Null: never. */
  updated_at: string | null
  /** `file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed. */
  managed_by?: 'file' | undefined
}

/** The whole branding: a member that is left out gets its default. */
export type SetBranding = {
  /** The name of the product on pages and in messages. Null: `ROLLBOOK_PRODUCT_NAME`. */
  name?: string | null | undefined
  /** A data URL of an SVG, or of a PNG with up to 4,096 pixels on a side; at most 64 KiB. Of an SVG only shapes, paths, gradients, clips and masks are stored; texts, pictures, scripts and style sheets are left out. */
  logo?: string | null | undefined
  /** The logo for dark ground. Null: `logo` is used there, too. */
  logo_dark?: string | null | undefined
  /** The colour of buttons and links. Its contrast with the light pages must be at least 4.5:1 (WCAG 2.2); on dark pages links have the nearest colour of the same hue that has as much. */
  accent_color?: string | null | undefined
  /** The terms of use. An https URL. */
  terms_url?: string | null | undefined
  /** The privacy notice. An https URL. */
  privacy_url?: string | null | undefined
  /** Where users get help. An https URL or a `mailto:` address. */
  support_url?: string | null | undefined
  /** Ignored, so that what was read can be sent back. */
  updated_at?: string | null | undefined
  /** Ignored, so that what was read can be sent back. */
  managed_by?: 'file' | undefined
}

export type ConfirmationOfBrandingDeletion = {
  organization_id: string
  /** False only in a dry run. */
  deleted: boolean
}

export type PreviewBranding = {
  branding: SetBranding
  /** The language of the page and the message. */
  locale?: string | undefined
  /** The organization whose look it would be: what it leaves out is then that of the product. Default: it is the look of the product. */
  organization_id?: string | undefined
}

export type BrandingPreview = {
  /** As it would be stored. An accent colour with too little contrast is replaced with the nearest one that has enough. */
  branding: Branding
  /** What of an SVG would not be stored and may have been visible. */
  left_out: { member: 'logo' | 'logo_dark'; names: string[] }[]
  /** The contrast of the accent colour that was sent with the light pages, from 1 to 21. Null: none was sent. */
  contrast: number | null
  /** The sign-in page in HTML, with its pictures inside. */
  page: string
  /** The subject of an invitation. */
  subject: string
  text: string
  /** The message in HTML, with its pictures inside. */
  html: string
}

/** `data` of the event `branding.updated`: the branding, with digests of the logos instead of the logos. */
export type BrandingEventV1 = Omit<Branding, 'logo' | 'logo_dark' | 'managed_by'> & {
  /** The organization whose look it is. Missing: it is that of the product. */
  organization_id?: string | undefined
  /** SHA-256 of the logo as it is served, in hexadecimal. */
  logo_sha256: string | null
  logo_dark_sha256: string | null
}

/** The deployment of this node, and this request as the node sees it. */
export type Deployment = {
  /** The release. */
  version: string
  /** The version of Node.js. */
  node_version: string
  started_at: string
  uptime_seconds: number
  /** The time of this node's clock. */
  now: string
  /** `leaving`: the node is about to stop and no longer ready; `draining`: it accepts no new requests. */
  stage: 'serving' | 'leaving' | 'draining'
  storage: {
    engine: 'sqlite' | 'postgres'
    /** The version of the engine; null while it does not respond. */
    version: string | null
    /** The size of the store on disk, with its indexes and log; null while it does not respond. */
    size_bytes: number | null
    /** Whether the store responds. */
    ready: boolean
    /** Whether this node knows what other nodes have revoked. */
    current: boolean
    /** The age of that knowledge in milliseconds. */
    age_ms: number
    /** The migrations that ran at this start. */
    migrated: string[]
  }
  /** `ROLLBOOK_PUBLIC_URL`: the address that clients use. */
  public_url: string | null
  /** `ROLLBOOK_BASE_PATH`; empty: at the root. */
  base_path: string
  /** The name of the session cookie; it has the prefix `__Host-` if the public URL is https. */
  session_cookie: string
  trusted_proxies: string[]
  /** This request as the service sees it, after all proxies in between. */
  request: {
    /** The path as it arrived. */
    path: string
    /** Whether the path arrived with the base path. Rollbook serves both. */
    prefix: 'kept' | 'stripped'
    /** The `Host` header. */
    host: string | null
    /** The scheme that a trusted proxy reports; otherwise `http`, which this service itself uses. */
    scheme: 'http' | 'https'
    /** The address that Rollbook counts, records and logs as the client. */
    client_address: string
    /** The other end of the connection: the client or the nearest proxy. */
    peer_address: string
    /** Whether that address is in `ROLLBOOK_TRUSTED_PROXIES`, so that its forwarded headers are used. */
    from_trusted_proxy: boolean
    /** `X-Forwarded-For`, whether it is used or not. */
    forwarded_for: string | null
    /** `X-Forwarded-Proto`. */
    forwarded_proto: string | null
    /** `X-Forwarded-Host`. */
    forwarded_host: string | null
    /** `Origin`: the origin of the page, if a browser sends this. */
    origin: string | null
    /** The forwarded headers that were used. */
    believed: string[]
  }
  /** The nodes that use this store: on PostgreSQL every node that was seen in the last three minutes. */
  nodes: {
    /** A new id at each start. */
    node_id: string
    /** The host name of the machine or container. */
    host: string
    /** The release. */
    version: string
    started_at: string
    last_seen_at: string
    /** Whether this is the responding node. */
    this: boolean
  }[]
  /** Probable mistakes in this request or in the configuration. */
  warnings: { code: DeploymentWarning; detail: string }[]
}

/** Why a user has permissions: the own role, or the role of a group. */
export type AccessSource = {
  /** The same for as long as the user has this role, or is a member of this group. */
  row_id: string
  user_id: string
  username: string
  /** The email address. */
  email: string | null
  first_name: string
  last_name: string
  kind: 'person' | 'service'
  /** False: the user is disabled, and the permissions have no effect. */
  active: boolean
  /** `role`: the own role. `group`: the role of a group. */
  source: 'role' | 'group'
  /** The role that gives the permissions. */
  role: string
  /** With `group`: the group. */
  group_id: string | null
  /** With `group`: the name of the group. */
  group: string | null
  /** What the role permits now. Empty if the role does not exist any more. */
  permissions: string[]
  /** When the user got the role, or became a member; null if the audit log does not have it any more. */
  since: string | null
  /** Who gave it; null if the audit log does not have it any more. */
  granted_by: {
    /** As in an audit record. */
    kind: string
    id: string
    /** The name at that time. */
    name: string | null
  } | null
  /** With `group`: when the membership ends. Missing: it does not end. */
  expires_at?: string | undefined
  /** The end date of the user. Missing: there is none. */
  user_expires_at?: string | undefined
  /** The last sign-in; null if there was none. */
  last_login_at: string | null
  /** Whether the user has a second factor. */
  second_factor: boolean
  /** How many personal keys the user has. */
  keys: number
}

/** An access review: the rows of the access report as they were when it began, and the decisions about them. */
export type Review = Complete<Omit<CreateReview, 'filter'>> & {
  review_id: string
  state: 'open' | 'closed'
  /** Whose access is reviewed: the filters of `GET /users`. Empty: everybody with a permission. */
  filter: Record<string, unknown>
  row_count: number
  /** How many rows are in each state. */
  counts: { open: number; kept: number; removed: number; changed_meanwhile: number }
  created_at: string
  created_by: {
    kind: string
    id: string
    /** Empty once the user was erased. */
    name: string
  }
  updated_at: string
  closed_at: string | null
  closed_by: {
    kind: string
    id: string
    /** Empty once the user was erased. */
    name: string
  } | null
  /** SHA-256 of the sealed rows; the audit record of the closing has it as well. Null while it is open. */
  digest: string | null
}

export type CreateReview = {
  name: string
  /** Whose access is reviewed: the filters of `GET /users`. Empty: everybody with a permission. */
  filter?:
    | (UserConditions & {
        /** Only users who belong to the organization with this `organization_id`; `none`: who belong to none. */
        organization?: string | undefined
        /** Only users whom this provisioning connection manages: its `connection_id`. */
        managed_by?: string | undefined
        /** Only service accounts, or only people. */
        kind?: 'person' | 'service' | undefined
        /** Only users who were invited and have not set a password yet, whether the link still works or not; or only the others. */
        invited?: boolean | undefined
        /** Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why. */
        locked?: boolean | undefined
        /** Only these users; repeat the parameter, up to 500 times. */
        user_id?: string[] | undefined
      })
    | undefined
  /** Until when the rows are to be decided. */
  due_at: string
  /** The users who may decide. Empty, or if none of them can any more: everybody with `reviews:write`. */
  reviewers?: string[] | undefined
  /** Remove what is not decided at `due_at`. Otherwise it is only reported. */
  remove_open?: boolean | undefined
}

/** Omitted members stay unchanged. */
export type UpdateReview = Optional<Omit<CreateReview, 'filter'>> & {
  /** Closes and seals the review, once. */
  state?: 'closed' | undefined
}

/** A row of the access report as it was when the review began, and the decision about it. */
export type ReviewRow = AccessSource & {
  /** `changed_meanwhile`: the user does not have this role or membership any more, or the group has another role. */
  state: ReviewRowState
  comment: string
  decided_at: string | null
  decided_by: {
    kind: string
    id: string
    /** Empty once the user was erased. */
    name: string
  } | null
}

export type DecideReviewRows = {
  row_ids: string[]
  /** `remove` takes the role or the membership away at once. `keep` of a row that was removed gives it back. */
  decision: 'keep' | 'remove'
  comment?: string | undefined
}

export type DecidedReviewRows = {
  rows: {
    row_id: string
    /** The state after this request. */
    state: ReviewRowState
    /** Why it was not decided: a problem code. */
    code?: string | undefined
    /** The same in a sentence. */
    detail?: string | undefined
  }[]
  /** How many rows are in each state. */
  counts: { open: number; kept: number; removed: number; changed_meanwhile: number }
}

export type ReviewEventV1 = {
  review_id: string
  name: string
  state: 'open' | 'closed'
  /** Until when the rows are to be decided. */
  due_at: string
  closed_at: string | null
  /** SHA-256 of the sealed rows; the audit record of the closing has it as well. Null while it is open. */
  digest: string | null
}

/** A run that would disable more than 5 % of the active users, and more than 10. */
export type InactivityStop = {
  stopped_at: string
  /** How many users it would disable. */
  users: number
  active_users: number
  /** Null: it waits for `POST /inactivity/confirmation`. */
  confirmed_at: string | null
}

/** A rule that need not be saved. Without `inactivity`: the rule in force. */
export type PreviewInactivity = {
  /** Who is disabled after a time without sign-in or use of a key or token: limits by `*`, role, `group:<name>`, `kind:service` (service accounts, who have no other limit) and `managed` (users whom an identity provider manages, who have no other limit either). The fewest days win. Null: no user. */
  inactivity?:
    | Record<
        string,
        {
          /** Without use for so many days, the user is disabled. */
          days: number
          /** So many days before, the user is told. Fewer than `days`. */
          notice_days: number
        }
      >
    | null
    | undefined
  /** How far to look. Default: as many days as the longest notice from now. */
  until?: string | undefined
  /** How many users are listed. */
  limit?: number | undefined
}

/** Who is disabled, and when, if they do not use their access. */
export type InactivityPreview = {
  /** Who is disabled after a time without sign-in or use of a key or token: limits by `*`, role, `group:<name>`, `kind:service` (service accounts, who have no other limit) and `managed` (users whom an identity provider manages, who have no other limit either). The fewest days win. Null: no user. */
  inactivity: Record<
    string,
    {
      /** Without use for so many days, the user is disabled. */
      days: number
      /** So many days before, the user is told. Fewer than `days`. */
      notice_days: number
    }
  > | null
  until: string
  /** In the order in which they are disabled. */
  users: {
    user_id: string
    username: string
    /** The last sign-in, or use of a session, key or access token. Null: never. */
    last_used_at: string | null
    /** Whether they have been told. */
    noticed: boolean
    /** When they were or will be told. */
    notice_at: string
    /** A run within the hour after it disables them. */
    disable_at: string
  }[]
  /** How many users are disabled until then, listed or not. */
  total: number
  active_users: number
  /** The most users whom one run would disable. */
  largest_run: number
  /** Whether such a run would stop and wait for a confirmation. */
  stops: boolean
  /** The administrator who stays because there would be no other. */
  spared: { user_id: string; username: string } | null
  /** The run that waits now. */
  stopped: InactivityStop | null
}

/** The configuration as a file: `GET /configuration.schema.json` is its JSON Schema. Objects are known by their names, and members have the names of the API. */
export type Configuration = {
  version: 1
  /** A file with a lower number than the applied one is refused. */
  generation?: number | undefined
  roles?: Record<string, unknown>[] | undefined
  attributes?: Record<string, unknown>[] | undefined
  organizations?: Record<string, unknown>[] | undefined
  groups?: Record<string, unknown>[] | undefined
  connections?: Record<string, unknown>[] | undefined
  provisioning?: Record<string, unknown>[] | undefined
  webhooks?: Record<string, unknown>[] | undefined
  keys?: Record<string, unknown>[] | undefined
  policies?: Record<string, unknown> | undefined
  branding?: Record<string, unknown> | undefined
}

/** What an apply does with one object. */
export type ConfigurationChange = {
  /** The section of the file. */
  kind:
    | 'roles'
    | 'attributes'
    | 'organizations'
    | 'groups'
    | 'connections'
    | 'provisioning'
    | 'webhooks'
    | 'keys'
    | 'policies'
    | 'branding'
  /** The name, or the URL of a webhook. */
  name: string
  /** `adopt`: the object exists, and no file managed it. `release`: an adopted object left the file; it stays, unmanaged. */
  action: 'create' | 'update' | 'delete' | 'adopt' | 'rename' | 'release'
  /** Whether the object was changed by hand since the last apply. */
  drift: boolean
  /** The members that change. */
  members: {
    pointer: string
    /** The value before. Null: none. */
    before: unknown
    /** The value after. Null: none. */
    after: unknown
    /** True: the value is a secret, which is not shown. */
    secret?: boolean | undefined
  }[]
}

/** What an apply changed, or would change. */
export type ConfigurationPlan = {
  /** In the order of the sections and names. */
  changes: ConfigurationChange[]
  /** The number of objects created. */
  created: number
  /** The number of objects changed. */
  updated: number
  /** The number of objects deleted. */
  deleted: number
  /** The number of objects adopted. */
  adopted: number
  /** The number of objects renamed. */
  renamed: number
  /** The number of objects that stay and are no longer managed. */
  released: number
  /** The number of changes of objects that were changed by hand since the last apply. */
  drifted: number
  /** The number of objects of the file that are as it says. */
  unchanged: number
  /** The secrets of what was created, which are shown only now. Missing in a dry run. */
  secrets?:
    | {
        /** The section of the file. */
        kind: string
        /** The name, or the URL of a webhook. */
        name: string
        secret: string
      }[]
    | undefined
}

/** The last applies, and what was changed by hand since. */
export type ConfigurationHistory = {
  /** The generation of the last file that had one. */
  generation: number | null
  /** How many objects a file manages. */
  managed: number
  /** The managed objects that are not as the last apply left them. */
  drift: {
    /** The section of the file. */
    kind: string
    /** The name, or the URL of a webhook. */
    name: string
    /** Whether the object was deleted. */
    deleted: boolean
    /** The names of the changed members. */
    members: string[]
  }[]
  /** The last 50 applies that changed something, the latest first. */
  applies: {
    apply_id: string
    applied_at: string
    /** The request id of its audit records. */
    request_id: string
    actor: {
      /** `system`: the file was applied at a start. */
      kind: string
      id: string
    }
    /** What the apply said of itself, such as a commit. */
    source: string | null
    generation: number | null
    /** In the order of the sections and names. */
    changes: ConfigurationChange[]
    /** The number of objects created. */
    created: number
    /** The number of objects changed. */
    updated: number
    /** The number of objects deleted. */
    deleted: number
    /** The number of objects adopted. */
    adopted: number
    /** The number of objects renamed. */
    renamed: number
    /** The number of objects that stay and are no longer managed. */
    released: number
    /** The number of changes of objects that were changed by hand since the last apply. */
    drifted: number
    /** The number of objects of the file that are as it says. */
    unchanged: number
  }[]
}

/** Counts for each day, and how many users there are. */
export type Statistics = {
  /** Every day, oldest first. Null for what was not counted yet. */
  days: {
    /** In UTC. */
    date: string
    /** Users with a `created_at` on this day, including those deleted later. */
    sign_ups: number
    /** Successful sign-ins. */
    sign_ins: number | null
    /** Failed sign-ins. */
    failed_sign_ins: number | null
    /** Different users who signed in or used a session. */
    active_users: number | null
    /** False for today. */
    complete: boolean
  }[]
  /** The number of users. With more than 50,000 users, the counts can be up to ten seconds old. */
  totals: {
    /** All users: people and service accounts. */
    users: number
    /** Active users, who can sign in if they have a password. */
    active: number
    /** Disabled users, who cannot sign in. */
    inactive: number
    /** Users whose end date has passed while they are not disabled. They cannot sign in either. */
    expired: number
    /** Service accounts: programs, which cannot sign in. */
    service_accounts: number
    /** People with a password. */
    with_password: number
    /** People without a password. */
    without_password: number
    /** People without a `last_login_at`. */
    never_signed_in: number
    /** Users with a second factor. */
    with_factor: number
    /** Users with one-time codes of an app. */
    with_totp: number
    /** Users with a passkey. */
    with_passkey: number
    /** All groups. */
    groups: number
    /** Users in at least one group. */
    in_groups: number
    /** For each role: the configured roles, and others that users still have. */
    roles: {
      role: string
      /** Users with this role. */
      users: number
    }[]
  }
  /** When the totals were counted. */
  generated_at: string
}

type Operation<Path, Query, Body, Answer> = { path: Path; query: Query; body: Body; answer: Answer }

/** Every operation: the parameters in its path and query, its body, and its answer. */
export type Operations = {
  /** `create_user_users_post` */
  'POST /users': Operation<Empty, DryRun, CreateUser, CreatedUser>
  /** `list_users_users_get` */
  'GET /users': Operation<
    Empty,
    UserConditions & {
      /** The maximum number of users to return, with a `Link` to the next page. Without it, all users are returned. */
      limit?: number | undefined
      /** Where the page starts: from the `Link` header of the previous page. */
      cursor?: string | undefined
      /** With `limit`: how many users to skip, from the beginning or from the `cursor`. To read all users, follow the `Link` instead. */
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
      /** Only users who belong to the organization with this `organization_id`; `none`: who belong to none. */
      organization?: string | undefined
      /** Only users whom this provisioning connection manages: its `connection_id`. */
      managed_by?: string | undefined
      /** Only service accounts, or only people. */
      kind?: 'person' | 'service' | undefined
      /** Only users who were invited and have not set a password yet, whether the link still works or not; or only the others. */
      invited?: boolean | undefined
      /** Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why. */
      locked?: boolean | undefined
      /** Only these users; repeat the parameter, up to 500 times. */
      user_id?: string | string[] | undefined
      /** `groups`: adds the names of the groups of each user, and the roles that they have by themselves or by a group. Needs the permission `groups:read`. */
      include?: 'groups' | undefined
      /** Adds `Total-Count`: how many users match on all pages together. With a `limit`, `estimate` returns an approximate number immediately, with `Total-Count-Estimated: true` if the users were not counted. */
      count?: boolean | 'estimate' | undefined
    },
    undefined,
    ListedUser[]
  >
  /** `get_user_users__user_id__get` */
  'GET /users/{user_id}': Operation<UserPath, Empty, undefined, User>
  /** `update_user_users__user_id__patch` */
  'PATCH /users/{user_id}': Operation<
    UserPath,
    DryRun & {
      /** Also change what a provisioning connection manages (`managed_elsewhere`). Its next synchronization may undo it. */
      override?: boolean | undefined
    },
    UpdateUser,
    UpdatedUser
  >
  /** `delete_user_users__user_id__delete` */
  'DELETE /users/{user_id}': Operation<
    UserPath,
    DryRun & {
      /** Erase the user immediately, so that they cannot be restored. This also works for users who were deleted before. */
      purge?: boolean | undefined
      /** Also change what a provisioning connection manages (`managed_elsewhere`). Its next synchronization may undo it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfDeletion
  >
  /** `set_password_users__user_id__password_post` */
  'POST /users/{user_id}/password': Operation<UserPath, DryRun, SetPassword, User>
  /** `find_closest_users_users_closest_get` */
  'GET /users/closest': Operation<
    Empty,
    {
      /** The name, username or email as it was typed. */
      q?: string | undefined
    },
    undefined,
    ListedUser[]
  >
  /** `export_users_users_export_post` */
  'POST /users/export': Operation<
    Empty,
    UserConditions &
      DryRun & {
        /** Only users who belong to the organization with this `organization_id`; `none`: who belong to none. */
        organization?: string | undefined
        /** Only users whom this provisioning connection manages: its `connection_id`. */
        managed_by?: string | undefined
        /** Only service accounts, or only people. */
        kind?: 'person' | 'service' | undefined
        /** Only users who were invited and have not set a password yet, whether the link still works or not; or only the others. */
        invited?: boolean | undefined
        /** Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why. */
        locked?: boolean | undefined
        /** Only these users; repeat the parameter, up to 500 times. */
        user_id?: string | string[] | undefined
      },
    ExportUsers,
    PlannedExport
  >
  /** `list_deleted_users_deleted_users_get` */
  'GET /deleted-users': Operation<
    Empty,
    {
      /** The maximum number of users to return, with a `Link` to the next page. */
      limit?: number | undefined
      /** Where the page starts: from the `Link` header of the previous page. */
      cursor?: string | undefined
      /** Order of the rows, `-` for descending. */
      sort?: 'deleted_at' | '-deleted_at' | 'username' | '-username' | undefined
      /** Users whose username, email, name or searchable attributes contained every word of this text, in any order, ignoring case, accents and commas. At most 16 different words. If no word has three characters, each must begin a word, and one of them the username, email, first or last name, or an attribute. */
      q?: string | undefined
      /** Users who had exactly this username, ignoring case. Several can have had it, one after the other. */
      username?: string | undefined
      /** Users who had exactly this email address, ignoring case. */
      email?: string | undefined
      role?: string | undefined
      /** Only users deleted after this instant (RFC 3339). */
      deleted_after?: string | undefined
      /** Only users deleted before this instant (RFC 3339). */
      deleted_before?: string | undefined
      /** Adds `Total-Count`: how many users match on all pages together. */
      count?: boolean | undefined
    },
    undefined,
    DeletedUser[]
  >
  /** `restore_user_users__user_id__restore_post` */
  'POST /users/{user_id}/restore': Operation<UserPath, DryRun, undefined, User>
  /** `list_attributes_attributes_get` */
  'GET /attributes': Operation<Empty, Empty, undefined, Attribute[]>
  /** `create_attribute_attributes_post` */
  'POST /attributes': Operation<Empty, DryRun, CreateAttribute, Attribute>
  /** `get_attribute_attributes__name__get` */
  'GET /attributes/{name}': Operation<AttributePath, Empty, undefined, Attribute>
  /** `update_attribute_attributes__name__patch` */
  'PATCH /attributes/{name}': Operation<
    AttributePath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateAttribute,
    Attribute
  >
  /** `delete_attribute_attributes__name__delete` */
  'DELETE /attributes/{name}': Operation<
    AttributePath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfAttributeDeletion
  >
  /** `list_organizations_organizations_get` */
  'GET /organizations': Operation<
    Empty,
    {
      /** The maximum number of organizations to return, with a `Link` to the next page. Default: 100. */
      limit?: number | undefined
      /** Where the page starts: from the `Link` header of the previous page. */
      cursor?: string | undefined
      /** Order of the organizations, `-` for descending. Default: `name`. */
      sort?: 'name' | '-name' | 'created_at' | '-created_at' | undefined
      /** Organizations whose name contains every word, in any order, ignoring case and accents, or with exactly this id or external id. */
      q?: string | undefined
      /** The organization with exactly this name, ignoring case. */
      name?: string | undefined
      /** The organization with exactly this external id. */
      external_id?: string | undefined
      /** Only active organizations, or only those that are not. */
      active?: boolean | undefined
    },
    undefined,
    Organization[]
  >
  /** `create_organization_organizations_post` */
  'POST /organizations': Operation<Empty, DryRun, CreateOrganization, Organization>
  /** `get_organization_organizations__organization_id__get` */
  'GET /organizations/{organization_id}': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    Empty,
    undefined,
    Organization
  >
  /** `update_organization_organizations__organization_id__patch` */
  'PATCH /organizations/{organization_id}': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateOrganization,
    Organization
  >
  /** `delete_organization_organizations__organization_id__delete` */
  'DELETE /organizations/{organization_id}': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    DryRun & {
      /** Also what a configuration file manages, and with `users=delete` users whom a provisioning connection from elsewhere manages. */
      override?: boolean | undefined
      /** `delete`: deletes its users, and everything else that belongs to it, too. Missing: the organization must be empty. */
      users?: 'delete' | undefined
    },
    undefined,
    ConfirmationOfOrganizationDeletion
  >
  /** `add_organization_domain_organizations__organization_id__domains_post` */
  'POST /organizations/{organization_id}/domains': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    AddOrganizationDomain,
    OrganizationDomain
  >
  /** `verify_organization_domain_organizations__organization_id__domains__domain__verify_post` */
  'POST /organizations/{organization_id}/domains/{domain}/verify': Operation<
    {
      /** The id of the organization. */
      organization_id: string
      /** The domain, such as acme.example. */
      domain: string
    },
    DryRun,
    undefined,
    OrganizationDomain
  >
  /** `remove_organization_domain_organizations__organization_id__domains__domain__delete` */
  'DELETE /organizations/{organization_id}/domains/{domain}': Operation<
    {
      /** The id of the organization. */
      organization_id: string
      /** The domain, such as acme.example. */
      domain: string
    },
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfDomainDeletion
  >
  /** `list_organization_setup_links_organizations__organization_id__setup_links_get` */
  'GET /organizations/{organization_id}/setup-links': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    Empty,
    undefined,
    OrganizationSetupLink[]
  >
  /** `create_organization_setup_link_organizations__organization_id__setup_links_post` */
  'POST /organizations/{organization_id}/setup-links': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    DryRun,
    CreateOrganizationSetupLink,
    NewOrganizationSetupLink
  >
  /** `revoke_organization_setup_link_organizations__organization_id__setup_links__setup_link_id__delete` */
  'DELETE /organizations/{organization_id}/setup-links/{setup_link_id}': Operation<
    {
      /** The id of the organization. */
      organization_id: string
      /** The id of the user. */
      setup_link_id: string
    },
    DryRun,
    undefined,
    ConfirmationOfSetupLinkRevocation
  >
  /** `list_groups_groups_get` */
  'GET /groups': Operation<
    Empty,
    {
      /** The maximum number of groups to return, with a `Link` to the next page. Default: 100. */
      limit?: number | undefined
      /** Where the page starts: from the `Link` header of the previous page. */
      cursor?: string | undefined
      /** Order of the groups, `-` for descending. Default: `name`. */
      sort?: 'name' | '-name' | 'created_at' | '-created_at' | 'member_count' | '-member_count' | undefined
      /** Groups whose name contains every word, in any order, ignoring case and accents, or with exactly this id or external id. */
      q?: string | undefined
      /** The group with exactly this name, ignoring case. */
      name?: string | undefined
      /** The group with exactly this external id. */
      external_id?: string | undefined
      /** Only groups with this role. */
      role?: string | undefined
      /** Only groups that belong to the organization with this `organization_id`; `none`: that belong to none. */
      organization?: string | undefined
    },
    undefined,
    Group[]
  >
  /** `create_group_groups_post` */
  'POST /groups': Operation<Empty, DryRun, CreateGroup, Group>
  /** `get_group_groups__group_id__get` */
  'GET /groups/{group_id}': Operation<GroupPath, Empty, undefined, Group>
  /** `update_group_groups__group_id__patch` */
  'PATCH /groups/{group_id}': Operation<
    GroupPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateGroup,
    Group
  >
  /** `delete_group_groups__group_id__delete` */
  'DELETE /groups/{group_id}': Operation<
    GroupPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfGroupDeletion
  >
  /** `list_group_members_groups__group_id__members_get` */
  'GET /groups/{group_id}/members': Operation<
    GroupPath,
    Omit<UserConditions, 'group'> & {
      /** The maximum number of users to return, with a `Link` to the next page. Without it, all users are returned. */
      limit?: number | undefined
      /** Where the page starts: from the `Link` header of the previous page. */
      cursor?: string | undefined
      /** With `limit`: how many users to skip, from the beginning or from the `cursor`. To read all users, follow the `Link` instead. */
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
      /** Only users who belong to the organization with this `organization_id`; `none`: who belong to none. */
      organization?: string | undefined
      /** Only users whom this provisioning connection manages: its `connection_id`. */
      managed_by?: string | undefined
      /** Only service accounts, or only people. */
      kind?: 'person' | 'service' | undefined
      /** Only users who were invited and have not set a password yet, whether the link still works or not; or only the others. */
      invited?: boolean | undefined
      /** Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why. */
      locked?: boolean | undefined
      /** Only these users; repeat the parameter, up to 500 times. */
      user_id?: string | string[] | undefined
      /** `groups`: adds the names of the groups of each user, and the roles that they have by themselves or by a group. Needs the permission `groups:read`. */
      include?: 'groups' | undefined
      /** Adds `Total-Count`: how many users match on all pages together. With a `limit`, `estimate` returns an approximate number immediately, with `Total-Count-Estimated: true` if the users were not counted. */
      count?: boolean | 'estimate' | undefined
    },
    undefined,
    ListedUser[]
  >
  /** `change_group_members_groups__group_id__members_post` */
  'POST /groups/{group_id}/members': Operation<GroupPath, DryRun, ChangeGroupMembers, ChangedGroupMembers>
  /** `add_group_member_groups__group_id__members__user_id__put` */
  'PUT /groups/{group_id}/members/{user_id}': Operation<
    MembershipPath,
    DryRun,
    SetGroupMember | undefined,
    GroupMembership
  >
  /** `remove_group_member_groups__group_id__members__user_id__delete` */
  'DELETE /groups/{group_id}/members/{user_id}': Operation<MembershipPath, DryRun, undefined, GroupMembership>
  /** `list_groups_of_user_users__user_id__groups_get` */
  'GET /users/{user_id}/groups': Operation<UserPath, Empty, undefined, GroupOfUser[]>
  /** `import_users_users_import_post` */
  'POST /users/import': Operation<
    Empty,
    {
      /** `create` (default): rows are new users. `update`: existing users get the members of the row. */
      mode?: 'create' | 'update' | undefined
      /** With `mode=create`, if the user exists but does not match the row: `reject` (default) or `skip` the row. */
      on_conflict?: 'reject' | 'skip' | undefined
      /** The member that identifies existing users. Default: `username`. */
      match?: 'username' | 'email' | 'external_id' | 'user_id' | undefined
      /** Return the result for each row, with the same checks, without changing any user. */
      dry_run?: boolean | undefined
      /** A UUID of your choice. With it you can continue an interrupted import: send the same request again. */
      job_id?: string | undefined
      /** The name of the file, to find the import in the audit. */
      file_name?: string | undefined
      /** How many rows of the file come before this body, if it is a part of the file. Default: 0. */
      from_row?: number | undefined
      /** How many lines of the file come before the first row of this part, including the header and blank lines, so that verdicts have the line numbers of the file. The header at the start of a CSV part is not counted then. */
      from_line?: number | undefined
      /** False: the line numbers of the body differ from those of the file, so verdicts have no `line`. Default: true. */
      count_lines?: boolean | undefined
      /** False: more parts follow. Default: true. */
      complete?: boolean | undefined
    },
    string,
    ImportJob
  >
  /** `list_imports_imports_get` */
  'GET /imports': Operation<
    Empty,
    {
      /** Default: 20. */
      limit?: number | undefined
    },
    undefined,
    ImportJob[]
  >
  /** `get_import_imports__job_id__get` */
  'GET /imports/{job_id}': Operation<ImportPath, Empty, undefined, ImportJob>
  /** `list_import_rows_imports__job_id__rows_get` */
  'GET /imports/{job_id}/rows': Operation<
    ImportPath,
    {
      /** Only rows with this verdict; may be repeated. */
      verdict?: ImportVerdict | ImportVerdict[] | undefined
      /** Only rows after this row number. */
      after_row?: number | undefined
    },
    undefined,
    string
  >
  /** `cancel_import_imports__job_id__cancel_post` */
  'POST /imports/{job_id}/cancel': Operation<ImportPath, DryRun, undefined, ImportJob>
  /** `change_users_users_bulk_post` */
  'POST /users/bulk': Operation<
    Empty,
    DryRun & {
      /** Also change what a provisioning connection manages (`managed_elsewhere`). Its next synchronization may undo it. */
      override?: boolean | undefined
      /** Which users have a line: `all` (default), or only those that were `refused` and those whose link you hand over. */
      rows?: 'all' | 'refused' | undefined
    },
    BulkChange,
    string
  >
  /** `get_lock_users__user_id__lock_get` */
  'GET /users/{user_id}/lock': Operation<UserPath, Empty, undefined, Lock>
  /** `unlock_user_users__user_id__lock_delete` */
  'DELETE /users/{user_id}/lock': Operation<UserPath, DryRun, undefined, Lock>
  /** `get_sign_in_state_users__user_id__sign_in_get` */
  'GET /users/{user_id}/sign-in': Operation<UserPath, Empty, undefined, SignInState>
  /** `get_me_me_get` */
  'GET /me': Operation<Empty, Empty, undefined, Me>
  /** `update_me_me_patch` */
  'PATCH /me': Operation<Empty, DryRun, UpdateMe, Me>
  /** `delete_me_me_delete` */
  'DELETE /me': Operation<Empty, DryRun, undefined, ConfirmationOfDeletion>
  /** `change_my_password_me_password_post` */
  'POST /me/password': Operation<Empty, DryRun, ChangeOwnPassword, ConfirmationOfPassword>
  /** `verify_my_email_me_email_verification_post` */
  'POST /me/email-verification': Operation<Empty, DryRun, undefined, SentVerification>
  /** `list_my_factors_me_factors_get` */
  'GET /me/factors': Operation<Empty, Empty, undefined, Factors>
  /** `add_totp_me_factors_totp_post` */
  'POST /me/factors/totp': Operation<Empty, DryRun, AddTotp | undefined, NewTotp>
  /** `confirm_totp_me_factors_totp__factor_id__confirm_post` */
  'POST /me/factors/totp/{factor_id}/confirm': Operation<FactorPath, DryRun, ConfirmTotp, Factor>
  /** `rename_my_factor_me_factors__factor_id__patch` */
  'PATCH /me/factors/{factor_id}': Operation<FactorPath, DryRun, RenameFactor, Factor>
  /** `remove_my_factor_me_factors__factor_id__delete` */
  'DELETE /me/factors/{factor_id}': Operation<FactorPath, DryRun, undefined, ConfirmationOfFactorRemoval>
  /** `replace_recovery_codes_me_recovery_codes_post` */
  'POST /me/recovery-codes': Operation<Empty, DryRun, undefined, RecoveryCodes>
  /** `begin_passkey_me_factors_passkeys_options_post` */
  'POST /me/factors/passkeys/options': Operation<Empty, DryRun, undefined, PasskeyCreation>
  /** `add_passkey_me_factors_passkeys_post` */
  'POST /me/factors/passkeys': Operation<Empty, DryRun, AddPasskey, Factor>
  /** `list_user_factors_users__user_id__factors_get` */
  'GET /users/{user_id}/factors': Operation<UserPath, Empty, undefined, Factors>
  /** `reset_user_factors_users__user_id__factors_delete` */
  'DELETE /users/{user_id}/factors': Operation<UserPath, DryRun, undefined, ConfirmationOfFactorRemoval>
  /** `remove_user_factor_users__user_id__factors__factor_id__delete` */
  'DELETE /users/{user_id}/factors/{factor_id}': Operation<
    UserPath & FactorPath,
    DryRun,
    undefined,
    ConfirmationOfFactorRemoval
  >
  /** `test_second_factor_policy_second_factor_policy_test_post` */
  'POST /second-factor-policy/test': Operation<Empty, Empty, TestSecondFactorPolicy, SecondFactorPolicyTest>
  /** `list_users_without_factor_second_factor_policy_users_get` */
  'GET /second-factor-policy/users': Operation<
    Empty,
    {
      /** The maximum number to return. Default: 100. */
      limit?: number | undefined
      /** From the `Link` header of the previous page. */
      cursor?: string | undefined
    },
    undefined,
    UserWithoutFactor[]
  >
  /** `create_session_sessions_post` */
  'POST /sessions': Operation<Empty, Empty, CreateSession, Session>
  /** `list_sessions_sessions_get` */
  'GET /sessions': Operation<Empty, Empty, undefined, Session[]>
  /** `end_other_sessions_sessions_delete` */
  'DELETE /sessions': Operation<Empty, DryRun, undefined, ConfirmationOfSignOuts>
  /** `begin_passkey_sign_in_sessions_passkey_options_post` */
  'POST /sessions/passkey-options': Operation<Empty, Empty, undefined, PasskeyRequest>
  /** `request_email_code_sessions_email_code_post` */
  'POST /sessions/email-code': Operation<Empty, Empty, RequestEmailCode, RequestedEmailCode>
  /** `list_my_trusted_browsers_me_trusted_browsers_get` */
  'GET /me/trusted-browsers': Operation<Empty, Empty, undefined, TrustedBrowser[]>
  /** `remove_my_trusted_browser_me_trusted_browsers__browser_id__delete` */
  'DELETE /me/trusted-browsers/{browser_id}': Operation<
    {
      /** The id of the user. */
      browser_id: string
    },
    DryRun,
    undefined,
    ConfirmationOfTrustRemoval
  >
  /** `list_user_trusted_browsers_users__user_id__trusted_browsers_get` */
  'GET /users/{user_id}/trusted-browsers': Operation<UserPath, Empty, undefined, TrustedBrowser[]>
  /** `remove_user_trusted_browser_users__user_id__trusted_browsers__browser_id__delete` */
  'DELETE /users/{user_id}/trusted-browsers/{browser_id}': Operation<
    UserPath & {
      /** The id of the user. */
      browser_id: string
    },
    DryRun,
    undefined,
    ConfirmationOfTrustRemoval
  >
  /** `end_current_session_sessions_current_delete` */
  'DELETE /sessions/current': Operation<Empty, DryRun, undefined, ConfirmationOfSignOut>
  /** `end_session_sessions__session_id__delete` */
  'DELETE /sessions/{session_id}': Operation<SessionPath, DryRun, undefined, ConfirmationOfSignOut>
  /** `list_user_sessions_users__user_id__sessions_get` */
  'GET /users/{user_id}/sessions': Operation<UserPath, Empty, undefined, Session[]>
  /** `end_user_sessions_users__user_id__sessions_delete` */
  'DELETE /users/{user_id}/sessions': Operation<UserPath, DryRun, undefined, ConfirmationOfSignOuts>
  /** `end_user_session_users__user_id__sessions__session_id__delete` */
  'DELETE /users/{user_id}/sessions/{session_id}': Operation<
    UserPath & SessionPath,
    DryRun,
    undefined,
    ConfirmationOfSignOut
  >
  /** `impersonate_user_users__user_id__impersonation_post` */
  'POST /users/{user_id}/impersonation': Operation<UserPath, DryRun, Impersonate, Session>
  /** `reauthenticate_sessions_current_reauthentication_post` */
  'POST /sessions/current/reauthentication': Operation<Empty, DryRun, Reauthenticate, Reauthenticated>
  /** `begin_passkey_confirmation_sessions_current_reauthentication_passkey_options_post` */
  'POST /sessions/current/reauthentication/passkey-options': Operation<Empty, DryRun, undefined, PasskeyRequest>
  /** `get_setup_setup_get` */
  'GET /setup': Operation<Empty, Empty, undefined, SetupState>
  /** `complete_setup_setup_post` */
  'POST /setup': Operation<Empty, Empty, CompleteSetup, Session>
  /** `list_roles_roles_get` */
  'GET /roles': Operation<Empty, Empty, undefined, Role[]>
  /** `create_role_roles_post` */
  'POST /roles': Operation<Empty, DryRun, CreateRole, Role>
  /** `get_role_roles__role__get` */
  'GET /roles/{role}': Operation<
    {
      /** The name of the role. */
      role: string
    },
    Empty,
    undefined,
    Role
  >
  /** `update_role_roles__role__patch` */
  'PATCH /roles/{role}': Operation<
    {
      /** The name of the role. */
      role: string
    },
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateRole,
    Role
  >
  /** `delete_role_roles__role__delete` */
  'DELETE /roles/{role}': Operation<
    {
      /** The name of the role. */
      role: string
    },
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
      /** The role that users and groups with this one get. */
      replace_with?: string | undefined
    },
    undefined,
    ConfirmationOfRoleDeletion
  >
  /** `get_policies_policies_get` */
  'GET /policies': Operation<Empty, Empty, undefined, Policies>
  /** `update_policies_policies_patch` */
  'PATCH /policies': Operation<
    Empty,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdatePolicies,
    Policies
  >
  /** `create_key_keys_post` */
  'POST /keys': Operation<Empty, DryRun, CreateApiKey, NewApiKey>
  /** `list_keys_keys_get` */
  'GET /keys': Operation<Empty, Empty, undefined, ApiKey[]>
  /** `rotate_key_keys__key_id__rotate_post` */
  'POST /keys/{key_id}/rotate': Operation<KeyPath, DryRun, undefined, NewApiKey>
  /** `update_key_keys__key_id__patch` */
  'PATCH /keys/{key_id}': Operation<
    KeyPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateApiKey,
    ApiKey
  >
  /** `revoke_key_keys__key_id__delete` */
  'DELETE /keys/{key_id}': Operation<
    KeyPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfRevocation
  >
  /** `create_my_key_me_keys_post` */
  'POST /me/keys': Operation<Empty, DryRun, CreatePersonalKey, NewApiKey>
  /** `list_my_keys_me_keys_get` */
  'GET /me/keys': Operation<Empty, Empty, undefined, ApiKey[]>
  /** `revoke_my_key_me_keys__key_id__delete` */
  'DELETE /me/keys/{key_id}': Operation<KeyPath, DryRun, undefined, ConfirmationOfRevocation>
  /** `list_user_keys_users__user_id__keys_get` */
  'GET /users/{user_id}/keys': Operation<UserPath, Empty, undefined, ApiKey[]>
  /** `create_user_key_users__user_id__keys_post` */
  'POST /users/{user_id}/keys': Operation<UserPath, DryRun, CreatePersonalKey, NewApiKey>
  /** `revoke_user_key_users__user_id__keys__key_id__delete` */
  'DELETE /users/{user_id}/keys/{key_id}': Operation<UserPath & KeyPath, DryRun, undefined, ConfirmationOfRevocation>
  /** `create_cli_login_cli_logins_post` */
  'POST /cli-logins': Operation<Empty, Empty, CreateCliLogin, CliLogin>
  /** `list_connections_provisioning_get` */
  'GET /provisioning': Operation<Empty, Empty, undefined, ProvisioningConnection[]>
  /** `create_connection_provisioning_post` */
  'POST /provisioning': Operation<Empty, DryRun, CreateProvisioningConnection, NewProvisioningConnection>
  /** `get_connection_provisioning__connection_id__get` */
  'GET /provisioning/{connection_id}': Operation<ConnectionPath, Empty, undefined, ProvisioningConnection>
  /** `update_connection_provisioning__connection_id__patch` */
  'PATCH /provisioning/{connection_id}': Operation<
    ConnectionPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateProvisioningConnection,
    ProvisioningConnection
  >
  /** `delete_connection_provisioning__connection_id__delete` */
  'DELETE /provisioning/{connection_id}': Operation<
    ConnectionPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfConnectionDeletion
  >
  /** `list_rejected_requests_provisioning__connection_id__rejected_requests_get` */
  'GET /provisioning/{connection_id}/rejected-requests': Operation<
    ConnectionPath,
    {
      /** The maximum number to return, the latest first. Default: 100. */
      limit?: number | undefined
    },
    undefined,
    RejectedRequest[]
  >
  /** `list_sign_in_connections_connections_get` */
  'GET /connections': Operation<Empty, Empty, undefined, SignInConnection[]>
  /** `create_sign_in_connection_connections_post` */
  'POST /connections': Operation<Empty, DryRun, CreateSignInConnection, SignInConnection>
  /** `get_sign_in_connection_connections__connection_id__get` */
  'GET /connections/{connection_id}': Operation<ConnectionPath, Empty, undefined, SignInConnection>
  /** `update_sign_in_connection_connections__connection_id__patch` */
  'PATCH /connections/{connection_id}': Operation<
    ConnectionPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateSignInConnection,
    SignInConnection
  >
  /** `delete_sign_in_connection_connections__connection_id__delete` */
  'DELETE /connections/{connection_id}': Operation<
    ConnectionPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfSignInConnectionDeletion
  >
  /** `test_sign_in_connection_connections__connection_id__test_post` */
  'POST /connections/{connection_id}/test': Operation<ConnectionPath, Empty, TestSignInConnection, SignInTrial>
  /** `list_sign_in_failures_connections__connection_id__failures_get` */
  'GET /connections/{connection_id}/failures': Operation<
    ConnectionPath,
    {
      /** Default: 100. */
      limit?: number | undefined
    },
    undefined,
    SignInFailure[]
  >
  /** `list_user_identities_users__user_id__identities_get` */
  'GET /users/{user_id}/identities': Operation<UserPath, Empty, undefined, Identity[]>
  /** `link_user_identity_users__user_id__identities_post` */
  'POST /users/{user_id}/identities': Operation<UserPath, DryRun, LinkUserIdentity, Identity>
  /** `remove_user_identities_users__user_id__identities_delete` */
  'DELETE /users/{user_id}/identities': Operation<UserPath, DryRun, undefined, ConfirmationOfIdentityRemoval>
  /** `remove_user_identity_users__user_id__identities__identity_id__delete` */
  'DELETE /users/{user_id}/identities/{identity_id}': Operation<
    UserPath & {
      /** The id of the identity. */
      identity_id: string
    },
    DryRun,
    undefined,
    ConfirmationOfIdentityRemoval
  >
  /** `list_my_identities_me_identities_get` */
  'GET /me/identities': Operation<Empty, Empty, undefined, Identity[]>
  /** `remove_my_identities_me_identities_delete` */
  'DELETE /me/identities': Operation<Empty, DryRun, undefined, ConfirmationOfIdentityRemoval>
  /** `link_my_identity_me_identities_post` */
  'POST /me/identities': Operation<Empty, Empty, LinkIdentity, LinkStart>
  /** `remove_my_identity_me_identities__identity_id__delete` */
  'DELETE /me/identities/{identity_id}': Operation<
    {
      /** The id of the identity. */
      identity_id: string
    },
    DryRun,
    undefined,
    ConfirmationOfIdentityRemoval
  >
  /** `sync_sign_in_connection_connections__connection_id__sync_post` */
  'POST /connections/{connection_id}/sync': Operation<
    ConnectionPath,
    {
      /** Report what would happen to each user, without changing any. */
      dry_run?: boolean | undefined
      /** The maximum number of users to disable because they are no longer in the directory. */
      max_disabled?: number | undefined
    },
    undefined,
    ImportJob
  >
  /** `get_saml_metadata_connections__connection_id__metadata_get` */
  'GET /connections/{connection_id}/metadata': Operation<ConnectionPath, Empty, undefined, string>
  /** `issue_token_token_post` */
  'POST /token': Operation<Empty, Empty, RequestToken | undefined, AccessToken>
  /** `get_key_set__well_known_jwks_json_get` */
  'GET /.well-known/jwks.json': Operation<Empty, Empty, undefined, { keys: Record<string, unknown>[] }>
  /** `get_issuer__well_known_oauth_authorization_server_get` */
  'GET /.well-known/oauth-authorization-server': Operation<
    Empty,
    Empty,
    undefined,
    { issuer: string; jwks_uri: string }
  >
  /** `list_signing_keys_signing_keys_get` */
  'GET /signing-keys': Operation<Empty, Empty, undefined, SigningKey[]>
  /** `rotate_signing_key_signing_keys_rotate_post` */
  'POST /signing-keys/rotate': Operation<Empty, DryRun, RotateSigningKeys | undefined, SigningKey>
  /** `list_revocations_revocations_get` */
  'GET /revocations': Operation<
    Empty,
    {
      /** Only revocations after this `cursor` or `seq`. Omitted: all that are kept, which is 15 minutes. */
      after?: number | undefined
    },
    undefined,
    Revocations
  >
  /** `list_webhooks_webhooks_get` */
  'GET /webhooks': Operation<Empty, Empty, undefined, WebhookEndpoint[]>
  /** `create_webhook_webhooks_post` */
  'POST /webhooks': Operation<Empty, DryRun, CreateWebhookEndpoint, NewWebhookEndpoint>
  /** `get_webhook_webhooks__endpoint_id__get` */
  'GET /webhooks/{endpoint_id}': Operation<EndpointPath, Empty, undefined, WebhookEndpoint>
  /** `update_webhook_webhooks__endpoint_id__patch` */
  'PATCH /webhooks/{endpoint_id}': Operation<
    EndpointPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    UpdateWebhookEndpoint,
    WebhookEndpoint
  >
  /** `delete_webhook_webhooks__endpoint_id__delete` */
  'DELETE /webhooks/{endpoint_id}': Operation<
    EndpointPath,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    undefined,
    ConfirmationOfWebhookDeletion
  >
  /** `rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post` */
  'POST /webhooks/{endpoint_id}/rotate-secret': Operation<
    EndpointPath,
    DryRun,
    RotateWebhookSecret | undefined,
    NewWebhookEndpoint
  >
  /** `list_deliveries_webhooks__endpoint_id__deliveries_get` */
  'GET /webhooks/{endpoint_id}/deliveries': Operation<
    EndpointPath,
    {
      /** Only deliveries in this state. */
      status?: DeliveryStatus | undefined
      /** The maximum number of deliveries to return. Default: 100. */
      limit?: number | undefined
      /** From the `Link` header of the previous page. */
      cursor?: string | undefined
    },
    undefined,
    WebhookDelivery[]
  >
  /** `get_delivery_webhooks__endpoint_id__deliveries__delivery_id__get` */
  'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}': Operation<
    DeliveryPath,
    Empty,
    undefined,
    WebhookDeliveryWithAttempts
  >
  /** `test_webhook_webhooks__endpoint_id__test_post` */
  'POST /webhooks/{endpoint_id}/test': Operation<EndpointPath, DryRun, undefined, WebhookDelivery>
  /** `redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post` */
  'POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver': Operation<
    DeliveryPath,
    DryRun,
    undefined,
    WebhookDelivery
  >
  /** `list_mails_mails_get` */
  'GET /mails': Operation<
    Empty,
    {
      /** Only messages in this state. */
      status?: MailStatus | undefined
      /** Only messages of this kind. */
      kind?: MailKind | undefined
      /** Only messages to this user. */
      user_id?: string | undefined
      /** Only messages to this address. */
      address?: string | undefined
      /** The maximum number of messages to return. Default: 100. */
      limit?: number | undefined
      /** From the `Link` header of the previous page. */
      cursor?: string | undefined
    },
    undefined,
    Mail[]
  >
  /** `get_mail_mails__mail_id__get` */
  'GET /mails/{mail_id}': Operation<MailPath, Empty, undefined, Mail>
  /** `get_mail_server_mails_server_get` */
  'GET /mails/server': Operation<Empty, Empty, undefined, MailServer>
  /** `preview_mail_mails_preview_post` */
  'POST /mails/preview': Operation<Empty, Empty, PreviewMail, MailPreview>
  /** `retry_mail_mails__mail_id__retry_post` */
  'POST /mails/{mail_id}/retry': Operation<MailPath, DryRun, undefined, Mail>
  /** `release_mails_mails_release_post` */
  'POST /mails/release': Operation<Empty, DryRun, ChooseMails | undefined, ReleasedMails>
  /** `discard_mails_mails_discard_post` */
  'POST /mails/discard': Operation<Empty, DryRun, ChooseMails | undefined, DiscardedMails>
  /** `send_test_mail_mails_test_post` */
  'POST /mails/test': Operation<Empty, DryRun, TestMail, Mail>
  /** `invite_user_users__user_id__invitation_post` */
  'POST /users/{user_id}/invitation': Operation<
    UserPath,
    DryRun & {
      /** Also change what a provisioning connection manages (`managed_elsewhere`). Its next synchronization may undo it. */
      override?: boolean | undefined
    },
    InviteUser | undefined,
    HandedLink
  >
  /** `get_invitation_users__user_id__invitation_get` */
  'GET /users/{user_id}/invitation': Operation<UserPath, Empty, undefined, Invitation>
  /** `withdraw_invitation_users__user_id__invitation_delete` */
  'DELETE /users/{user_id}/invitation': Operation<UserPath, DryRun, undefined, ConfirmationOfWithdrawal>
  /** `create_password_reset_users__user_id__password_reset_post` */
  'POST /users/{user_id}/password-reset': Operation<UserPath, DryRun, HandOutLink | undefined, HandedLink>
  /** `request_password_reset_password_resets_post` */
  'POST /password-resets': Operation<Empty, DryRun, RequestPasswordReset, Record<string, unknown>>
  /** `exchange_cli_login_cli_logins_token_post` */
  'POST /cli-logins/token': Operation<Empty, Empty, ExchangeCliLogin, CliKey>
  /** `introspect_token_introspect_post` */
  'POST /introspect': Operation<Empty, Empty, TokenInQuestion, Introspection>
  /** `revoke_token_revoke_post` */
  'POST /revoke': Operation<Empty, DryRun, TokenInQuestion, Empty>
  /** `list_access_requests_access_requests_get` */
  'GET /access-requests': Operation<
    Empty,
    {
      /** Only requests in this state. */
      state?: AccessRequestState | undefined
      /** Only requests that contain each of these words: in the address, the name or the reason. */
      q?: string | undefined
      /** The maximum number of requests to return. Default: 100. */
      limit?: number | undefined
      /** From the `Link` header of the previous page. */
      cursor?: string | undefined
    },
    undefined,
    AccessRequest[]
  >
  /** `get_access_request_access_requests__request_id__get` */
  'GET /access-requests/{request_id}': Operation<AccessRequestPath, Empty, undefined, AccessRequest>
  /** `decide_access_request_access_requests__request_id__decision_post` */
  'POST /access-requests/{request_id}/decision': Operation<
    AccessRequestPath,
    DryRun,
    DecideAccessRequest,
    DecidedAccessRequest
  >
  /** `list_events_events_get` */
  'GET /events': Operation<
    Empty,
    {
      /** Only events after this `cursor`, or after the event with this `sequence`. Omitted or 0: from the beginning. */
      after?: string | undefined
      /** The maximum number of events to return. Default: 100. */
      limit?: number | undefined
      /** The number of seconds to wait for the next event, if there are no more. */
      wait?: number | undefined
      /** Only events of this type, or of all types of a noun (`user.*`). You can repeat the parameter. */
      type?: EventType | EventType[] | undefined
      /** The `feed_id` that came with `after`: if the history has changed, the response is 410. */
      feed_id?: string | undefined
    },
    undefined,
    EventPage
  >
  /** `list_audit_audit_get` */
  'GET /audit': Operation<
    Empty,
    AuditQuery & {
      /** Only records about this target id. */
      target?: string | undefined
      /** Only records about what belonged to the organization with this `organization_id` at that time, itself included, and about what left it. */
      organization?: string | undefined
    },
    undefined,
    AuditRecord[]
  >
  /** `list_user_audit_users__user_id__audit_get` */
  'GET /users/{user_id}/audit': Operation<UserPath, AuditQuery, undefined, AuditRecord[]>
  /** `get_audit_checkpoint_audit_checkpoint_get` */
  'GET /audit/checkpoint': Operation<Empty, Empty, undefined, AuditCheckpoint>
  /** `get_my_data_me_data_get` */
  'GET /me/data': Operation<Empty, Empty, undefined, OwnData>
  /** `get_branding_branding_get` */
  'GET /branding': Operation<Empty, Empty, undefined, Branding>
  /** `replace_branding_branding_put` */
  'PUT /branding': Operation<
    Empty,
    DryRun & {
      /** Change it although a configuration file manages it (`managed_by` is `file`). The next plan of the file reports the change as drift, and its apply undoes it. */
      override?: boolean | undefined
    },
    SetBranding,
    Branding
  >
  /** `preview_branding_branding_preview_post` */
  'POST /branding/preview': Operation<Empty, Empty, PreviewBranding, BrandingPreview>
  /** `get_organization_branding_organizations__organization_id__branding_get` */
  'GET /organizations/{organization_id}/branding': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    Empty,
    undefined,
    Branding
  >
  /** `replace_organization_branding_organizations__organization_id__branding_put` */
  'PUT /organizations/{organization_id}/branding': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    DryRun,
    SetBranding,
    Branding
  >
  /** `delete_organization_branding_organizations__organization_id__branding_delete` */
  'DELETE /organizations/{organization_id}/branding': Operation<
    {
      /** The id of the organization. */
      organization_id: string
    },
    DryRun,
    undefined,
    ConfirmationOfBrandingDeletion
  >
  /** `live_health_live_get` */
  'GET /health/live': Operation<Empty, Empty, undefined, { status: 'ok' }>
  /** `ready_health_ready_get` */
  'GET /health/ready': Operation<Empty, Empty, undefined, { status: 'ok' }>
  /** `get_deployment_deployment_get` */
  'GET /deployment': Operation<Empty, Empty, undefined, Deployment>
  /** `get_metrics_metrics_get` */
  'GET /metrics': Operation<Empty, Empty, undefined, string>
  /** `list_access_access_get` */
  'GET /access': Operation<
    Empty,
    UserConditions & {
      /** Only users who belong to the organization with this `organization_id`; `none`: who belong to none. */
      organization?: string | undefined
      /** Only users whom this provisioning connection manages: its `connection_id`. */
      managed_by?: string | undefined
      /** Only service accounts, or only people. */
      kind?: 'person' | 'service' | undefined
      /** Only users who were invited and have not set a password yet, whether the link still works or not; or only the others. */
      invited?: boolean | undefined
      /** Only users whose sign-in must wait now because of wrong passwords, everywhere or in some networks or browsers; or only the others. `GET /users/{user_id}/sign-in` says why. */
      locked?: boolean | undefined
      /** Only these users; repeat the parameter, up to 500 times. */
      user_id?: string | string[] | undefined
    },
    undefined,
    AccessSource[]
  >
  /** `list_reviews_reviews_get` */
  'GET /reviews': Operation<Empty, Empty, undefined, Review[]>
  /** `create_review_reviews_post` */
  'POST /reviews': Operation<Empty, DryRun, CreateReview, Review>
  /** `get_review_reviews__review_id__get` */
  'GET /reviews/{review_id}': Operation<
    {
      /** The id of the user. */
      review_id: string
    },
    Empty,
    undefined,
    Review
  >
  /** `update_review_reviews__review_id__patch` */
  'PATCH /reviews/{review_id}': Operation<
    {
      /** The id of the user. */
      review_id: string
    },
    DryRun,
    UpdateReview,
    Review
  >
  /** `decide_review_rows_reviews__review_id__decisions_post` */
  'POST /reviews/{review_id}/decisions': Operation<
    {
      /** The id of the user. */
      review_id: string
    },
    DryRun,
    DecideReviewRows,
    DecidedReviewRows
  >
  /** `list_review_rows_reviews__review_id__rows_get` */
  'GET /reviews/{review_id}/rows': Operation<
    {
      /** The id of the user. */
      review_id: string
    },
    {
      /** Only rows in this state. */
      state?: ReviewRowState | undefined
      /** At most this many; a `Link` leads to the next. */
      limit?: number | undefined
      /** Where the page starts: from the `Link` of the one before. */
      cursor?: string | undefined
    },
    undefined,
    ReviewRow[]
  >
  /** `preview_inactivity_inactivity_preview_post` */
  'POST /inactivity/preview': Operation<Empty, Empty, PreviewInactivity, InactivityPreview>
  /** `confirm_inactivity_inactivity_confirmation_post` */
  'POST /inactivity/confirmation': Operation<Empty, DryRun, undefined, InactivityStop>
  /** `get_configuration_configuration_get` */
  'GET /configuration': Operation<Empty, Empty, undefined, Configuration>
  /** `apply_configuration_configuration_post` */
  'POST /configuration': Operation<
    Empty,
    DryRun & {
      /** How many objects the file may delete. Default: 0. A plan ignores it. */
      allow_delete?: number | undefined
      /** Where the file is from, such as a commit. It is recorded. */
      source?: string | undefined
      /** Objects that get a new secret if they exist, as `keys/main-api`: `provisioning`, `webhooks` and `keys`. Repeat the parameter for several. */
      rotate?: string | string[] | undefined
    },
    Configuration,
    ConfigurationPlan
  >
  /** `get_configuration_history_configuration_history_get` */
  'GET /configuration/history': Operation<Empty, Empty, undefined, ConfigurationHistory>
  /** `get_configuration_schema_configuration_schema_json_get` */
  'GET /configuration.schema.json': Operation<Empty, Empty, undefined, Record<string, unknown>>
  /** `get_statistics_statistics_get` */
  'GET /statistics': Operation<
    Empty,
    {
      /** The number of days to return, up to and including today. */
      days?: number | undefined
    },
    undefined,
    Statistics
  >
}
