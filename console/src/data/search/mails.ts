/** The state of the messages page, as its address has it. The filters are those of the API. */
import type { MailKind, MailStatus } from 'rollbook/client'

export const mailStatuses = ['waiting', 'held', 'sent', 'failed', 'cancelled'] as const satisfies readonly MailStatus[]

export const mailKinds = [
  'invitation',
  'verification',
  'password_reset',
  'sign_in_code',
  'password_changed',
  'email_changed',
  'email_requested',
  'email_renewed',
  'identity_linked',
  'impersonated',
  'new_sign_in',
  'key_created',
  'factor_added',
  'factor_removed',
  'factors_reset',
  'recovery_code_used',
  'recovery_codes_replaced',
  'connection_changed',
  'certificate_expiring',
  'access_ending',
  'access_endings',
  'inactivity_notice',
  'membership_ending',
  'notices',
  'access_request',
  'access_known',
  'access_waiting',
  'access_declined',
  'access_company',
  'access_requests',
  'review_due',
  'setup_link',
  'test',
] as const satisfies readonly MailKind[]

export type MailsSearch = { status?: MailStatus; kind?: MailKind; user_id?: string }

/** Reads an address. Invalid values are left out. */
export function mailsSearch({ status, kind, user_id }: Record<string, unknown>): MailsSearch {
  const state = mailStatuses.find((one) => one === status)
  const about = mailKinds.find((one) => one === kind)
  return {
    ...(state !== undefined && { status: state }),
    ...(about !== undefined && { kind: about }),
    ...(typeof user_id === 'string' && /^[0-9a-f-]{36}$/i.test(user_id) && { user_id }),
  }
}
