/** Values of attributes: validates them, applies changes, and computes the keys by which they are compared. */

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { AppError, type InputFault, validationFailed } from '../../core/errors.ts'
import { booleanIn } from '../../lib/boolean-text.ts'
import { dayOfCell, instantOfCell } from '../../lib/cell-instant.ts'
import { emailKey, isEmail } from '../../lib/email-form.ts'
import { isInstant } from '../../lib/instant.ts'
import { splitNames } from '../../lib/name-list.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import type { Definition, Definitions } from './definitions.ts'
import { stepsOfChange } from './pattern.ts'
import { type AttributeValue, type AttributeValues, mostBytes, type ValuesPatch } from './schema.ts'
import type { Entry } from './store.ts'

/** `provisioning`: SCIM, an import or claims, which may write every attribute. */
export type Door = 'admin' | 'user' | 'provisioning'

/** Where cells have `1,5` for 1.5. `unambiguous`: unless it may be thousands, as `1,500`. */
export type DecimalComma = 'always' | 'unambiguous'

/** Attribute values as a caller sends them. */
export type AttributesInput = {
  by: Door
  values: ValuesPatch
  /** The cells of a CSV file, which are texts whatever the type. */
  areTexts?: true
  decimalComma?: DecimalComma
  /** For many users who get the same values: what is wrong with each, so that its pattern is matched once. */
  faults?: Map<string, string | undefined>
}

/** Attributes as the row of a user has them: JSON, in the order of the names. */
export function storedValues(values: AttributeValues): string {
  const sorted = Object.keys(values).sort()
  return JSON.stringify(Object.fromEntries(sorted.map((name) => [name, values[name]])))
}

export function readValues(attributes: string): AttributeValues {
  return attributes === '{}' ? {} : (JSON.parse(attributes) as AttributeValues)
}

type Change = { found: AttributeValues; input: AttributesInput | undefined; isNew?: boolean }

/**
 * The values after a change. A new user needs a value of each required attribute.
 *
 * @throws AppError `validation_failed` with every fault found
 */
export function changedValues(definitions: Definitions, { found, input, isNew = false }: Change): AttributeValues {
  const next = new Map(Object.entries(found))
  const faults: InputFault[] = []
  let steps = 0
  for (const [name, provided] of Object.entries(input?.values ?? {})) {
    const definition = definitions.get(name)
    const fault = (code: string, detail: string) => faults.push({ pointer: pointerTo(name), code, detail })
    if (definition === undefined) {
      fault('unknown_attribute', unknownAttribute(name, definitions))
      continue
    }
    const value = input === undefined ? provided : readValue(definition, provided, input)
    if (value !== null) steps += stepsOf(definition, value)
    if (steps > stepsOfChange) throw tooManySteps(name)
    const detail = value === null ? undefined : faultOnce(definition, value, input?.faults)
    const after = value === null || detail !== undefined ? value : normalized(definition, value)
    const isSame = after !== null && next.has(name) && JSON.stringify(next.get(name)) === JSON.stringify(after)
    if (!isSame && !mayWrite(definition, input?.by ?? 'user')) fault('not_editable', notEditable(definition))
    else if (detail !== undefined) fault('attribute_invalid', detail)
    else if (after !== null) next.set(name, after)
    else if (definition.required) fault('missing_member', `${definition.label} is required.`)
    else next.delete(name)
  }
  if (isNew) faults.push(...missing(definitions, Object.fromEntries(next)))
  if (faults.length > 0) throw validationFailed(faults)
  const values = Object.fromEntries(next)
  refuseTooMuch(values)
  return values
}

function faultOnce(
  definition: Definition,
  value: AttributeValue,
  faults: AttributesInput['faults'],
): string | undefined {
  if (faults?.has(definition.name)) return faults.get(definition.name)
  const fault = valueFault(definition, value)
  faults?.set(definition.name, fault)
  return fault
}

/** Other changes wait for this one. */
function tooManySteps(name: string): AppError {
  const detail =
    'Together these values take too long to check against the patterns of their attributes. Send shorter values, or fewer at once.'
  return validationFailed([{ pointer: pointerTo(name), code: 'too_long', detail }])
}

/** Returns the valid values among those that a caller sends, in stored form. */
export function wantedValues(definitions: Definitions, sent: AttributesInput): string {
  const good = Object.entries(sent.values).flatMap(([name, input]) => {
    const definition = definitions.get(name)
    if (definition === undefined || input === null) return []
    const value = readValue(definition, input, sent)
    return valueFault(definition, value) === undefined ? [[name, normalized(definition, value)] as const] : []
  })
  return storedValues(Object.fromEntries(good))
}

function readValue<Value extends AttributeValue | null>(
  definition: Definition,
  value: Value,
  { areTexts, decimalComma }: AttributesInput,
): Value | AttributeValue {
  return areTexts && typeof value === 'string' ? fromCell(definition, value, decimalComma) : value
}

