import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Attribute, CreateAttribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { bodyOf, type DefinitionValues, newDefinition, suggestions } from '../../parts/attributes/attribute-values.ts'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './attributes.module.css'
import { DefinitionFields, definitionFields } from './definition-fields.tsx'

type Props = { known: readonly Attribute[]; onClose: () => void }

export default function CreateAttributeDialog({ known, onClose }: Props) {
  const { t } = useLingui()
  const form = useForm<DefinitionValues>({ initialValues: newDefinition })
  const { submit, ...sending } = useSubmit(
    (body: CreateAttribute, idempotencyKey) => api.attributes.create(body, { idempotencyKey }),
    {
      stale: [['attributes']],
      onSuccess({ label }) {
        showToast({ message: t`Users have the attribute ${label} now.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, definitionFields)
  const body = bodyOf(form.values)
  const open = suggestions.filter(([name]) => !known.some((one) => one.name === name))
  return (
    <FormDialog
      title={t`Create attribute`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={definitionFields}
      refusal={t`The attribute was not created.`}
      calls={[{ operation: 'POST /attributes', body }]}
      action={<Trans>Create attribute</Trans>}
      onSubmit={form.onSubmit(() => submit(body))}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
