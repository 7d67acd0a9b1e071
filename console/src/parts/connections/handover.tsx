import { Group } from '@mantine/core'
import type { ProvisioningConnection } from 'rollbook/client'
import { OnceWarning } from '../keys/secret-once.tsx'
import { GuideLinks, GuideSteps, GuideValues } from '../provider-guides/guide-steps.tsx'
import { provisioningGuideOf } from '../provider-guides/provisioning-guides.ts'

type Props = {
  connection: Pick<ProvisioningConnection, 'profile' | 'scim_url'>
  secret: string
  /** A further key for a provider that is set up: only the values. */
  isFurther?: boolean
}

/** What to enter in the identity provider, with the key, which is shown only now. */
export function Handover({ connection: { profile, scim_url }, secret, isFurther = false }: Props) {
  const guide = provisioningGuideOf(profile)
  const values = { scim_url, key: secret }
  return (
    <>
      <OnceWarning />
      <Group gap="md">
        <GuideLinks guide={guide} />
      </Group>
      {isFurther ? <GuideValues guide={guide} values={values} /> : <GuideSteps guide={guide} values={values} />}
    </>
  )
}
