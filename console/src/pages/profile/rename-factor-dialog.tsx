import { Trans, useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Factor } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ownFactorsQuery } from '../../data/factors.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useFieldFaults } from '../../parts/user-details/use-field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

const fields = ['name']

type Props = { factor: Factor; onClose: () => void }

export default function RenameFactorDialog({ factor: { factor_id, name: before }, onClose }: Props) {
  const { t } = useLingui()
  const form = useForm({
    name: 'rename-factor',
    initialValues: { name: before },
    validate: { name: (value) => (value.trim() === '' ? t`Enter a name.` : null) },
  })
  const { submit, ...sending } = useSubmit(({ name }: { name: string }) => api.factors.rename(factor_id, name), {
    stale: [ownFactorsQuery.queryKey],
    onSuccess({ name }) {
      showToast({ message: t`It is now called ${name}.` })
      onClose()
    },
  })
  useFieldFaults(form, sending.error, fields)
  const { name } = form.values
  return (
    <FormDialog
      title={t`Rename ${before}`}
      isDirty={name !== before}
      sending={sending}
      fields={fields}
      refusal={t`It was not renamed.`}
      calls={[{ operation: 'PATCH /me/factors/{factor_id}', path: { factor_id }, body: { name } }]}
      action={<Trans>Rename</Trans>}
      noValidate
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      <TextInput label={t`Name`} maxLength={64} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}
