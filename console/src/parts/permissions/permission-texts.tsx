import { useLingui } from '@lingui/react/macro'
import type { BuiltInPermission, PermissionGroup } from '../../lib/permission-groups.ts'

/** The meanings of the permissions. */
export function usePermissionTexts(): {
  groups: Record<PermissionGroup, string>
  meanings: Record<BuiltInPermission, string>
  /** The meaning of a permission that is limited to the organization of its holder. */
  withinOrganization: (meaning: string) => string
} {
  const { t } = useLingui()
  return {
    withinOrganization: (meaning) => t`${meaning}. Only in their organization.`,
    groups: {
      users: t`Users`,
      groups: t`Groups`,
      organizations: t`Organizations`,
      roles: t`Roles and policies`,
      provisioning: t`Provisioning`,
      connections: t`Company sign-in`,
      attributes: t`Attributes`,
      sessions: t`Sessions`,
      access: t`Keys and tokens`,
      events: t`Webhooks and events`,
      mails: t`Messages`,
      branding: t`Branding`,
      configuration: t`Configuration files`,
      reviews: t`Access reviews`,
      records: t`Records and operation`,
    },
    meanings: {
      'users:read': t`List and read users, and see the roles`,
      'users:write': t`Create, change and delete users, set their passwords, unlock them`,
      'users:import': t`Import users from files, and see the imports of others`,
      'users:export_hashes': t`Export all users with their password hashes, encrypted`,
      'users:impersonate': t`Act as a user for an hour, to see what they see`,
      'groups:read': t`List and read groups`,
      'groups:write': t`Create, change and delete groups, add and remove members`,
      'organizations:read': t`List and read organizations`,
      'organizations:write': t`Create, change and delete organizations`,
      'roles:write': t`Create, change and delete roles, with your own permissions`,
      'policies:read': t`See the policies for all users`,
      'policies:write': t`Change the policies for all users`,
      'provisioning:read': t`See the provisioning connections, and the requests that were rejected`,
      'provisioning:write': t`Connect identity providers, and create their keys`,
      'scim:write': t`Read and change users and groups through SCIM, as an identity provider`,
      'connections:read': t`See the sign-in connections, and the sign-ins that failed`,
      'connections:write': t`Connect identity providers for sign-in; needs the permissions of every role`,
      'attributes:read': t`List the attributes of users`,
      'attributes:write': t`Define, change and delete attributes of users`,
      'sessions:read': t`See where a user is signed in`,
      'sessions:write': t`Sign users out`,
      'keys:read': t`List the API keys, without their secrets`,
      'keys:write': t`Create, rotate and revoke API keys`,
      'tokens:introspect': t`Check whether a credential is valid and whose it is (for the main API)`,
      'signing_keys:write': t`Rotate the key that signs access tokens`,
      'webhooks:read': t`See the webhooks, and what was sent to them`,
      'webhooks:write': t`Create, change and delete webhooks; requires events:read as well`,
      'events:read': t`Follow every change of users, sessions, keys and roles`,
      'mails:read': t`See the messages to users, without their content`,
      'mails:write': t`Send failed messages again, and test messages`,
      'branding:write': t`See and change the name, logo, colour and links of the sign-in pages and messages`,
      'reviews:read': t`See access reviews`,
      'reviews:write': t`Begin, decide and close access reviews`,
      'configuration:read': t`Export the configuration as a file, and see what a file would change`,
      'configuration:write': t`Apply configuration files; each change needs its own permission as well`,
      'audit:read': t`See who did what, and from where`,
      'metrics:read': t`Read the metrics and the state of the deployment`,
    },
  }
}
