import { useLingui } from '@lingui/react/macro'
import { Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { OrganizationField } from '../../parts/organizations/organization-field.tsx'
import { RoleSelect } from '../../parts/user-details/role-select.tsx'
import type { GroupValues } from './group-values.ts'

type Props = {
  form: UseFormReturnType<GroupValues>
  faults: Record<string, string>
  /** The group's current role. Empty if it has none. */
  currentRole: string
}

export const groupFields = ['name', 'description', 'role', 'external_id', 'organization_id']

export function GroupFields({ form, faults, currentRole }: Props) {
  const { t } = useLingui()
  return (
    <>
      <TextInput
        label={t`Name`}
        description={t`Unique, ignoring case. Products may decide by this name.`}
        required
        maxLength={128}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
        error={faults.name}
      />
      <Textarea
        label={t`Description`}
        description={t`What the group is for.`}
        rows={2}
        maxLength={1024}
        {...form.getInputProps('description')}
        error={faults.description}
      />
      <RoleSelect
        label={t`Role of the members`}
        description={t`Members have it in addition to their own role.`}
        none={t`No role`}
        current={currentRole}
        {...form.getInputProps('role')}
        error={faults.role}
      />
      <TextInput
        label={t`External ID`}
        description={t`The directory’s own ID for the group, if there is one.`}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('external_id')}
        error={faults.external_id}
      />
      <OrganizationField
        permission="groups:write"
        value={form.values.organization}
        onChange={(id) => form.setFieldValue('organization', id)}
        description={t`Its administrators manage the group. Empty: it belongs to none.`}
        error={faults.organization_id}
      />
    </>
  )
}
