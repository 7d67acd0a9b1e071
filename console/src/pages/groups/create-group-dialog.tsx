import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { CreateGroup } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { GroupFields, groupFields } from './group-fields.tsx'
import { bodyOf, type GroupValues, noValues } from './group-values.ts'

export default function CreateGroupDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const form = useForm<GroupValues>({ initialValues: noValues })
  const { submit, ...sending } = useSubmit(
    (body: CreateGroup, idempotencyKey) => api.groups.create(body, { idempotencyKey }),
    {
      stale: [['groups']],
      onSuccess({ group_id: groupId, name }) {
        showToast({ message: t`The group ${name} was created. Add its first members.` })
        onClose()
        void navigate({ to: '/groups/$groupId', params: { groupId } })
      },
    },
  )
  const { faults } = fieldFaults(sending.error, groupFields)
  const body = bodyOf(form.values)
  return (
    <FormDialog
      title={t`Create group`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={groupFields}
      refusal={t`The group was not created.`}
      calls={[{ operation: 'POST /groups', body }]}
      action={<Trans>Create group</Trans>}
      onSubmit={form.onSubmit(() => submit(body))}
      onClose={onClose}
    >
      <GroupFields form={form} faults={faults} currentRole="" />
    </FormDialog>
  )
}
