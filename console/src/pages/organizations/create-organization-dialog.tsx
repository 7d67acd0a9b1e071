import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { CreateOrganization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { bodyOf, noValues, OrganizationFields, organizationFields } from './organization-fields.tsx'

export default function CreateOrganizationDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const form = useForm({ initialValues: noValues })
  const { submit, ...sending } = useSubmit(
    (body: CreateOrganization, idempotencyKey) => api.organizations.create(body, { idempotencyKey }),
    {
      stale: [['organizations']],
      onSuccess({ organization_id: organizationId, name }) {
        showToast({ message: t`The organization ${name} was created. Add its people, or send a setup link.` })
        onClose()
        void navigate({ to: '/organizations/$organizationId', params: { organizationId } })
      },
    },
  )
  const { faults } = fieldFaults(sending.error, organizationFields)
  const body = bodyOf(form.values)
  return (
    <FormDialog
      title={t`Create organization`}
      isDirty={form.isDirty()}
      sending={sending}
      fields={organizationFields}
      refusal={t`The organization was not created.`}
      calls={[{ operation: 'POST /organizations', body }]}
      action={<Trans>Create organization</Trans>}
      onSubmit={form.onSubmit(() => submit(body))}
      onClose={onClose}
    >
      <OrganizationFields form={form} faults={faults} />
    </FormDialog>
  )
}
