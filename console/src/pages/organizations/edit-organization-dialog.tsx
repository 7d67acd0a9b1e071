import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { etagOf, type Organization, type UpdateOrganization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCanEverywhere } from '../../api/me.ts'
import { changedByOrganizations } from '../../data/organizations.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { OrganizationFields, type OrganizationValues, organizationFields, valuesOf } from './organization-fields.tsx'

type Props = { organization: Organization; onClose: () => void }

export default function EditOrganizationDialog({ organization, onClose }: Props) {
  const { t } = useLingui()
  // A version read meanwhile must not replace the one the form was filled with, or saving would undo it silently.
  const [before] = useState(organization)
  const { organization_id } = before
  const isNameOnly = !useCanEverywhere('organizations:write')
  const form = useForm({ initialValues: valuesOf(before) })
  const ifMatch = etagOf(before)
  const lock = useFileLock(before)
  const { submit, ...sending } = useSubmit(
    (changes: UpdateOrganization) =>
      api.organizations.update(organization_id, changes, { ...lock.how, ...(ifMatch !== undefined && { ifMatch }) }),
    {
      stale: changedByOrganizations,
      onSuccess() {
        showToast({ message: t`The organization is saved.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, organizationFields)
  const changes = changesOf(form.values, before)
  return (
    <FormDialog
      title={t`Edit organization`}
      isDirty={form.isDirty()}
      sending={sending}
      fields={organizationFields}
      refusal={t`The organization was not changed.`}
      calls={[
        {
          operation: 'PATCH /organizations/{organization_id}',
          path: { organization_id },
          query: lock.how,
          body: changes,
          ...(ifMatch !== undefined && { ifMatch }),
        },
      ]}
      action={<Trans>Save changes</Trans>}
      onSubmit={form.onSubmit(() => (Object.keys(changes).length === 0 ? onClose() : submit(changes)))}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <OrganizationFields form={form} faults={faults} isNameOnly={isNameOnly} />
      </Lockable>
    </FormDialog>
  )
}

function changesOf({ name, external_id, needsFactor }: OrganizationValues, before: Organization): UpdateOrganization {
  const was = valuesOf(before)
  return {
    ...(name.trim() !== was.name && { name: name.trim() }),
    ...(external_id.trim() !== was.external_id && { external_id: external_id.trim() || null }),
    ...(needsFactor !== was.needsFactor && { second_factor: needsFactor ? 'required' : null }),
  }
}
