/** Ready mappings: systems whose exports need no reader of their own, only names, and sometimes a value to be computed. */
import { OperatorError } from '../../core/errors.ts'
import { type JsonObject, listOf, objectOf, textOf, textsOf } from '../reading/json.ts'
import { topOf } from '../reading/path.ts'
import { recordsIn } from '../reading/records.ts'
import type { LeftOut, SourceOptions } from '../reading/source.ts'
import { marksOf, systemCheck } from '../reading/system-check.ts'
import { personOf, readMapping } from './mapping.ts'
import { rolesInMetadata } from './metadata.ts'
import {
  attributeLeftBehind,
  type Found,
  phoneLeftBehind,
  pictureLeftBehind,
  secondFactorLeftBehind,
  shortened,
  signInWithLeftBehind,
} from './person.ts'
import { betterAuthHash, clerkHash, discourseHash, fusionAuthHash } from './systems-hashes.ts'

type Left = Omit<LeftOut, 'of'>

type System = {
  expected: string
  lists: readonly string[]
  /** Members beside the list that hold for all its users, if they come before it. */
  beside?: readonly string[]
  /** As --mapping takes it. */
  mapping: object
  /** Why no user has a password, for exports without passwords. */
  noPassword?: string | ((record: JsonObject) => string)
  /** Members that say nothing of the user, or that `prepare` and `left` read. */
  ignored: RegExp
  /** Computes what the mapping reads, or says why an entry is no user. */
  prepare?: (record: JsonObject, options: SourceOptions) => JsonObject | { leftOut: Left }
  /** Data that cannot be carried over, besides the members that the mapping does not name. */
  left?: (record: JsonObject) => (Left | undefined | false)[]
}

const unavailable = (system: string) =>
  `${system} exports no password hashes; the user cannot sign in until a password is set`

