import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConnectionFields, type ConnectionValues } from './connection-fields.tsx'

type Props = { connection: ProvisioningConnection; onClose: () => void }

export default function EditConnectionDialog({ connection, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  // A version read meanwhile must not replace what the form was filled with.
  const [{ connection_id, name, profile }] = useState(connection)
  const form = useForm<ConnectionValues>({ initialValues: { name, profile } })
  const { submit, isPending, error } = useSubmit(
    (body: Partial<ConnectionValues>) => api.provisioning.update(connection_id, body),
    {
      onSuccess() {
        void queries.invalidateQueries({ queryKey: ['provisioning'] })
        showToast({ message: t`The connection is saved.` })
        onClose()
      },
    },
  )
  const { faults, hasMore } = fieldFaults(error, ['name', 'profile'])
  const { values } = form
  const body = {
    ...(values.name !== name && { name: values.name }),
    ...(values.profile !== profile && { profile: values.profile }),
  }
  return (
    <Dialog isOpen loses={form.isDirty() ? 'input' : undefined} onClose={onClose} title={t`Edit connection`} size="lg">
      <form
        onSubmit={form.onSubmit(() => (Object.keys(body).length === 0 ? onClose() : submit(body)))}
        style={{ display: 'contents' }}
      >
        <ConnectionFields form={form} faults={faults} />
        {hasMore && <Problem error={error} title={t`The connection was not changed.`} />}
        <FormFoot
          calls={[{ operation: 'PATCH /provisioning/{connection_id}', path: { connection_id }, body }]}
          isPending={isPending}
          onCancel={onClose}
        >
          <Trans>Save changes</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
