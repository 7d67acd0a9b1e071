import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { TestMail } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { languageName } from './preview-dialog.tsx'

const fields = ['address', 'locale']

type Props = { locales: readonly string[]; onClose: () => void }

export default function TestDialog({ locales, onClose }: Props) {
  const { t, i18n } = useLingui()
  const { email } = useMe()
  const form = useForm({
    initialValues: {
      address: email ?? '',
      locale: locales.includes(i18n.locale) ? i18n.locale : (locales[0] ?? 'en'),
    },
  })
  const { submit, ...sending } = useSubmit(
    (body: TestMail, idempotencyKey) => api.mails.test(body, { idempotencyKey }),
    {
      stale: [['mails']],
      onSuccess({ address }) {
        showToast({ message: t`A test message to ${address} is on its way. The list shows its progress.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const body = { ...form.values, address: form.values.address.trim() }
  return (
    <FormDialog
      title={t`Send test message`}
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={t`The test message was not sent.`}
      calls={[{ operation: 'POST /mails/test', body }]}
      action={<Trans>Send test message</Trans>}
      onSubmit={form.onSubmit(() => submit(body))}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        type="email"
        required
        maxLength={254}
        label={t`Address`}
        {...form.getInputProps('address')}
        error={faults.address}
      />
      <NativeSelect
        label={t`Language`}
        data={locales.map((value) => ({ value, label: languageName(value) }))}
        {...form.getInputProps('locale')}
        error={faults.locale}
      />
    </FormDialog>
  )
}
