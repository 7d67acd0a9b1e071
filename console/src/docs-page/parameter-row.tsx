import { useId } from 'react'
import type { Parameter } from './document.ts'
import { isList } from './form.ts'
import { Markdown } from './markdown.tsx'
import { resolve, type Schemas, typeOf } from './schema.ts'
import { Limits } from './schema-view.tsx'

type Props = {
  parameter: Parameter
  schemas: Schemas
  value: string
  isEnabled: boolean
  isMissing: boolean
  onChange: (value: string) => void
}

export function ParameterRow({ parameter, schemas, value, isEnabled, isMissing, onChange }: Props) {
  const { name, in: place, description, required = false } = parameter
  const schema = resolve(parameter.schema ?? {}, schemas)
  const id = useId()
  const choices = schema.type === 'boolean' ? [true, false] : schema.enum
  const field = {
    id,
    value,
    disabled: !isEnabled,
    'aria-invalid': isMissing || undefined,
    'aria-required': required || undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  return (
    <tr data-param-name={name} data-param-in={place}>
      <td className="parameters-col_name">
        <label className="parameter__name" htmlFor={id}>
          {name}
        </label>{' '}
        <span className="parameter__type">{typeOf(schema, schemas)}</span>{' '}
        {place !== 'query' && <span className="parameter__in">({place})</span>}{' '}
        {required && <span className="required-mark">required</span>}
      </td>
      <td className="parameters-col_description">
        {choices === undefined ? (
          isList(parameter) ? (
            <textarea {...field} rows={2} placeholder="one value per line" spellCheck={false} />
          ) : (
            <input type="text" {...field} placeholder={name} autoComplete="off" spellCheck={false} />
          )
        ) : (
          <select {...field}>
            <option value="">--</option>
            {choices.map((choice) => (
              <option key={String(choice)}>{String(choice)}</option>
            ))}
          </select>
        )}
        <Markdown text={description} />
        <Limits schema={choices === undefined ? schema : { ...schema, enum: undefined as never }} />
      </td>
    </tr>
  )
}