const systems = {
  entra: {
    expected: "users of Entra ID: the responses of Microsoft Graph's GET /users, or the CSV that the portal downloads",
    lists: ['value'],
    mapping: {
      id: 'id',
      username: 'userPrincipalName',
      email: ['mail', 'otherMails.0', 'alternateEmailAddress'],
      first_name: 'givenName',
      last_name: 'surname',
      name: 'displayName',
      active: 'accountEnabled',
      created_at: 'createdDateTime',
      last_login_at: 'signInActivity.lastSignInDateTime',
      phone: ['mobilePhone', 'businessPhones.0', 'telephoneNumber'],
    },
    noPassword: unavailable('Entra ID'),
    ignored: /^(?:@odata\..*|userType|identityIssuer|directorySynced|creationType)$/,
    prepare: (user) =>
      // A guest's own address, in place of ada_example.com#EXT#@tenant.
      /#EXT#/.test(textOf(user.userPrincipalName) ?? '') && textOf(user.mail) !== undefined
        ? { ...user, userPrincipalName: user.mail }
        : user,
  },
  'google-workspace': {
    expected: "users of Google Workspace: the Directory API's responses, or the CSV that the Admin console downloads",
    lists: ['users'],
    mapping: {
      id: 'id',
      username: ['primaryEmail', 'Email Address [Required]'],
      email: ['primaryEmail', 'Email Address [Required]'],
      first_name: ['name.givenName', 'First Name [Required]'],
      last_name: ['name.familyName', 'Last Name [Required]'],
      name: 'name.fullName',
      role: 'rollbookRoles',
      active: 'rollbookActive',
      created_at: 'creationTime',
      last_login_at: 'rollbookLastLogin',
      phone: [
        'phones[primary=true].value',
        'recoveryPhone',
        'Mobile Phone',
        'Recovery Phone [MUST BE IN THE E.164 FORMAT]',
      ],
    },
    noPassword: unavailable('Google Workspace'),
    ignored:
      /^(?:kind|etag|name|customerId|isMailboxSetup|agreedToTerms|isEnforcedIn2Sv|isEnrolledIn2Sv|ipWhitelisted|isAdmin|isDelegatedAdmin|suspended|archived|lastLoginTime|emails|nonEditableAliases|thumbnailPhoto\w+|Status \[READ ONLY\]|Last Sign In \[READ ONLY\]|2sv .*|Password .*|New .*|New Primary Email.*|.*Usage.*|.*Storage.*|Change Password at Next Sign-In|includeInGlobalAddressList)$/i,
    prepare: (user) => {
      const status = textOf(user['Status [READ ONLY]'])
      const last = textOf(user.lastLoginTime ?? user['Last Sign In [READ ONLY]'])
      return {
        ...user,
        rollbookActive: status === undefined ? !isSaid(user.suspended) && !isSaid(user.archived) : status === 'Active',
        rollbookRoles: [
          ...(isSaid(user.isAdmin) ? ['super-admin'] : []),
          ...(isSaid(user.isDelegatedAdmin) ? ['delegated-admin'] : []),
        ],
        // Both systems write this value for "never".
        ...(last !== undefined &&
          !/^(?:1970|Never)/.test(last) && { rollbookLastLogin: last.replace(/^(\d+)\/(\d+)\//, '$1-$2-') }),
      }
    },
    left: (user) => [
      isSaid(user.isEnrolledIn2Sv ?? user['2sv Enrolled [READ ONLY]']) && secondFactorLeftBehind('2-step verification'),
    ],
  },
  okta: {
    expected: "users of Okta: the responses of its API's GET /api/v1/users",
    lists: [],
    mapping: {
      id: 'id',
      username: 'profile.login',
      email: 'profile.email',
      first_name: 'profile.firstName',
      last_name: 'profile.lastName',
      name: 'profile.displayName',
      active: {
        path: 'status',
        values: {
          ACTIVE: true,
          PASSWORD_EXPIRED: true,
          RECOVERY: true,
          LOCKED_OUT: true,
          PROVISIONED: true,
          STAGED: false,
          SUSPENDED: false,
          DEPROVISIONED: false,
        },
      },
      created_at: 'created',
      last_login_at: 'lastLogin',
      phone: ['profile.mobilePhone', 'profile.primaryPhone'],
    },
    noPassword: unavailable('Okta'),
    ignored:
      /^(?:_links|_embedded|type|activated|statusChanged|transitioningToStatus|lastUpdated|passwordChanged|credentials|realmId|profile)$/,
    left: (user) => {
      const provider = textOf(objectOf(objectOf(user.credentials).provider).type) ?? 'OKTA'
      const known = /^(?:login|email|firstName|lastName|displayName|mobilePhone|primaryPhone)$/
      return [
        provider !== 'OKTA' && provider !== 'IMPORT' && signInWithLeftBehind(provider),
        ...Object.entries(objectOf(user.profile)).map(
          ([name, value]) => !known.test(name) && isSaid(value) && attributeLeftBehind(`profile.${name}`),
        ),
      ]
    },
  },
  clerk: {
    expected: "users of Clerk: the CSV that the dashboard exports, or the responses of the Backend API's GET /v1/users",
    lists: ['data'],
    mapping: {
      id: 'id',
      username: 'username',
      email: ['primary_email_address', 'rollbookEmail', 'email_addresses.0.email_address'],
      email_verified: 'rollbookVerified',
      first_name: 'first_name',
      last_name: 'last_name',
      role: 'rollbookRoles',
      active: { path: 'banned', values: { true: false, false: true } },
      password_hash: 'rollbookHash',
      created_at: 'created_at',
      last_login_at: 'last_sign_in_at',
      phone: ['primary_phone_number', 'rollbookPhone', 'phone_numbers.0.phone_number'],
    },
    noPassword: 'none in the file: the user has none, or the file is from the API, which has no hashes; export the CSV',
    ignored:
      /^(?:object|(?:primary_\w+|verified_\w+|unverified_\w+|email_addresses|phone_numbers|\w+_at|\w+_enabled|has_image|image_url|profile_image_url|password_\w+|totp_secret|backup_code\w*|public_metadata|private_metadata|unsafe_metadata|external_accounts|enterprise_accounts|saml_accounts|passkeys|web3_wallets|locked|lockout_expires_in_seconds|verification_attempts_remaining|delete_self_enabled|create_organization\w*|legal_accepted_at|requires_password_reset|bypass_client_trust|locale|mfa_\w+))$/,
    prepare: (user) => {
      const email = byId(user.email_addresses, user.primary_email_address_id)
      const phone = byId(user.phone_numbers, user.primary_phone_number_id)
      const unverified = (textOf(user.unverified_email_addresses) ?? '').split(/[|,;\s]+/)
      const status = textOf(objectOf(email.verification).status)
      const address = textOf(user.primary_email_address)
      return {
        ...user,
        rollbookEmail: email.email_address,
        rollbookPhone: phone.phone_number,
        ...(status !== undefined && { rollbookVerified: status === 'verified' }),
        ...(address !== undefined && { rollbookVerified: !unverified.includes(address) }),
        // Only the product's server can write these two.
        rollbookRoles: [
          ...rolesInMetadata(objectOf(user.public_metadata)),
          ...rolesInMetadata(objectOf(user.private_metadata)),
        ],
        rollbookHash: clerkHash(user),
      }
    },
    left: (user) => [
      (textOf(user.totp_secret) !== undefined || isSaid(user.totp_enabled)) && secondFactorLeftBehind('totp'),
      listOf(user.passkeys).length > 0 && secondFactorLeftBehind('passkey'),
      ...[...listOf(user.external_accounts), ...listOf(user.enterprise_accounts), ...listOf(user.saml_accounts)].map(
        (account) => signInWithLeftBehind(textOf(objectOf(account).provider) ?? 'another provider'),
      ),
      isSaid(user.has_image) && pictureLeftBehind,
      ...(['public_metadata', 'private_metadata', 'unsafe_metadata'] as const).flatMap((name) =>
        Object.keys(objectOf(user[name]))
          .filter((key) => name === 'unsafe_metadata' || (key !== 'role' && key !== 'roles'))
          .map((key) => attributeLeftBehind(`${name}.${key}`)),
      ),
    ],
  },
  fusionauth: {
    expected: "users of FusionAuth: the responses of its API's user search, or a file for its import API",
    lists: ['users'],
    beside: ['encryptionScheme', 'factor'],
    mapping: {
      id: 'id',
      username: 'username',
      email: 'email',
      email_verified: 'verified',
      first_name: 'firstName',
      last_name: 'lastName',
      name: 'fullName',
      role: 'registrations[].roles',
      active: 'active',
      password_hash: 'rollbookHash',
      must_change_password: 'passwordChangeRequired',
      created_at: 'insertInstant',
      last_login_at: 'lastLoginInstant',
      phone: ['mobilePhone', 'phoneNumber'],
    },
    noPassword: (user) =>
      textOf(user.encryptionScheme) !== undefined && textOf(user.password) !== undefined
        ? `hashed with ${shortened(textOf(user.encryptionScheme) ?? '')}, which Rollbook does not support`
        : 'none in the file: the search API has no hashes; ask FusionAuth for an export with them, or read the database',
    ignored:
      /^(?:tenantId|connectorId|lastUpdateInstant|verifiedInstant|usernameStatus|passwordLastUpdateInstant|breachedPassword\w*|uniqueUsername|encryptionScheme|factor|salt|password|data|twoFactor|imageUrl|memberships|registrations|preferredLanguages|identities|cleanSpeakId|passwordChangeReason)$/,
    prepare: (user) => ({ ...user, rollbookHash: fusionAuthHash(user) }),
    left: (user) => [
      textOf(user.imageUrl) !== undefined && pictureLeftBehind,
      ...listOf(objectOf(user.twoFactor).methods).map((method) =>
        secondFactorLeftBehind(textOf(objectOf(method).method) ?? 'unknown'),
      ),
      ...Object.keys(objectOf(user.data)).map((name) => attributeLeftBehind(`data.${name}`)),
    ],
  },
  wordpress: {
    expected: 'users of WordPress: wp user list --format=json or csv, or the table wp_users as JSON or CSV',
    lists: ['data'],
    mapping: {
      id: 'ID',
      username: 'user_login',
      email: 'user_email',
      first_name: 'first_name',
      last_name: 'last_name',
      name: 'display_name',
      role: 'rollbookRoles',
      active: 'rollbookActive',
      password_hash: 'user_pass',
      created_at: 'rollbookCreated',
    },
    noPassword: 'none in the file: name the field user_pass in the command, as the guide shows',
    ignored:
      /^(?:user_nicename|user_registered|user_activation_key|user_status|roles|spam|deleted|nickname|filter|caps|cap_key|allcaps)$/,
    prepare: (user) => {
      if (textOf(user.user_login) === undefined && ['header', 'database'].includes(textOf(user.type) ?? ''))
        return { leftOut: { what: 'header of phpMyAdmin', why: 'no user' } }
      return {
        ...user,
        rollbookRoles: Array.isArray(user.roles) ? textsOf(user.roles) : (textOf(user.roles) ?? '').split(/[\s,]+/),
        rollbookActive: !isSaid(user.spam) && !isSaid(user.deleted),
        ...(!/^0000/.test(textOf(user.user_registered) ?? '0000') && { rollbookCreated: user.user_registered }),
      }
    },
  },
  discourse: {
    expected:
      'users of Discourse: its CSV export of the user list, or the tables users and user_passwords as CSV or JSON',
    lists: ['users'],
    mapping: {
      id: 'id',
      username: 'username',
      email: ['email', 'primary_email'],
      name: 'name',
      role: 'rollbookRoles',
      active: 'rollbookActive',
      password_hash: 'rollbookHash',
      created_at: 'created_at',
      last_login_at: 'last_seen_at',
    },
    noPassword: 'none in the file: the export of the user list has no hashes; read the tables, as the guide shows',
    ignored:
      /^(?:username_lower|active|admin|moderator|staged|suspended_\w+|silenced_\w+|trust_level|approved\w*|ip_address|last_(?:posted|emailed)_at|posts_read_count|topics_entered|post_count|topic_count|likes_\w+|time_read|days_visited|password_\w+|salt|group_names|views|updated_at|secondary_emails)$/,
    prepare: (user, { now }) => {
      if (isSaid(user.staged))
        return { leftOut: { what: 'staged user', why: 'a sender of messages without an account' } }
      const until = Date.parse(textOf(user.suspended_till) ?? '')
      return {
        ...user,
        rollbookRoles: [
          ...(isSaid(user.admin) ? ['admin'] : []),
          ...(isSaid(user.moderator) ? ['moderator'] : []),
          ...(textOf(user.group_names) ?? '').split(';').filter((name) => !/^(?:trust_level_\d|)$/.test(name)),
        ],
        rollbookActive: (user.active === undefined || isSaid(user.active)) && !(until > now.getTime()),
        rollbookHash: discourseHash(user),
      }
    },
    left: (user) => [(textOf(user.secondary_emails) ?? '') !== '' && attributeLeftBehind('secondary_emails')],
  },
  gitlab: {
    expected:
      "users of GitLab: the responses of its API's GET /users as an administrator, or the table users as CSV or JSON",
    lists: [],
    mapping: {
      id: 'id',
      username: 'username',
      email: 'email',
      email_verified: 'rollbookVerified',
      name: 'name',
      role: 'rollbookRoles',
      active: { path: 'state', values: { active: true }, otherwise: 'false' },
      password_hash: 'encrypted_password',
      created_at: 'created_at',
      last_login_at: ['current_sign_in_at', 'last_sign_in_at'],
    },
    noPassword: 'none in the file: the API has no hashes; read the table users, as the guide shows',
    ignored:
      /^(?:confirmed_at|is_admin|admin|external|is_auditor|auditor|bot|user_type|web_url|avatar_url|identities|two_factor_enabled|otp_required_for_login|projects_limit|last_sign_in_at|current_sign_in_ip|last_sign_in_ip|last_activity_on|theme_id|color_scheme_id|can_\w+|private_profile|commit_email|public_email|namespace_id|created_by|sign_in_count|is_followed|followers|following|work_information|local_time|locked|shared_runners_minutes_limit|extra_shared_runners_minutes_limit|scim_identities|email_reset_offered_at|using_license_seat|provisioned_by_group_id|enterprise_group\w*|updated_at|key|preferred_language)$/,
    prepare: (user) => {
      const type = textOf(user.user_type)
      if (isSaid(user.bot) || (type !== undefined && type !== '0' && type !== 'human'))
        return { leftOut: { what: 'service account', why: 'a bot, not a person; create an API key instead' } }
      return {
        ...user,
        ...('confirmed_at' in user && { rollbookVerified: textOf(user.confirmed_at) !== undefined }),
        rollbookRoles: [
          ...(isSaid(user.is_admin ?? user.admin) ? ['admin'] : []),
          ...(isSaid(user.is_auditor ?? user.auditor) ? ['auditor'] : []),
          ...(isSaid(user.external) ? ['external'] : []),
        ],
      }
    },
    left: (user) => [
      isSaid(user.two_factor_enabled ?? user.otp_required_for_login) && secondFactorLeftBehind('two-factor'),
      ...listOf(user.identities).map((identity) =>
        signInWithLeftBehind(textOf(objectOf(identity).provider) ?? 'another provider'),
      ),
    ],
  },
  logto: {
    expected:
      "users of Logto: one JSON object per line as the query in docs/migrate/logto.md writes them, or the responses of its API's GET /api/users",
    lists: ['users'],
    mapping: {
      id: 'id',
      username: 'username',
      email: ['primary_email', 'primaryEmail'],
      name: 'name',
      first_name: 'profile.givenName',
      last_name: 'profile.familyName',
      role: 'rollbookRoles',
      active: 'rollbookActive',
      password_hash: 'rollbookHash',
      created_at: ['created_at', 'createdAt'],
      last_login_at: ['last_sign_in_at', 'lastSignInAt'],
      phone: ['primary_phone', 'primaryPhone'],
    },
    noPassword: (user) => {
      const method = textOf(user.password_encryption_method)
      return method === undefined
        ? 'none in the file: the user has none, or the file is from the API, which has no hashes; read the database'
        : `hashed with ${shortened(method)}, which Rollbook does not support`
    },
    ignored:
      /^(?:tenant_id|password_\w+|hasPassword|profile|custom_data|customData|is_suspended|isSuspended|identities|logto_config|logtoConfig|mfa_verifications|mfaVerificationFactors|ssoIdentities|sso_identities|application_id|applicationId|updated_at|updatedAt|roles|organizations|avatar)$/,
    prepare: (user) => ({
      ...user,
      rollbookActive: !isSaid(user.is_suspended ?? user.isSuspended),
      rollbookRoles: listOf(user.roles).map((role) => textOf(role) ?? textOf(objectOf(role).name) ?? ''),
      ...(/^(?:argon2|bcrypt)/i.test(textOf(user.password_encryption_method) ?? '') && {
        rollbookHash: user.password_encrypted,
      }),
    }),
    left: (user) => [
      isSaid(user.avatar) && pictureLeftBehind,
      ...[...listOf(user.mfa_verifications), ...listOf(user.mfaVerificationFactors)].map((factor) =>
        secondFactorLeftBehind(textOf(factor) ?? textOf(objectOf(factor).type) ?? 'unknown'),
      ),
      ...Object.keys(objectOf(user.identities)).map(signInWithLeftBehind),
      ...Object.keys(objectOf(user.custom_data ?? user.customData)).map((name) =>
        attributeLeftBehind(`custom_data.${name}`),
      ),
    ],
  },
  'better-auth': {
    expected: 'users of Better Auth: one JSON object per line, as the query in docs/migrate/better-auth.md writes them',
    lists: ['users', 'user'],
    mapping: {
      id: 'id',
      username: ['displayUsername', 'username'],
      email: 'email',
      email_verified: 'emailVerified',
      name: 'name',
      role: 'rollbookRoles',
      active: 'rollbookActive',
      password_hash: 'rollbookHash',
      created_at: 'createdAt',
      phone: 'phoneNumber',
    },
    noPassword:
      'none in the file: the user has none, or the file is the table user, which has no hashes; run the query',
    ignored:
      /^(?:username|image|updatedAt|role|banned|banReason|banExpires|twoFactorEnabled|phoneNumberVerified|isAnonymous|credentialPassword|providers|organizations|lastLoginMethod)$/,
    prepare: (user, { now }) => {
      if (isSaid(user.isAnonymous)) return { leftOut: { what: 'anonymous user', why: 'a visitor without an account' } }
      const until = Date.parse(textOf(user.banExpires) ?? '')
      return {
        ...user,
        rollbookActive: !isSaid(user.banned) || until <= now.getTime(),
        rollbookRoles: (textOf(user.role) ?? '')
          .split(',')
          .map((role) => role.trim())
          .filter((role) => role !== 'user'),
        rollbookHash: betterAuthHash(user.credentialPassword),
      }
    },
    left: (user) => [
      isSaid(user.image) && pictureLeftBehind,
      isSaid(user.twoFactorEnabled) && secondFactorLeftBehind('two-factor'),
      ...textsOf(user.providers)
        .filter((provider) => provider !== 'credential')
        .map(signInWithLeftBehind),
    ],
  },
  scim: {
    expected: 'users in SCIM 2.0: a list response of GET /Users, or an array of users',
    lists: ['Resources'],
    mapping: {
      id: 'id',
      external_id: 'externalId',
      username: 'userName',
      email: ['emails[primary=true].value', 'emails[type=work].value', 'emails.0.value', 'emails.0'],
      first_name: 'name.givenName',
      last_name: 'name.familyName',
      name: ['displayName', 'name.formatted'],
      role: ['rollbookGroups', 'roles[].value'],
      active: 'active',
      created_at: 'meta.created',
      phone: ['phoneNumbers[primary=true].value', 'phoneNumbers.0.value'],
    },
    noPassword: 'SCIM never returns passwords; the user cannot sign in until a password is set',
    ignored: /^(?:schemas|meta|name|emails|phoneNumbers|groups|roles|photos)$/,
    prepare: (user) => ({
      ...user,
      rollbookGroups: listOf(user.groups)
        .map(objectOf)
        .map((group) => textOf(group.display) ?? textOf(group.value)),
    }),
    left: (user) => [listOf(user.photos).length > 0 && pictureLeftBehind],
  },
} as const satisfies Record<string, System>

type MappedSystem = keyof typeof systems

export function readSystem(name: MappedSystem) {
  const { expected, lists, beside = [], mapping, noPassword, ignored, prepare, left }: System = systems[name]
  const read = readMapping(JSON.stringify({ members: mapping }))
  const known = new Set([...read.paths].flatMap((path) => [path, topOf(path)]))
  return async function* (input: AsyncIterable<Uint8Array>, options: SourceOptions): AsyncGenerator<Found> {
    const check = systemCheck(name, expected, { isStrict: true })
    let hasRecords = false
    const common: JsonObject = {}
    const besides = Object.fromEntries(
      beside.map((name) => [
        name,
        (value: unknown) => {
          common[name] = value
        },
      ]),
    )
    for await (const one of recordsIn(input, expected, {
      lists,
      single: marksOf(name).filter((mark) => !beside.includes(mark)),
      beside: besides,
    })) {
      if ('leftOut' in one) {
        yield one
        continue
      }
      const { id, place, line } = one
      const record = { ...common, ...one.record }
      hasRecords = true
      const found = prepare?.(record, options) ?? record
      if ('leftOut' in found) {
        const of = textOf(record.id)
        if (!(found.leftOut as Left).what.startsWith('header'))
          yield { leftOut: { ...(found.leftOut as Left), ...(of !== undefined && { of }) } }
        continue
      }
      check(record, place)
      const others = Object.keys(record).filter(
        (member) => !known.has(member) && !ignored.test(member) && isSaid(record[member]),
      )
      const person = personOf(found, id, read, {
        ...(noPassword !== undefined && {
          noPassword: typeof noPassword === 'string' ? noPassword : noPassword(record),
        }),
        left: [
          ...(left?.(record) ?? []),
          ...others.map((member) =>
            /photo|picture|avatar/i.test(member) ? pictureLeftBehind : attributeLeftBehind(member),
          ),
        ],
      })
      yield {
        person:
          person.phone === undefined ? person : { ...person, leftBehind: [phoneLeftBehind, ...person.leftBehind] },
        line,
      }
    }
    if (!hasRecords) throw new OperatorError(`The input has no users; expected ${expected}.`)
  }
}

/** Whether a flag is set, or a member has a value at all. */
function isSaid(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false
  if (typeof value === 'object') return Object.keys(value).length > 0
  return typeof value !== 'string' || !/^(?:|0|f|false|no)$/i.test(value.trim())
}

function byId(list: unknown, id: unknown): JsonObject {
  return (
    listOf(list)
      .map(objectOf)
      .find((one) => id !== undefined && one.id === id) ?? {}
  )
}
