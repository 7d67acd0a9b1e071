import { useLingui } from '@lingui/react/macro'
import type { Me } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { meQuery } from '../../api/me.ts'
import { AttributeField, type FieldDefinition } from '../../parts/attributes/attribute-field.tsx'
import { isManagedAttribute } from '../../parts/attributes/attribute-values.ts'
import { useValueText } from '../../parts/attributes/value-text.ts'
import { fieldOf, type Texts, textsOf, textsOfPatch, valuesOf } from '../../parts/attributes/values.ts'
import { DetailsForm } from '../../parts/user-details/details-form.tsx'
import { useDetailsForm } from '../../parts/user-details/use-details-form.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'

type Props = { me: Me; onDirty: (isDirty: boolean) => void }

/** The attributes that users edit themselves, and the others of which they have a value. */
export function OwnAttributes({ me, onDirty }: Props) {
  const { t } = useLingui()
  const textOf = useValueText()
  // A node of the release before sends no definitions.
  const definitions = me.attribute_definitions ?? []
  const isOwn = ({ name, editable_by }: FieldDefinition) => editable_by === 'user' && !isManagedAttribute(name, me)
  const own = definitions.filter(isOwn)
  const others = definitions.flatMap((one) => {
    const value = me.attributes[one.name]
    return isOwn(one) || value === undefined ? [] : [{ ...one, value }]
  })
  if (own.length + others.length === 0) return null
  return (
    <Section title={t`Attributes`}>
      {others.length > 0 && (
        <Facts>
          {others.map(({ name, label, value }) => (
            <Fact key={name} name={label}>
              <bdi>{textOf(value)}</bdi>
            </Fact>
          ))}
        </Facts>
      )}
      {own.length > 0 && <Form key={JSON.stringify(own)} definitions={own} me={me} onDirty={onDirty} />}
    </Section>
  )
}

function Form({ definitions, me, onDirty }: Props & { definitions: readonly FieldDefinition[] }) {
  const bodyOf = (patch: Partial<Texts>) => ({ attributes: valuesOf(definitions, textsOfPatch(patch)) })
  const details = useDetailsForm<Me, Texts, object>({
    version: me,
    valuesOf: ({ attributes }) => textsOf(definitions, attributes),
    extra: {},
    read: () => api.me.get(),
    save: (patch, _, etag) => api.me.update(bodyOf(patch), { ifMatch: etag }),
    queryKey: meQuery.queryKey,
    onDirty,
  })
  const { form, patch } = details
  const labels = Object.fromEntries(definitions.map(({ name, label }) => [fieldOf(name), label])) as Texts
  return (
    <DetailsForm
      details={details}
      labels={labels}
      onSubmit={form.onSubmit(details.save)}
      calls={[{ operation: 'PATCH /me', body: bodyOf(patch) }]}
    >
      {definitions.map((attribute) => (
        <AttributeField
          key={attribute.name}
          attribute={attribute}
          input={form.getInputProps(fieldOf(attribute.name))}
        />
      ))}
    </DetailsForm>
  )
}
