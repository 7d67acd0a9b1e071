/** The names of changed members and of details in records, as people read them. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { useAttributeLabels } from '../../data/attributes.ts'

const labels: Record<string, MessageDescriptor> = {
  username: msg`Username`,
  first_name: msg`First name`,
  last_name: msg`Last name`,
  email: msg`Email`,
  email_verified: msg`Email confirmed`,
  pending_email: msg`New email, not confirmed`,
  external_id: msg`External ID`,
  locale: msg`Language`,
  role: msg`Role`,
  active: msg`State`,
  kind: msg`Kind`,
  password: msg`Password`,
  must_change_password: msg`Must choose another password`,
  managed_by: msg`Managed by`,
  name: msg`Name`,
  label: msg`Label`,
  description: msg`Description`,
  permissions: msg`Permissions`,
  groups: msg`Groups`,
  group: msg`Group`,
  expires_at: msg`Expires`,
  url: msg`Address`,
  events: msg`Events`,
  secret: msg`Secret`,
  domains: msg`Domains`,
  profile: msg`Identity provider`,
  connection: msg`Connection`,
  subject: msg`Account at the company`,
  method: msg`Method`,
  reason: msg`Reason`,
  invitation: msg`Invitation`,
  sent: msg`Sent by email`,
  sessions_ended: msg`Ended sessions`,
  restorable_until: msg`Can be restored until`,
  rows_done: msg`Rows`,
  created: msg`Created`,
  updated: msg`Changed`,
  unchanged: msg`Unchanged`,
  skipped: msg`Skipped`,
  rejected: msg`Rejected`,
  users: msg`Users`,
  logo: msg`Logo`,
  logo_dark: msg`Logo on dark ground`,
  accent_color: msg`Accent colour`,
  terms_url: msg`Terms of use`,
  privacy_url: msg`Privacy notice`,
  support_url: msg`Help`,
}

/** Returns the label of a member, or undefined for one that only the API names. */
export function useMemberLabel(): (member: string) => string | undefined {
  const { i18n } = useLingui()
  const attributes = useAttributeLabels()
  return (member) => {
    const label = Object.hasOwn(labels, member) ? labels[member] : undefined
    return label === undefined ? attributes[member] : i18n._(label)
  }
}
