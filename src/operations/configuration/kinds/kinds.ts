/** Every kind of object that a file can describe, in the order of an export. */
import { type SectionName, sectionNames } from '../../../core/configuration-file.ts'
import type { Kind } from '../kind.ts'
import { attributeKind } from './attributes.ts'
import { brandingKind } from './branding.ts'
import { connectionKind } from './connections.ts'
import { groupKind } from './groups.ts'
import { keyKind } from './keys.ts'
import { organizationKind } from './organizations.ts'
import { policyKind } from './policies.ts'
import { provisioningKind } from './provisioning.ts'
import { roleKind } from './roles.ts'
import { webhookKind } from './webhooks.ts'

const bySection: Readonly<Record<SectionName, Kind>> = {
  roles: roleKind,
  attributes: attributeKind,
  organizations: organizationKind,
  groups: groupKind,
  connections: connectionKind,
  provisioning: provisioningKind,
  webhooks: webhookKind,
  keys: keyKind,
  policies: policyKind,
  branding: brandingKind,
}

export const kinds: readonly Kind[] = sectionNames.map((section) => bySection[section])

export function kindIn(section: SectionName): Kind {
  return bySection[section]
}
