import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CreateProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConnectionFields, type ConnectionValues, profileLabels } from './connection-fields.tsx'
import { Handover } from './handover.tsx'

export default function CreateConnectionDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm<ConnectionValues>({ initialValues: { name: profileLabels.entra, profile: 'entra' } })
  const { submit, isPending, error, result } = useSubmit(
    (body: CreateProvisioningConnection, idempotencyKey) => api.provisioning.create(body, { idempotencyKey }),
    { onSuccess: () => void queries.invalidateQueries({ queryKey: ['provisioning'] }) },
  )
  // A name that was not typed follows the choice.
  form.watch('profile', ({ value, previousValue }) => {
    const nameOf = (profile: ConnectionValues['profile']) => (profile === 'strict' ? '' : profileLabels[profile])
    if (form.getValues().name === nameOf(previousValue)) form.setFieldValue('name', nameOf(value))
  })
  const { faults, hasMore } = fieldFaults(error, ['name', 'profile'])
  const body = form.values

  if (result !== undefined) {
    const { connection_id: connectionId, scim_url, key = '', name } = result
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`${name} can connect now`} size="lg">
        <Handover scimUrl={scim_url} secret={key} />
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
    <Dialog
      isOpen
      loses={form.isDirty() ? 'input' : undefined}
      onClose={onClose}
      title={t`Connect identity provider`}
      size="lg"
    >
      <form onSubmit={form.onSubmit(() => submit(body))} style={{ display: 'contents' }}>
        <ConnectionFields form={form} faults={faults} />
        {hasMore && <Problem error={error} title={t`The connection was not created.`} />}
        <FormFoot calls={[{ operation: 'POST /provisioning', body }]} isPending={isPending} onCancel={onClose}>
          <Trans>Create connection</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
