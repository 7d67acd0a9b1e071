import { useLingui } from '@lingui/react/macro'
import type { Attribute, Me } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { meQuery } from '../../api/me.ts'
import { useAttributes } from '../../data/attributes.ts'
import { AttributeField } from '../../parts/attributes/attribute-field.tsx'
import { fieldOf, type Texts, textsOf, textsOfPatch, valuesOf } from '../../parts/attributes/values.ts'
import { DetailsForm } from '../../parts/user-details/details-form.tsx'
import { useDetailsForm } from '../../parts/user-details/use-details-form.ts'
import { Section } from '../../ui/section.tsx'

type Props = { me: Me; onDirty: (isDirty: boolean) => void }

/** The attributes that users edit themselves, if they may read the definitions. */
export function OwnAttributes(props: Props) {
  const own = useAttributes()?.filter(({ editable_by }) => editable_by === 'user') ?? []
  if (own.length === 0) return null
  return <Form key={JSON.stringify(own)} definitions={own} {...props} />
}

function Form({ definitions, me, onDirty }: Props & { definitions: readonly Attribute[] }) {
  const { t } = useLingui()
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
    <Section title={t`Attributes`}>
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
    </Section>
  )
}