/** Returns a restored user's values that a definition still allows. */
export function stillGood(definitions: Definitions, values: AttributeValues): AttributeValues {
  const good = Object.entries(values).filter(([name, value]) => {
    const definition = definitions.get(name)
    return definition !== undefined && valueFault(definition, value) === undefined
  })
  return Object.fromEntries(good)
}

/** For a user who comes back: the definitions may have changed. @throws AppError `validation_failed` */
export function refuseMissing(definitions: Definitions, values: AttributeValues): void {
  const faults = missing(definitions, values)
  if (faults.length === 0) return
  const hint =
    'The deleted user has no value that it allows. Set `required` of the attribute to false, restore the user, and set a value.'
  throw validationFailed(faults.map((fault) => ({ ...fault, detail: `${fault.detail} ${hint}` })))
}

function missing(definitions: Definitions, values: AttributeValues): InputFault[] {
  return [...definitions.values()]
    .filter(({ name, required }) => required && !Object.hasOwn(values, name))
    .map(({ name, label }) => ({ pointer: pointerTo(name), code: 'missing_member', detail: `${label} is required.` }))
}

function refuseTooMuch(values: AttributeValues): void {
  const bytes = Buffer.byteLength(JSON.stringify(values))
  if (bytes <= mostBytes) return
  const detail = `The attributes of a user may have ${mostBytes / 1024} KiB together. These have ${Math.ceil(bytes / 1024)} KiB.`
  throw validationFailed([{ pointer: '#/attributes', code: 'too_long', detail }])
}

