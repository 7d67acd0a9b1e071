import { useLingui } from '@lingui/react/macro'
import { NativeSelect, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ProvisioningProfile } from 'rollbook/client'
import { OrganizationField } from '../organizations/organization-field.tsx'

/** `organization`: its id; empty: none. */
export type ConnectionValues = { name: string; profile: ProvisioningProfile; organization: string }

/** Product names; the profile that follows the standard comes last. */
export const profileLabels: Record<Exclude<ProvisioningProfile, 'strict'>, string> = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google Workspace',
  jumpcloud: 'JumpCloud',
}

type Props = { form: UseFormReturnType<ConnectionValues>; faults: Record<string, string> }

export function ConnectionFields({ form, faults }: Props) {
  const { t } = useLingui()
  const named = Object.entries(profileLabels).map(([value, label]) => ({ value, label }))
  return (
    <>
      <NativeSelect
        label={t`Identity provider`}
        description={t`Matches this provider’s SCIM.`}
        data={[...named, { value: 'strict', label: t`Other (standard SCIM 2.0)` }]}
        data-autofocus
        {...form.getInputProps('profile')}
        error={faults.profile}
      />
      <TextInput
        label={t`Name`}
        description={t`Name shown on its users.`}
        required
        maxLength={128}
        autoComplete="off"
        {...form.getInputProps('name')}
        error={faults.name}
      />
      <OrganizationField
        permission="provisioning:write"
        value={form.values.organization}
        onChange={(id) => form.setFieldValue('organization', id)}
        description={t`Its users and groups belong to it. Empty: to none.`}
        error={faults.organization_id}
      />
    </>
  )
}
