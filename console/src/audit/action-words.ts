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
  'users.exported': msg`Users exported with password hashes`,
  'import.finished': msg`Import finished`,
  'import.cancelled': msg`Import cancelled`,
  'session.created': msg`Signed in`,
  'session.ended': msg`Signed out`,
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
  'webhook.created': msg`Webhook created`,
  'webhook.updated': msg`Webhook changed`,
  'webhook.deleted': msg`Webhook deleted`,
  'webhook.secret_rotated': msg`Webhook secret rotated`,
  'webhook.tested': msg`Webhook tested`,
  'webhook.disabled': msg`Webhook disabled after failures`,
  'delivery.repeated': msg`Webhook delivery sent again`,
  'authorization.refused': msg`Request refused`,
  'roles.changed': msg`Roles changed in the configuration`,
  'setup.link_created': msg`Link for the first administrator created`,
  'audit.pruned': msg`Old records removed`,
  'store.restored': msg`Store restored from a backup`,
}

/** By noun, in the order in which people look for them. */
export const actionGroups: { noun: string; title: MessageDescriptor }[] = [
  { noun: 'user', title: msg`Users` },
  { noun: 'users', title: msg`Exports` },
  { noun: 'import', title: msg`Imports` },
  { noun: 'session', title: msg`Sign-ins` },
  { noun: 'group', title: msg`Groups` },
  { noun: 'authorization', title: msg`Refusals` },
  { noun: 'key', title: msg`API keys` },
  { noun: 'token', title: msg`Tokens` },
  { noun: 'signing_key', title: msg`Signing keys` },
  { noun: 'webhook', title: msg`Webhooks` },
  { noun: 'delivery', title: msg`Deliveries` },
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