/** The schema lets no name through that would have to be escaped, save in an import. */
export function pointerTo(name: string): string {
  return `#/attributes/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export function unknownAttribute(name: string, definitions: Definitions): string {
  const near = nearestName(name, [...definitions.keys()])
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  return definitions.size === 0
    ? 'No attributes are defined. Define one with POST /attributes first.'
    : `There is no attribute with this name.${meant} GET /attributes lists them.`
}

/**
 * Refuses one value for many users where each must have another. Removing their values is allowed.
 *
 * @throws AppError `validation_failed`
 */
export function refuseUniqueForMany(definitions: Definitions | undefined, values: ValuesPatch): void {
  const faults = Object.entries(values).flatMap(([name, value]) => {
    const definition = definitions?.get(name)
    if (definition?.unique !== true || value === null) return []
    const detail = `${definition.label} is unique, so many users cannot get the same value. Set it for each user.`
    return [{ pointer: pointerTo(name), code: 'attribute_unique', detail }]
  })
  if (faults.length > 0) throw validationFailed(faults)
}

function mayWrite({ editable_by }: Definition, by: Door): boolean {
  if (by === 'provisioning') return true
  return by === 'admin' ? editable_by !== 'nobody' : editable_by === 'user'
}

function notEditable({ label, editable_by }: Definition): string {
  return editable_by === 'nobody'
    ? `${label} is written by SCIM, imports and identity providers only.`
    : `${label} is written by administrators only.`
}

/** Returns a sentence saying what is wrong with a value, without repeating the value. */
export function valueFault(definition: Definition, value: AttributeValue): string | undefined {
  switch (definition.type) {
    case 'number':
      return numberFault(definition, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Must be true or false.'
    case 'string[]':
      return listFault(definition, value)
    default:
      return typeof value === 'string' ? textFault(definition, value) : 'Must be a text.'
  }
}

function numberFault({ minimum, maximum }: Definition, value: AttributeValue): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'Must be a number such as 12 or 0.5.'
  if (minimum !== null && value < minimum) return `Must be at least ${minimum}.`
  return maximum !== null && value > maximum ? `Must be at most ${maximum}.` : undefined
}

function listFault(definition: Definition, value: AttributeValue): string | undefined {
  if (!Array.isArray(value)) return 'Must be a list of texts.'
  if (new Set(value).size < value.length) return 'A text may be in the list only once.'
  return value.map((text) => textFault(definition, text)).find((fault) => fault !== undefined)
}

function textFault(definition: Definition, text: string): string | undefined {
  const { max_length, options } = definition
  if (text === '') return 'Must not be empty; null removes the value.'
  if (hasUnseen(text)) return unseenRefused
  if (max_length !== null && [...text].length > max_length) return `Must have at most ${max_length} characters.`
  if (definition.type === 'date' && !isDay(text)) return 'Must be a day such as 2026-11-24.'
  if (definition.type === 'datetime' && !isInstant(text)) return 'Must be an instant such as 2026-11-24T09:30:00Z.'
  if (definition.type === 'url' && !isUrl(text)) return 'Must be an absolute URL with http or https.'
  if (definition.type === 'email' && !isEmail(text)) return 'This is not a valid email address.'
  if (definition.type === 'enum' && !options?.includes(text)) return `Must be one of ${options?.join(', ')}.`
  const { compiled } = definition
  if (compiled === undefined) return undefined
  if (text.length > compiled.longest) return `Must have at most ${compiled.longest} characters, because of the pattern.`
  return compiled.matches(text) ? undefined : 'Must match the pattern of the attribute.'
}

/** How many steps it takes to check a value against the pattern of its attribute. */
function stepsOf({ compiled }: Definition, value: AttributeValue): number {
  if (compiled === undefined || typeof value === 'number' || typeof value === 'boolean') return 0
  const length = typeof value === 'string' ? value.length : value.reduce((sum, text) => sum + text.length, 0)
  return compiled.size * length
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && isInstant(`${text}T00:00:00Z`)
}

/** Only what a browser may open: a console shows it as a link. */
function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
}

/** As it is stored: instants in UTC with milliseconds, as all of the API. */
export function normalized({ type }: Definition, value: AttributeValue): AttributeValue {
  if (type === 'datetime') return new Date(String(value)).toISOString()
  return Object.is(value, -0) ? 0 : value
}

/** Decimal: Number would read `0x10` too. */
const numberForm = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i

const commaForm = /^\s*[+-]?(\d*),(\d+)\s*$/

function withPoint(cell: string, decimalComma: DecimalComma | undefined): string {
  const [, whole = '', decimals = ''] = commaForm.exec(cell) ?? []
  const mayBeThousands = /^[1-9]\d{0,2}$/.test(whole) && decimals.length === 3
  if (decimalComma === undefined || (mayBeThousands && decimalComma === 'unambiguous')) return cell
  return decimals === '' ? cell : cell.replace(',', '.')
}

/** The value that a cell of a CSV file means; a list is JSON, or texts with semicolons between them. */
export function fromCell(
  { type }: Pick<Definition, 'type'>,
  cell: string,
  decimalComma?: DecimalComma,
): AttributeValue {
  if (type === 'number') {
    const number = withPoint(cell, decimalComma)
    return numberForm.test(number) ? Number(number) : cell
  }
  if (type === 'boolean') return booleanIn(cell) ?? cell
  if (type === 'date') return dayOfCell(cell) ?? cell
  if (type === 'datetime') return instantOfCell(cell) ?? cell
  if (type !== 'string[]') return cell
  try {
    const list: unknown = JSON.parse(cell)
    if (Array.isArray(list) && list.every((text) => typeof text === 'string')) return list
  } catch {
    // Not JSON, so it is texts with semicolons, as in an export for a spreadsheet.
  }
  return splitNames(cell)
}

/** The inverse of `fromCell`. */
export function toCell(value: AttributeValue): string | number | boolean {
  if (!Array.isArray(value)) return value
  const isPlain = value.length > 0 && value.every((text) => !/[;[\]]/.test(text) && text === text.trim() && text !== '')
  return isPlain ? value.join(';') : JSON.stringify(value)
}

/** Whether a text means a stored value, also where the value has another form: `007` is the number 7. */
export function means(text: string, value: AttributeValue): boolean {
  if (typeof value !== 'string') {
    const type = Array.isArray(value) ? 'string[]' : typeof value === 'number' ? 'number' : 'boolean'
    return isDeepStrictEqual(fromCell({ type }, text), value)
  }
  return text === value || (isInstant(text) && isInstant(value) && Date.parse(text) === Date.parse(value))
}

/** The keys of a value: equal for values that count as the same. A list has one for each text. */
export function keysOf({ type }: Pick<Definition, 'type'>, value: AttributeValue): string[] {
  const texts = Array.isArray(value) ? value : [String(value)]
  return [...new Set(texts.map((text) => short(type === 'email' ? emailKey(text) : text)))]
}

/** The keys that a text has as a value of any type. */
export function textKeys(text: string): string[] {
  const number = numberForm.test(text) ? [String(Number(text))] : []
  return [...new Set([short(text), short(emailKey(text)), ...number])]
}

/** An index of PostgreSQL takes no longer keys than some 2,700 bytes. */
const longestKey = 1024

function short(key: string): string {
  if (Buffer.byteLength(key) <= longestKey) return key
  // No text has a control character, so that no value can be given the key of another.
  return `\u0001${createHash('sha256').update(key).digest('base64url')}`
}

/** Returns the index entries of a user's values. */
export function entriesOf(definitions: Definitions, userId: string, values: AttributeValues): Entry[] {
  return Object.entries(values).flatMap(([attribute, value]) => {
    const definition = definitions.get(attribute)
    if (!definition?.isIndexed) return []
    const is_unique = Number(definition.unique)
    return keysOf(definition, value).map((value_key) => ({ attribute, value_key, user_id: userId, is_unique }))
  })
}

/** @param attributes the ones whose value another user already has */
export function attributeTaken(attributes: readonly string[]): AppError {
  const detail = 'Another user already has this value.'
  const errors = attributes.map((name) => ({ pointer: pointerTo(name), code: 'attribute_taken', detail }))
  return new AppError('attribute_taken', detail, { errors })
}
