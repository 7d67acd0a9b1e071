import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** The sections of a file, as the pages of the console are called. */
export const kindTexts: Readonly<Record<string, MessageDescriptor>> = {
  roles: msg`Roles`,
  attributes: msg`Attributes`,
  organizations: msg`Organizations`,
  groups: msg`Groups`,
  connections: msg`Company sign-in`,
  provisioning: msg`Provisioning`,
  webhooks: msg`Webhooks`,
  keys: msg`API keys`,
  policies: msg`Policies`,
  branding: msg`Branding`,
}
