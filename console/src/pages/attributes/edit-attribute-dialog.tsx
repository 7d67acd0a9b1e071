import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Attribute, UpdateAttribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { changesOf, type DefinitionValues, valuesOf } from '../../parts/attributes/attribute-values.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { DefinitionFields, definitionFields } from './definition-fields.tsx'

type Props = { attribute: Attribute; onClose: () => void }

export default function EditAttributeDialog({ attribute, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  // A version read meanwhile must not replace what the form was filled with.
  const [before] = useState(attribute)
  const { name, label } = before
  const form = useForm<DefinitionValues>({ initialValues: valuesOf(before) })
  const { submit, isPending, error } = useSubmit((body: UpdateAttribute) => api.attributes.update(name, body), {
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['attributes'] })
      showToast({ message: t`The attribute is saved.` })
      onClose()
    },
  })
  const { faults, hasMore } = fieldFaults(error, definitionFields)
  const body = changesOf(form.values, before)
  return (
    <Dialog
      isOpen
      loses={form.isDirty() ? 'input' : undefined}
      onClose={onClose}
      title={t`Edit the attribute ${label}`}
      size="lg"
    >
      <form
        onSubmit={form.onSubmit(() => (Object.keys(body).length === 0 ? onClose() : submit(body)))}
        style={{ display: 'contents' }}
      >
        <DefinitionFields form={form} faults={faults} />
        {hasMore && <Problem error={error} title={t`The attribute was not changed.`} />}
        <FormFoot
          calls={[{ operation: 'PATCH /attributes/{name}', path: { name }, body }]}
          isPending={isPending}
          onCancel={onClose}
        >
          <Trans>Save changes</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
