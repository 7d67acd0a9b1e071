/** The words for recorded actions. Unknown actions are shown as they are. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { AuditRecord } from 'rollbook/client'

const words: Record<string, MessageDescriptor> = {
  'user.created': msg`User created`,
  'user.updated': msg`User changed`,
  'user.password_set': msg`Password set`,
  'user.deleted': msg`User deleted`,
  'user.restored': msg`User restored`,
  'user.erased': msg`User erased`,
  'user.unlocked': msg`User unlocked`,
  'user.impersonated': msg`Acted as the user`,
  'user.sessions_ended': msg`Signed out everywhere`,
  'user.factors_reset': msg`Second factors removed`,
  'user.identity_linked': msg`Company account linked`,
  'user.identity_removed': msg`Company account unlinked`,
  'user.identities_removed': msg`All company accounts unlinked`,
  'invitation.created': msg`Invited`,
  'invitation.withdrawn': msg`Invitation withdrawn`,
  'password_reset.created': msg`Link to reset the password created`,
  'password_reset.requested': msg`Password reset requested`,
  'verification.created': msg`Email confirmation sent`,
  'users.exported': msg`Users exported with password hashes`,
  'import.finished': msg`Import finished`,
  'import.cancelled': msg`Import cancelled`,
  'session.created': msg`Signed in`,
  'session.ended': msg`Signed out`,
  'factor.begun': msg`Setup of a second factor started`,
  'factor.added': msg`Second factor added`,
  'factor.renamed': msg`Second factor renamed`,
  'factor.removed': msg`Second factor removed`,
  'recovery_codes.replaced': msg`Recovery codes replaced`,
  'trusted_browser.removed': msg`Trusted browser removed`,
  'session.challenged': msg`Second factor requested`,
  'session.reauthenticated': msg`Confirmed identity`,
  'key.created': msg`API key created`,
  'key.rotated': msg`API key rotated`,
  'key.revoked': msg`API key revoked`,
  'token.revoked': msg`Access token revoked`,
  'signing_key.created': msg`Signing key created`,
  'signing_key.rotated': msg`Signing key rotated`,
  'group.created': msg`Group created`,
  'group.updated': msg`Group changed`,
  'group.deleted': msg`Group deleted`,
  'group.member_added': msg`Added to a group`,
  'group.member_removed': msg`Removed from a group`,
  'attribute.created': msg`Attribute created`,
  'attribute.updated': msg`Attribute changed`,
  'attribute.deleted': msg`Attribute deleted`,
  'connection.created': msg`Provisioning connection created`,
  'connection.updated': msg`Provisioning connection changed`,
  'connection.deleted': msg`Provisioning connection deleted`,
  'sign_in_connection.created': msg`Sign-in connection created`,
  'sign_in_connection.updated': msg`Sign-in connection changed`,
  'sign_in_connection.deleted': msg`Sign-in connection deleted`,
  'sign_in_connection.tested': msg`Sign-in connection tested`,
  'sign_in_connection.sync_started': msg`Directory synchronization started`,
  'sign_in_connection.signed_out': msg`Signed out by the company`,
  'sign_in_connection.certificate_expiring': msg`Certificate expires soon`,
  'webhook.created': msg`Webhook created`,
  'webhook.updated': msg`Webhook changed`,
  'webhook.deleted': msg`Webhook deleted`,
  'webhook.secret_rotated': msg`Webhook secret rotated`,
  'webhook.tested': msg`Webhook tested`,
  'webhook.disabled': msg`Webhook disabled after failures`,
  'delivery.repeated': msg`Webhook delivery sent again`,
  'mail.tested': msg`Test message sent`,
  'mail.repeated': msg`Message sent again`,
  'mails.released': msg`Held messages sent`,
  'mails.discarded': msg`Held messages discarded`,
  'authorization.refused': msg`Request refused`,
  'roles.changed': msg`Roles changed in the configuration`,
  'setup.link_created': msg`Link for the first administrator created`,
  'audit.pruned': msg`Old records removed`,
  'secrets.rotated': msg`Secrets encrypted with another secret`,
  'store.restored': msg`Store restored from a backup`,
}

/** By noun, in the order in which people look for them. */
export const actionGroups: { noun: string; title: MessageDescriptor }[] = [
  { noun: 'user', title: msg`Users` },
  { noun: 'invitation', title: msg`Invitations` },
  { noun: 'password_reset', title: msg`Password resets` },
  { noun: 'verification', title: msg`Confirmed addresses` },
  { noun: 'users', title: msg`Exports` },
  { noun: 'import', title: msg`Imports` },
  { noun: 'session', title: msg`Sign-ins` },
  { noun: 'factor', title: msg`Second factors` },
  { noun: 'recovery_codes', title: msg`Recovery codes` },
  { noun: 'trusted_browser', title: msg`Trusted browsers` },
  { noun: 'group', title: msg`Groups` },
  { noun: 'authorization', title: msg`Refusals` },
  { noun: 'key', title: msg`API keys` },
  { noun: 'token', title: msg`Tokens` },
  { noun: 'signing_key', title: msg`Signing keys` },
  { noun: 'attribute', title: msg`Attributes` },
  { noun: 'connection', title: msg`Provisioning` },
  { noun: 'sign_in_connection', title: msg`Company sign-in` },
  { noun: 'webhook', title: msg`Webhooks` },
  { noun: 'delivery', title: msg`Deliveries` },
  { noun: 'mail', title: msg`Messages` },
  { noun: 'setup', title: msg`First administrator` },
  { noun: 'roles', title: msg`Roles` },
  { noun: 'audit', title: msg`Audit` },
  { noun: 'store', title: msg`Store` },
]

export const everyAction = Object.keys(words)

export function actionWords(action: string): MessageDescriptor | undefined {
  return words[action]
}

/** Returns the words for a record; undefined for an action that has none. */
export function recordWords({
  action,
  outcome,
}: Pick<AuditRecord, 'action' | 'outcome'>): MessageDescriptor | undefined {
  if (action === 'session.created' && outcome === 'failure') return msg`Sign-in failed`
  return words[action]
}
