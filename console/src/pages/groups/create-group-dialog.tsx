import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CreateGroup } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { GroupFields, groupFields } from './group-fields.tsx'
import { bodyOf, type GroupValues, noValues } from './group-values.ts'

export default function CreateGroupDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm<GroupValues>({ initialValues: noValues })
  const { submit, isPending, error } = useSubmit(
    (body: CreateGroup, idempotencyKey) => api.groups.create(body, { idempotencyKey }),
    {
      onSuccess({ group_id: groupId, name }) {
        void queries.invalidateQueries({ queryKey: ['groups'] })
        showToast({ message: t`The group ${name} was created. Add its first members.` })
        onClose()
        void navigate({ to: '/groups/$groupId', params: { groupId } })
      },
    },
  )
  const { faults, hasMore } = fieldFaults(error, groupFields)
  const body = bodyOf(form.values)
  return (
    <Dialog isOpen loses={form.isDirty() ? 'input' : undefined} onClose={onClose} title={t`Create group`} size="lg">
      <form onSubmit={form.onSubmit(() => submit(body))} style={{ display: 'contents' }}>
        <GroupFields form={form} faults={faults} currentRole="" />
        {hasMore && <Problem error={error} title={t`The group was not created.`} />}
        <FormFoot calls={[{ operation: 'POST /groups', body }]} isPending={isPending} onCancel={onClose}>
          <Trans>Create group</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
