import { useLingui } from '@lingui/react/macro'
import type { Attribute, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan } from '../../../api/me.ts'
import { useAttributes } from '../../../data/attributes.ts'
import { userKey } from '../../../data/users.ts'
import { AttributeFact } from '../../../parts/attributes/attribute-fact.tsx'
import { AttributeField } from '../../../parts/attributes/attribute-field.tsx'
import { isManagedAttribute } from '../../../parts/attributes/attribute-values.ts'
import { fieldOf, type Texts, textsOf, textsOfPatch, valuesOf } from '../../../parts/attributes/values.ts'
import { DetailsForm } from '../../../parts/user-details/details-form.tsx'
import { useDetailsForm } from '../../../parts/user-details/use-details-form.ts'
import { Section } from '../../../ui/section.tsx'

type Props = {
  user: User
  onDirty: (isDirty: boolean) => void
  /** Also change what an identity provider manages. */
  override: boolean
}

/** The custom attributes of a user, as they are defined at the moment. */
export function AttributesForm(props: Props) {
  const definitions = useAttributes()
  if (definitions === undefined || definitions.length === 0) return null
  // A form for other fields is another form.
  return <Form key={JSON.stringify(definitions)} definitions={definitions} {...props} />
}

function Form({ definitions, user, onDirty, override }: Props & { definitions: readonly Attribute[] }) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write', user)
  const { user_id } = user
  const isReadOnly = (attribute: Attribute) =>
    !mayWrite || attribute.editable_by === 'nobody' || (!override && isManagedAttribute(attribute.name, user))
  const fields = definitions.filter((attribute) => !isReadOnly(attribute))
  const bodyOf = (patch: Partial<Texts>) => ({ attributes: valuesOf(definitions, textsOfPatch(patch)) })
  const details = useDetailsForm<User, Texts, object>({
    version: user,
    valuesOf: ({ attributes }) => textsOf(definitions, attributes),
    extra: {},
    read: () => api.users.get(user_id),
    save: (patch, _, etag) =>
      api.users.update(user_id, bodyOf(patch), { ifMatch: etag, ...(override && { override }) }),
    queryKey: userKey(user_id),
    onDirty,
  })
  const { form, patch, etag } = details
  const labels = Object.fromEntries(definitions.map(({ name, label }) => [fieldOf(name), label])) as Texts
  return (
    <Section title={t`Attributes`}>
      <DetailsForm
        details={details}
        labels={labels}
        readOnly={definitions
          .filter(isReadOnly)
          .map((attribute) => (
            <AttributeFact
              key={attribute.name}
              attribute={attribute}
              value={user.attributes[attribute.name]}
              mayWrite={mayWrite}
            />
          ))}
        onSubmit={form.onSubmit(details.save)}
        calls={[
          {
            operation: 'PATCH /users/{user_id}',
            path: { user_id },
            ...(override && { query: { override } }),
            body: bodyOf(patch),
            ...(etag !== undefined && { ifMatch: etag }),
          },
        ]}
      >
        {fields.length === 0
          ? undefined
          : fields.map((attribute) => (
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
