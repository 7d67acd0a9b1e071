import { Trans, useLingui } from '@lingui/react/macro'
import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import type { Factor } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { ownFactorsQuery } from '../../data/factors.ts'
import styles from '../../parts/factors/factor.module.css'
import { useFieldFaults } from '../../parts/user-details/use-field-faults.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { factor: Factor; onClose: () => void }

export default function RenameFactorDialog({ factor: { factor_id, name: before }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const form = useForm({
    name: 'rename-factor',
    initialValues: { name: before },
    validate: { name: (value) => (value.trim() === '' ? t`Enter a name.` : null) },
  })
  const { submit, isPending, error } = useSubmit(({ name }: { name: string }) => api.factors.rename(factor_id, name), {
    onSuccess({ name }) {
      void queries.invalidateQueries({ queryKey: ownFactorsQuery.queryKey })
      showToast({ message: t`It is now called ${name}.` })
      onClose()
    },
  })
  const hasMore = useFieldFaults(form, error, ['name'])
  const { name } = form.values
  return (
    <Dialog isOpen onClose={onClose} loses={name === before ? undefined : 'input'} title={t`Rename ${before}`}>
      <form className={styles.form} noValidate onSubmit={form.onSubmit(submit)}>
        <TextInput label={t`Name`} maxLength={64} data-autofocus {...form.getInputProps('name')} />
        {hasMore && error && <Problem error={error} title={t`It was not renamed.`} />}
        <DialogFoot
          aside={
            <ApiCallButton
              calls={[{ operation: 'PATCH /me/factors/{factor_id}', path: { factor_id }, body: { name } }]}
            />
          }
        >
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isPending}>
            <Trans>Rename</Trans>
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
