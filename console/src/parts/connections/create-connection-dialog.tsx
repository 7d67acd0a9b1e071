import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { CreateProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConnectionFields, type ConnectionValues, profileLabels } from './connection-fields.tsx'
import { Handover } from './handover.tsx'

const fields = ['name', 'profile', 'organization_id']

type Props = {
  /** The name and the provider to begin with, if the company is known. */
  initial?: ConnectionValues
  onClose: () => void
}

export default function CreateConnectionDialog({
  initial = { name: profileLabels.entra, profile: 'entra', organization: '' },
  onClose,
}: Props) {
  const { t } = useLingui()
  const navigate = useNavigate()
  // Connections of the others belong to their organization anyway.
  const isOfAll = useOrganizationsInUse('provisioning:write')
  const form = useForm<ConnectionValues>({ initialValues: { ...initial, ...(!isOfAll && { organization: '' }) } })
  const { submit, result, ...sending } = useSubmit(
    (body: CreateProvisioningConnection, idempotencyKey) => api.provisioning.create(body, { idempotencyKey }),
    { stale: [['provisioning']] },
  )
  // A name that was not typed follows the choice.
  form.watch('profile', ({ value, previousValue }) => {
    const nameOf = (profile: ConnectionValues['profile']) => (profile === 'strict' ? '' : profileLabels[profile])
    if (form.getValues().name === nameOf(previousValue)) form.setFieldValue('name', nameOf(value))
  })
  const { faults } = fieldFaults(sending.error, fields)
  const { organization, ...named } = form.values
  const body = { ...named, ...(organization !== '' && { organization_id: organization }) }

  if (result !== undefined) {
    const { connection_id: connectionId, key = '', name } = result
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`${name} can connect now`} size="lg">
        <Handover connection={result} secret={key} />
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
          <Button
            onClick={() => {
              onClose()
              void navigate({ to: '/provisioning/$connectionId', params: { connectionId } })
            }}
          >
            <Trans>Open connection</Trans>
          </Button>
        </DialogFoot>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={t`Connect identity provider`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={t`The connection was not created.`}
      calls={[{ operation: 'POST /provisioning', body }]}
      action={<Trans>Connect</Trans>}
      onSubmit={form.onSubmit(() => submit(body))}
      onClose={onClose}
    >
      <ConnectionFields form={form} faults={faults} />
    </FormDialog>
  )
}
