import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { Attribute, UpdateAttribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { changesOf, type DefinitionValues, valuesOf } from '../../parts/attributes/attribute-values.ts'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { DefinitionFields, definitionFields } from './definition-fields.tsx'

type Props = { attribute: Attribute; onClose: () => void }

export default function EditAttributeDialog({ attribute, onClose }: Props) {
  const { t } = useLingui()
  // A version read meanwhile must not replace what the form was filled with.
  const [before] = useState(attribute)
  const { name, label } = before
  const form = useForm<DefinitionValues>({ initialValues: valuesOf(before) })
  const lock = useFileLock(before)
  const { submit, ...sending } = useSubmit((body: UpdateAttribute) => api.attributes.update(name, body, lock.how), {
    stale: [['attributes']],
    onSuccess() {
      showToast({ message: t`The attribute is saved.` })
      onClose()
    },
  })
  const { faults } = fieldFaults(sending.error, definitionFields)
  const body = changesOf(form.values, before)
  return (
    <FormDialog
      title={t`Edit the attribute ${label}`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={definitionFields}
      refusal={t`The attribute was not changed.`}
      calls={[{ operation: 'PATCH /attributes/{name}', path: { name }, query: lock.how, body }]}
      action={<Trans>Save changes</Trans>}
      onSubmit={form.onSubmit(() => (Object.keys(body).length === 0 ? onClose() : submit(body)))}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <DefinitionFields form={form} faults={faults} />
      </Lockable>
    </FormDialog>
  )
}
