import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import type { Attribute, CreateAttribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { bodyOf, type DefinitionValues, newDefinition, suggestions } from '../../parts/attributes/attribute-values.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './attributes.module.css'
import { DefinitionFields, definitionFields } from './definition-fields.tsx'

type Props = { known: readonly Attribute[]; onClose: () => void }

export default function CreateAttributeDialog({ known, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const form = useForm<DefinitionValues>({ initialValues: newDefinition })
  const { submit, isPending, error } = useSubmit(
    (body: CreateAttribute, idempotencyKey) => api.attributes.create(body, { idempotencyKey }),
    {
      onSuccess({ label }) {
        void queries.invalidateQueries({ queryKey: ['attributes'] })
        showToast({ message: t`Users have the attribute ${label} now.` })
        onClose()
      },
    },
  )
  const { faults, hasMore } = fieldFaults(error, definitionFields)
  const body = bodyOf(form.values)
  const open = suggestions.filter(([name]) => !known.some((one) => one.name === name))
  return (
    <Dialog isOpen loses={form.isDirty() ? 'input' : undefined} onClose={onClose} title={t`Create attribute`} size="lg">
      <form onSubmit={form.onSubmit(() => submit(body))} style={{ display: 'contents' }}>
        <DefinitionFields form={form} faults={faults} isNew />
        {open.length > 0 && (
          <div className={styles.suggestions}>
            <p>
              <Trans>Identity providers fill these automatically:</Trans>
            </p>
            <ul>
              {open.map(([name, label]) => (
                <li key={name}>
                  <Button size="xs" variant="default" onClick={() => form.setValues({ name, label, searchable: true })}>
                    <code dir="ltr">{name}</code>
                  </Button>
                </li>
              ))}
            </ul>
          </div>
        )}
        {hasMore && <Problem error={error} title={t`The attribute was not created.`} />}
        <FormFoot calls={[{ operation: 'POST /attributes', body }]} isPending={isPending} onCancel={onClose}>
          <Trans>Create attribute</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
