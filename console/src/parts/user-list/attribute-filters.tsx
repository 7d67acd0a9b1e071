/** Filters by attributes that have an index; a filter by another one would read every user. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useId, useRef } from 'react'
import type { Attribute } from 'rollbook/client'
import { useAttributes } from '../../data/attributes.ts'
import type { AttributeKey, Filters } from '../../data/search/users.ts'

type Props = { filters: Filters; onChange: (change: { [Key in AttributeKey]?: string | undefined }) => void }

export function AttributeFields({ filters, onChange }: Props) {
  const attributes = useAttributes()?.filter(({ searchable, unique }) => searchable || unique) ?? []
  if (attributes.length === 0) return null
  return (
    <fieldset>
      <legend>
        <Trans>Attributes</Trans>
      </legend>
      {attributes.map((attribute) => {
        const key: AttributeKey = `attributes.${attribute.name}`
        return (
          <Field
            key={key}
            attribute={attribute}
            value={filters[key] ?? ''}
            onChange={(value) => onChange({ [key]: value || undefined })}
          />
        )
      })}
    </fieldset>
  )
}

type FieldProps = { attribute: Attribute; value: string; onChange: (value: string) => void }

function Field({ attribute: { label, type, options }, value, onChange }: FieldProps) {
  const { t } = useLingui()
  const id = useId()
  const choices: [value: string, label: string][] | undefined =
    type === 'boolean'
      ? [
          ['true', t`Yes`],
          ['false', t`No`],
        ]
      : type === 'enum'
        ? (options ?? []).map((option) => [option, option])
        : undefined
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      {choices === undefined ? (
        <Text id={id} type={inputTypes[type] ?? 'text'} value={value} onChange={onChange} />
      ) : (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">{t`Any`}</option>
          {choices.map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

const inputTypes: Partial<Record<Attribute['type'], string>> = { number: 'number', date: 'date' }

/** Applies when the viewer leaves the field or presses Enter: each letter would be another list. */
function Text({
  id,
  type,
  value,
  onChange,
}: {
  id: string
  type: string
  value: string
  onChange: (value: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current !== null && input.current !== document.activeElement) input.current.value = value
  }, [value])
  const apply = (text: string) => text.trim() !== value && onChange(text.trim())
  return (
    <input
      ref={input}
      id={id}
      type={type}
      step="any"
      defaultValue={value}
      autoComplete="off"
      maxLength={256}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value)}
    />
  )
}
