import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { ProvisioningConnection, UpdateProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { ConnectionFields, type ConnectionValues } from '../../parts/connections/connection-fields.tsx'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

const fields = ['name', 'profile', 'end_date_attribute', 'organization_id']
const attributes = [
  'title',
  'userType',
  'nickName',
  'employeeNumber',
  'costCenter',
  'organization',
  'division',
  'department',
] as const

type Props = { connection: ProvisioningConnection; onClose: () => void }

export default function EditConnectionDialog({ connection, onClose }: Props) {
  const { t } = useLingui()
  // A version read meanwhile must not replace what the form was filled with.
  const [{ connection_id, name, profile, organization_id = '', end_date_attribute }] = useState(connection)
  const form = useForm<ConnectionValues>({ initialValues: { name, profile, organization: organization_id } })
  const [endDateAttribute, setEndDateAttribute] = useState(end_date_attribute)
  const lock = useFileLock(connection)
  const { submit, ...sending } = useSubmit(
    (body: UpdateProvisioningConnection) => api.provisioning.update(connection_id, body, lock.how),
    {
      stale: [['provisioning']],
      onSuccess() {
        showToast({ message: t`The connection is saved.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const { values } = form
  const body = {
    ...(values.name !== name && { name: values.name }),
    ...(values.profile !== profile && { profile: values.profile }),
    ...(values.organization !== organization_id && { organization_id: values.organization || null }),
    ...(endDateAttribute !== end_date_attribute && { end_date_attribute: endDateAttribute }),
  }
  return (
    <FormDialog
      title={t`Edit connection`}
      size="lg"
      isDirty={form.isDirty() || endDateAttribute !== end_date_attribute}
      sending={sending}
      fields={fields}
      refusal={t`The connection was not changed.`}
      calls={[{ operation: 'PATCH /provisioning/{connection_id}', path: { connection_id }, query: lock.how, body }]}
      action={<Trans>Save changes</Trans>}
      onSubmit={form.onSubmit(() => (Object.keys(body).length === 0 ? onClose() : submit(body)))}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <ConnectionFields form={form} faults={faults} />
        <NativeSelect
          label={t`Attribute with the end date`}
          description={t`A SCIM attribute with a date and time, or a date. From then on, the user is refused.`}
          data={[{ value: '', label: t`None` }, ...attributes]}
          value={endDateAttribute ?? ''}
          onChange={({ currentTarget: { value } }) =>
            setEndDateAttribute(attributes.find((one) => one === value) ?? null)
          }
          error={faults.end_date_attribute}
        />
      </Lockable>
    </FormDialog>
  )
}
