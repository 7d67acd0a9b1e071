import { Trans } from '@lingui/react/macro'
import type { ProvisioningProfile } from 'rollbook/client'
import { profileLabels } from './connection-fields.tsx'

export function ProfileName({ profile }: { profile: ProvisioningProfile }) {
  return profile === 'strict' ? <Trans>By the standard</Trans> : profileLabels[profile]
}
