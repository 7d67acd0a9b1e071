/** The kinds of messages, and the values that a template of each may show. */

/** Every message knows these. */
const common = ['product', 'name', 'username'] as const

export const kinds = {
  invitation: [...common, 'link', 'expires'],
  verification: [...common, 'link', 'expires', 'email'],
  password_reset: [...common, 'link', 'expires'],
  password_changed: [...common, 'time'],
  email_changed: [...common, 'time', 'email'],
  email_requested: [...common, 'time'],
  email_renewed: [...common, 'time', 'email'],
  identity_linked: [...common, 'time', 'connection'],
  impersonated: [...common, 'time', 'administrator', 'reason'],
  new_sign_in: [...common, 'time', 'device', 'address'],
  key_created: [...common, 'time', 'key'],
  factor_added: [...common, 'time', 'factor'],
  factor_removed: [...common, 'time', 'factor'],
  factors_reset: [...common, 'time'],
  recovery_code_used: [...common, 'time', 'remaining'],
  recovery_codes_replaced: [...common, 'time'],
  connection_changed: [...common, 'time', 'connection'],
  certificate_expiring: [...common, 'time', 'connection'],
  test: [...common, 'time'],
} as const

export type MailKind = keyof typeof kinds
export type Value = (typeof kinds)[MailKind][number]

export const mailKinds = Object.keys(kinds) as MailKind[]

/** Where the link of a kind leads, below the base; kinds without a link are missing. */
export const linkPaths: Partial<Readonly<Record<MailKind, string>>> = {
  invitation: '/invitation',
  verification: '/verify-email',
  password_reset: '/reset-password',
}

/** What the row of a message keeps: instants and names as they were, formatted only when it is sent. */
export type MailData = Partial<Record<Exclude<Value, 'product' | 'link' | 'expires'>, string>>
