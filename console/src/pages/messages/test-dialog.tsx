import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import type { TestMail } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { languageName } from './preview-dialog.tsx'

type Props = { locales: readonly string[]; onClose: () => void }

export default function TestDialog({ locales, onClose }: Props) {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  const { email } = useMe()
  const form = useForm({
    initialValues: {
      address: email ?? '',
      locale: locales.includes(i18n.locale) ? i18n.locale : (locales[0] ?? 'en'),
    },
  })
  const { submit, isPending, error } = useSubmit(
    (body: TestMail, idempotencyKey) => api.mails.test(body, { idempotencyKey }),
    {
      onSuccess({ address }) {
        void queries.invalidateQueries({ queryKey: ['mails'] })
        showToast({ message: t`A test message to ${address} is on its way. The list shows its progress.` })
        onClose()
      },
    },
  )
  const { faults, hasMore } = fieldFaults(error, ['address', 'locale'])
  const body = { ...form.values, address: form.values.address.trim() }
  return (
    <Dialog isOpen loses={form.isDirty() ? 'input' : undefined} onClose={onClose} title={t`Send test message`}>
      <form onSubmit={form.onSubmit(() => submit(body))} style={{ display: 'contents' }}>
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
        {hasMore && <Problem error={error} title={t`The test message was not sent.`} />}
        <FormFoot calls={[{ operation: 'POST /mails/test', body }]} isPending={isPending} onCancel={onClose}>
          <Trans>Send test message</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
