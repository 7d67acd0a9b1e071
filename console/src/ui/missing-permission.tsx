/** What the viewer's role lacks, in the same words everywhere. */
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { RollbookError } from 'rollbook/client'
import { can, isBeyond, type Owned, useMe } from '../api/me.ts'
import type { BuiltInPermission } from '../lib/permission-groups.ts'
import styles from './problem.module.css'

/** How the sentence begins, by the permission that it is about. */
const purposes: Record<BuiltInPermission, MessageDescriptor> = {
  'users:read': msg`To read users`,
  'users:write': msg`To change users`,
  'users:import': msg`To import users`,
  'users:export_hashes': msg`To export users with their password hashes`,
  'users:impersonate': msg`To act as a user`,
  'groups:read': msg`To read the groups`,
  'groups:write': msg`To change groups`,
  'organizations:read': msg`To read the organizations`,
  'organizations:write': msg`To change organizations`,
  'roles:write': msg`To change roles`,
  'policies:read': msg`To read the policies`,
  'policies:write': msg`To change policies`,
  'provisioning:read': msg`To read the provisioning connections`,
  'provisioning:write': msg`To change provisioning connections`,
  'scim:write': msg`To use SCIM`,
  'connections:read': msg`To read the sign-in connections`,
  'connections:write': msg`To change sign-in connections`,
  'attributes:read': msg`To read the attributes`,
  'attributes:write': msg`To change attributes`,
  'sessions:read': msg`To read sessions`,
  'sessions:write': msg`To sign users out`,
  'keys:read': msg`To read the API keys`,
  'keys:write': msg`To change API keys`,
  'tokens:introspect': msg`To check credentials`,
  'signing_keys:write': msg`To replace the signing key`,
  'webhooks:read': msg`To read the webhooks`,
  'webhooks:write': msg`To change webhooks`,
  'events:read': msg`To follow the changes`,
  'mails:read': msg`To read the messages`,
  'mails:write': msg`To send messages`,
  'branding:write': msg`To see and change the branding`,
  'reviews:read': msg`To see access reviews`,
  'reviews:write': msg`To begin, decide and close access reviews`,
  'configuration:read': msg`To see the configuration`,
  'configuration:write': msg`To apply a configuration file`,
  'audit:read': msg`To read the audit`,
  'metrics:read': msg`To see how the service runs`,
}

type Missing = {
  /** The permission that says what the sentence is about. */
  to: string
  missing: readonly string[]
}

/** "To read the groups, your role needs groups:read. Ask an administrator." */
export function missingText({ to, missing }: Missing): string {
  const known = Object.hasOwn(purposes, to) ? purposes[to as BuiltInPermission] : undefined
  const purpose = known === undefined ? t`To do this` : i18n._(known)
  const permissions = new Intl.ListFormat(i18n.locale).format(missing)
  return t`${purpose}, your role needs ${permissions}. Ask an administrator.`
}

/** What a refused request lacked. Undefined if it was refused for something else than a permission. */
export function missingIn(error: unknown): Missing | undefined {
  if (!(error instanceof RollbookError) || error.code !== 'permission_denied') return undefined
  const missing = error.detail.match(/\b[a-z][a-z0-9_]*:[a-z0-9_]+\b/g) ?? []
  return missing[0] === undefined ? undefined : { to: missing[0], missing }
}

export function MissingPermission(props: Missing) {
  // Renders again in another language.
  useLingui()
  return (
    <p className={styles.missing} role="note">
      {missingText(props)}
    </p>
  )
}

type NeedsProps = { permissions: readonly [string, ...string[]]; of?: Owned | undefined }

/** Shown unless the viewer has all of the permissions, also for what the page is of. The first says what the sentence is about. */
export function Needs({ permissions, of }: NeedsProps) {
  useLingui()
  const me = useMe()
  if (of !== undefined && isBeyond(me, permissions[0], of)) {
    const { org_name: name = '' } = me
    return (
      <p className={styles.missing} role="note">
        {t`You can change only what belongs to ${name}.`}
      </p>
    )
  }
  const missing = permissions.filter((permission) => !can(me, permission))
  return missing.length > 0 && <MissingPermission to={permissions[0]} missing={missing} />
}
