/** Attribute values in form fields: each is a text, empty if there is no value. */
import type { Attribute, User } from 'rollbook/client'

type Values = User['attributes']
export type Value = Values[string]

/** The name of a field is the pointer to its value in the body, which refusals name. */
type FieldName = `attributes/${string}`
export type Texts = Record<FieldName, string>

export const fieldOf = (name: string): FieldName => `attributes/${name}`

type Typed = Pick<Attribute, 'name' | 'type'>

export function textsOf(definitions: readonly Typed[], values: Values = {}): Texts {
  return Object.fromEntries(definitions.map(({ name, type }) => [fieldOf(name), textOf(type, values[name])]))
}

function textOf(type: Attribute['type'], value: Value | undefined): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.join('\n')
  return type === 'datetime' ? localMinute(String(value)) : String(value)
}

/** Returns the changed values as the API takes them: null removes one. */
export function valuesOf(
  definitions: readonly Typed[],
  changed: Partial<Texts>,
): Record<string, NonNullable<Value> | null> {
  return Object.fromEntries(
    definitions.flatMap(({ name, type }) => {
      const text = changed[fieldOf(name)]
      return text === undefined ? [] : [[name, text === '' ? null : meaningOf(type, text)]]
    }),
  )
}

/** A patch of a form has null where some fields became empty. */
export function textsOfPatch(patch: Partial<Texts>): Partial<Texts> {
  return Object.fromEntries(Object.entries(patch).map(([name, text]) => [name, text ?? '']))
}

/** Invalid text is sent unchanged, so that the service can report the error. */
function meaningOf(type: Attribute['type'], text: string): NonNullable<Value> {
  switch (type) {
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
    case 'boolean':
      return text === 'true'
    case 'datetime':
      return Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()
    case 'string[]':
      return linesOf(text)
    default:
      return text
  }
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

/** As `<input type="datetime-local">` takes it. */
function localMinute(iso: string): string {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
