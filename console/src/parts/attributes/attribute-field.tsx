import { useLingui } from '@lingui/react/macro'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { Attribute, OwnAttribute } from 'rollbook/client'

/** What a field needs to know about an attribute, which also users know who may not read the definitions. */
export type FieldDefinition = OwnAttribute

type Props = {
  attribute: FieldDefinition
  className?: string
  /** Properties from the form. */
  input: object
}

const inputTypes: Partial<Record<Attribute['type'], string>> = {
  url: 'url',
  email: 'email',
  date: 'date',
  datetime: 'datetime-local',
}

const order = ['label', 'input', 'description', 'error'] as const

/** The field for one attribute, by its type. */
export function AttributeField({ attribute, className, input }: Props) {
  const { t } = useLingui()
  const { label, type, options, required, maximum, minimum, max_length } = attribute
  const common = {
    label,
    required,
    // Below the field, so that fields side by side are level.
    inputWrapperOrder: [...order],
    ...(className !== undefined && { className }),
    ...input,
  }
  const none = { value: '', label: required ? t`Choose one` : t`Not set` }
  switch (type) {
    case 'enum':
      return <NativeSelect {...common} data={[none, ...(options ?? [])]} />
    case 'boolean':
      return (
        <NativeSelect {...common} data={[none, { value: 'true', label: t`Yes` }, { value: 'false', label: t`No` }]} />
      )
    case 'string[]':
      return <Textarea {...common} description={t`One value per line.`} autosize={false} rows={3} />
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          autoComplete="off"
          {...(minimum !== null && maximum !== null && { description: t`From ${minimum} to ${maximum}.` })}
        />
      )
    default:
      return (
        <TextInput
          {...common}
          type={inputTypes[type] ?? 'text'}
          autoComplete="off"
          {...(max_length !== null && { maxLength: max_length })}
        />
      )
  }
}
