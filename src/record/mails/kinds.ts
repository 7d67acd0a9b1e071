/** The kinds of messages, the values that a template of each may show, and how soon each is sent. */

/** Every message knows these. */
const common = ['product', 'name', 'username'] as const
/** A notice has a button that leads to the account page. */
const noticed = [...common, 'account', 'time'] as const

export const kinds = {
  invitation: [...common, 'link', 'expires'],
  verification: [...common, 'link', 'expires', 'email'],
  password_reset: [...common, 'link', 'expires'],
  sign_in_code: [...common, 'code', 'site', 'expires', 'device', 'address'],
  password_changed: noticed,
  email_changed: [...noticed, 'email'],
  email_requested: noticed,
  email_renewed: [...noticed, 'email'],
  identity_linked: [...noticed, 'connection'],
  impersonated: [...noticed, 'administrator', 'reason'],
  new_sign_in: [...noticed, 'device', 'address'],
  key_created: [...noticed, 'key'],
  factor_added: [...noticed, 'factor'],
  factor_removed: [...noticed, 'factor'],
  factors_reset: noticed,
  recovery_code_used: [...noticed, 'remaining'],
  recovery_codes_replaced: noticed,
  connection_changed: [...noticed, 'connection'],
  certificate_expiring: [...noticed, 'connection'],
  access_ending: noticed,
  access_endings: [...noticed, 'users'],
  inactivity_notice: noticed,
  membership_ending: [...noticed, 'group'],
  notices: [...common, 'account', 'notices'],
  access_request: [...common, 'link', 'expires'],
  access_known: [...common, 'account'],
  access_waiting: [...common, 'time'],
  access_declined: [...common, 'time', 'reason'],
  access_company: [...common, 'account', 'connection'],
  access_requests: [...common, 'requests', 'time'],
  review_due: [...common, 'reviews', 'review', 'time'],
  setup_link: [...common, 'link', 'expires', 'organization'],
  test: [...common, 'time'],
} as const

export type MailKind = keyof typeof kinds
export type Value = (typeof kinds)[MailKind][number]

export const mailKinds = Object.keys(kinds) as MailKind[]

/**
 * `requested`: a user, an administrator or a stranger asked for it; at most five an hour go to an address, and further ones are refused.
 * `recovery`: requested too, but counted by itself: the link with which the owner of a stolen account gets it back.
 * `sign_in`: requested too, and counted by itself: codes, which hold back no other message, and none holds them back.
 * `urgent`: a notice of something that a thief of the account would hide; it never waits behind other messages.
 * `ordinary`: a notice that a thief could cause at will; after three an hour, further ones are gathered in one message (`notices`).
 * `administrative`: the same, to all administrators, counted by itself: no notice on an administrator's own account holds it back.
 * `digest`: stands for all that happened since the last one; at most one an hour.
 */
const paces = {
  invitation: 'requested',
  verification: 'requested',
  password_reset: 'recovery',
  sign_in_code: 'sign_in',
  password_changed: 'urgent',
  email_changed: 'urgent',
  email_requested: 'requested',
  email_renewed: 'urgent',
  identity_linked: 'urgent',
  impersonated: 'urgent',
  new_sign_in: 'ordinary',
  key_created: 'ordinary',
  factor_added: 'urgent',
  factor_removed: 'urgent',
  factors_reset: 'urgent',
  recovery_code_used: 'urgent',
  recovery_codes_replaced: 'urgent',
  connection_changed: 'administrative',
  certificate_expiring: 'ordinary',
  access_ending: 'ordinary',
  access_endings: 'administrative',
  inactivity_notice: 'ordinary',
  membership_ending: 'ordinary',
  notices: 'ordinary',
  access_request: 'requested',
  access_known: 'requested',
  access_waiting: 'requested',
  access_declined: 'requested',
  access_company: 'requested',
  access_requests: 'digest',
  review_due: 'ordinary',
  setup_link: 'requested',
  test: 'requested',
} as const satisfies Record<
  MailKind,
  'requested' | 'recovery' | 'sign_in' | 'urgent' | 'ordinary' | 'administrative' | 'digest'
>

export type Pace = (typeof paces)[MailKind]

export function paceOf(kind: MailKind): Pace {
  return paces[kind]
}

/** Whether a message tells of what has happened, so that it can be gathered with others. */
export function isNotice(kind: MailKind): boolean {
  return !(['requested', 'recovery', 'sign_in', 'digest'] satisfies Pace[] as Pace[]).includes(paces[kind])
}

export function kindsOfPace(pace: Pace): MailKind[] {
  return mailKinds.filter((kind) => paces[kind] === pace)
}

/** Messages to administrators of the service, about the whole of it, wherever these administrators belong. */
export const kindsOfService: readonly MailKind[] = [
  'connection_changed',
  'certificate_expiring',
  'access_endings',
  'access_requests',
  'review_due',
]

/** Where the link of a kind leads, below the base; kinds without a link are missing. */
export const linkPaths: Partial<Readonly<Record<MailKind, string>>> = {
  invitation: '/invitation',
  verification: '/verify-email',
  password_reset: '/reset-password',
  access_request: '/request-access',
  setup_link: '/setup',
}

/** The page on which users look after their own account. Only this function knows its address. */
export function accountUrl(publicUrl: string): string {
  return `${publicUrl}/account`
}

/** Where administrators read requests for access. */
export function requestsUrl(publicUrl: string): string {
  return `${publicUrl}/console/access-requests`
}

/** Where reviewers find access reviews. */
export function reviewsUrl(publicUrl: string): string {
  return `${publicUrl}/console/reviews`
}

/** What the row of a message keeps: instants and names as they were, formatted only when it is sent. */
export type MailData = Partial<
  Record<
    Exclude<Value, 'product' | 'link' | 'code' | 'site' | 'expires' | 'account' | 'requests' | 'reviews' | 'notices'>,
    string
  >
>

/** A notice in a message that gathers several. `count`: how often the same happened; then `data` tells of the last time. */
export type GatheredNotice = { kind: MailKind; data: MailData; count: number }

export type GatheredData = MailData & { notices: GatheredNotice[] }
