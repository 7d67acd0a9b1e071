import { useLingui } from '@lingui/react/macro'
import { Checkbox, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { CreateOrganization, Organization } from 'rollbook/client'

export type OrganizationValues = { name: string; external_id: string; needsFactor: boolean }

export const organizationFields = ['name', 'external_id', 'second_factor']
export const noValues: OrganizationValues = { name: '', external_id: '', needsFactor: false }

export function valuesOf({ name, external_id, second_factor }: Organization): OrganizationValues {
  return { name, external_id: external_id ?? '', needsFactor: second_factor === 'required' }
}

/** A new organization. Empty fields are not sent. */
export function bodyOf({ name, external_id, needsFactor }: OrganizationValues): CreateOrganization {
  return {
    name: name.trim(),
    ...(external_id.trim() !== '' && { external_id: external_id.trim() }),
    ...(needsFactor && { second_factor: 'required' }),
  }
}

type Props = {
  form: UseFormReturnType<OrganizationValues>
  faults: Record<string, string>
  /** The viewer belongs to the organization, and changes its name only. */
  isNameOnly?: boolean
}

export function OrganizationFields({ form, faults, isNameOnly = false }: Props) {
  const { t } = useLingui()
  return (
    <>
      <TextInput
        label={t`Name`}
        description={t`Unique, ignoring case. Products see it in tokens and headers.`}
        required
        maxLength={128}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
        error={faults.name}
      />
      {!isNameOnly && (
        <>
          <TextInput
            label={t`External ID`}
            description={t`The product’s own ID for the organization, if there is one.`}
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('external_id')}
            error={faults.external_id}
          />
          <Checkbox
            label={t`Require a second factor`}
            description={t`Its users need one, whatever the policy says. It never makes the policy weaker.`}
            {...form.getInputProps('needsFactor', { type: 'checkbox' })}
            error={faults.second_factor}
          />
        </>
      )}
    </>
  )
}
