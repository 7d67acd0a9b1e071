/** A definition of an attribute as the form holds it. */
import type { Attribute, CreateAttribute, UpdateAttribute, User } from 'rollbook/client'
import { linesOf } from './values.ts'

export const types = [
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'url',
  'email',
  'enum',
  'string[]',
] as const satisfies readonly Attribute['type'][]

export type DefinitionValues = {
  name: string
  label: string
  type: Attribute['type']
  /** One per line. */
  options: string
  required: boolean
  unique: boolean
  searchable: boolean
  pattern: string
  minimum: string
  maximum: string
  max_length: string
  editable_by: Attribute['editable_by']
  in_token: boolean
  in_header: boolean
}

export const newDefinition: DefinitionValues = {
  name: '',
  label: '',
  type: 'string',
  options: '',
  required: false,
  unique: false,
  searchable: false,
  pattern: '',
  minimum: '',
  maximum: '',
  max_length: '',
  editable_by: 'admin',
  in_token: false,
  in_header: false,
}

/** The names that SCIM has for employees (RFC 7643 §4.3): identity providers fill them. */
export const suggestions = [
  ['employee_number', 'Employee number'],
  ['department', 'Department'],
  ['division', 'Division'],
  ['organization', 'Organization'],
  ['cost_center', 'Cost center'],
  ['manager', 'Manager'],
] as const

const managedNames = new Set<string>(suggestions.map(([name]) => name))

/** Whether an identity provider fills the attribute, once it has a value. */
export function isManagedAttribute(
  name: string,
  { managed_by, attributes }: Pick<User, 'managed_by' | 'attributes'>,
): boolean {
  return managed_by !== undefined && managedNames.has(name) && Object.hasOwn(attributes, name)
}

const textual: readonly Attribute['type'][] = ['string', 'url', 'email', 'string[]']

export const hasPattern = (type: Attribute['type']) => textual.includes(type)

export function valuesOf(definition: Attribute): DefinitionValues {
  const { name, label, type, options, pattern, minimum, maximum, max_length, editable_by } = definition
  const { required, unique, searchable, in_token, in_header } = definition
  return {
    name,
    label,
    type,
    options: (options ?? []).join('\n'),
    pattern: pattern ?? '',
    minimum: minimum === null ? '' : String(minimum),
    maximum: maximum === null ? '' : String(maximum),
    max_length: max_length === null ? '' : String(max_length),
    editable_by,
    required,
    unique,
    searchable,
    in_token,
    in_header,
  }
}

/** The settings that the type has; the others are cleared. */
function settingsOf(values: DefinitionValues) {
  const { name: _, label, type, options, pattern, minimum, maximum, max_length, ...flags } = values
  const number = (text: string) => (type === 'number' && text !== '' ? Number(text) : null)
  return {
    ...flags,
    type,
    ...(label !== '' && { label }),
    options: type === 'enum' ? linesOf(options) : null,
    pattern: hasPattern(type) && pattern !== '' ? pattern : null,
    minimum: number(minimum),
    maximum: number(maximum),
    max_length: hasPattern(type) && max_length !== '' ? Number(max_length) : null,
  }
}

export function bodyOf(values: DefinitionValues): CreateAttribute {
  const settings = Object.entries(settingsOf(values)).filter(([, value]) => value !== null && value !== false)
  return { name: values.name, ...Object.fromEntries(settings) } as CreateAttribute
}

/** The values that the form changes. */
export function changesOf(values: DefinitionValues, before: Attribute): UpdateAttribute {
  const entries = Object.entries(settingsOf(values)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Attribute]),
  )
  return Object.fromEntries(entries)
}
