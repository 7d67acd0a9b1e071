/** Fields of the account page's forms, each with its fault beside it. */
import { type Html, html, type Text } from '../../../lib/html.ts'
import { describedBy, faultAt } from '../login-pages/service.ts'
import type { Texts } from '../page-texts/service.ts'
import { type Faults, idOf } from './faults.ts'

export type OwnAttribute = {
  name: string
  label: string
  type: string
  options: readonly string[] | null
  required: boolean
  max_length: number | null
}

type Field = {
  name: string
  label: Text
  value: string
  faults: Faults
  hint?: Text
  type?: string
  autocomplete?: string
  maxLength?: number
  isRequired?: boolean
}

export function textField(field: Field): Html {
  const { name, value, faults, hint, type = 'text', autocomplete = 'off', maxLength, isRequired } = field
  const id = idOf(name)
  const required = isRequired ? html` required` : ''
  const length = maxLength === undefined ? '' : html` maxlength="${String(maxLength)}"`
  const valueAttribute = type === 'password' ? '' : html` value="${value}"`
  return fieldWith(
    field,
    html`<div class="control"><input id="${id}" name="${name}" type="${type}" dir="auto"${valueAttribute} autocomplete="${autocomplete}"${length}${required}${describedBy(`${id}-fault`, faults.fields[name], hint === undefined ? undefined : `${id}-hint`)}></div>`,
  )
}

type Choice = { value: string; text: Text; lang?: string }

export function selectField({ choices, ...field }: Field & { choices: readonly Choice[] }): Html {
  const { name, value, faults, hint } = field
  const id = idOf(name)
  const options = choices.reduce(
    (before, one) =>
      html`${before}<option value="${one.value}"${one.lang && html` lang="${one.lang}"`}${one.value === value ? html` selected` : ''}>${one.text}</option>`,
    html``,
  )
  return fieldWith(
    field,
    html`<div class="control"><select id="${id}" name="${name}"${describedBy(`${id}-fault`, faults.fields[name], hint === undefined ? undefined : `${id}-hint`)}>${options}</select></div>`,
  )
}

function fieldWith({ name, label, faults, hint }: Field, control: Html): Html {
  const id = idOf(name)
  return html`<div class="field">
<label for="${id}">${label}</label>
${control}
${faultAt(`${id}-fault`, faults.fields[name])}${hint && html`<p id="${id}-hint">${hint}</p>\n`}</div>
`
}

/** A field that fits the type of the attribute. What it sends, `attributeValue` reads. */
export function attributeField(t: Texts, attribute: OwnAttribute, value: string, faults: Faults): Html {
  const { name, label, type, options, required, max_length } = attribute
  const { profile } = t.account
  const field = {
    name: `attributes.${name}`,
    label: required ? profile.required(label) : label,
    value,
    faults,
    ...(max_length !== null && type !== 'string[]' && { maxLength: max_length }),
  }
  const none = { value: '', text: profile.choose }
  if (type === 'enum') {
    return selectField({ ...field, choices: [none, ...(options ?? []).map((one) => ({ value: one, text: one }))] })
  }
  if (type === 'boolean') {
    const choices = [none, { value: 'true', text: profile.yes }, { value: 'false', text: profile.no }]
    return selectField({ ...field, choices })
  }
  if (type === 'string[]') {
    const id = idOf(field.name)
    const described = describedBy(`${id}-fault`, faults.fields[field.name], `${id}-hint`)
    return fieldWith(
      { ...field, hint: profile.onePerLine },
      html`<div class="control"><textarea id="${id}" name="${field.name}" rows="3" dir="auto"${described}>\n${value}</textarea></div>`,
    )
  }
  return textField({ ...field, type: type === 'date' ? 'date' : 'text' })
}

/** The text of a value in its field. */
export function attributeText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}

/** Converts the text of a field to its value. The API refuses a text that has no value. */
export function attributeValue({ type }: Pick<OwnAttribute, 'type'>, text: string): unknown {
  if (text.trim() === '') return null
  if (type === 'boolean') return text === 'true'
  if (type === 'number') {
    const number = Number(text.trim().replace(',', '.'))
    return Number.isFinite(number) ? number : text
  }
  if (type !== 'string[]') return type === 'string' ? text : text.trim()
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
