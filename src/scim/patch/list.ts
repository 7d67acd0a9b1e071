/** Edits multi-valued attributes: whole lists, selected values, and which value is primary (RFC 7644 §3.5.2). */
import type { Filter } from '../filter/ast.ts'
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import { type Habits, profileHint } from '../protocol/profiles.ts'
import type { Attribute } from '../schemas/attribute.ts'
import { subAttribute } from '../schemas/definition.ts'
import { checkCount, isPrimary, readValue, readValues } from '../schemas/read.ts'
import { merged, objectOr, withMember } from './complex.ts'
import type { Edit } from './edits.ts'

/** Returns the values after an edit; undefined if none is left. */
export function nextList(
  current: Json | undefined,
  edit: Edit,
  habits: Habits,
  ignored: string[],
): readonly Json[] | undefined {
  const items = isArray(current) ? current : []
  const next =
    edit.choice === undefined
      ? wholeList(items, edit, habits, ignored)
      : chosenValues(items, edit, edit.choice, habits, ignored)
  checkCount(edit.attribute, next.length, edit.attribute.name)
  return next.length > 0 ? withOnePrimary(items, next, edit.attribute) : undefined
}

function wholeList(items: readonly Json[], edit: Edit, habits: Habits, ignored: string[]): readonly Json[] {
  const { op, attribute, sub, value } = edit
  if (sub !== undefined) {
    const read = readSub(edit, sub, habits, ignored)
    if (items.length > 0) return changed(items, (item) => withMember(item, sub, read))
    return read === undefined ? [] : [{ [sub.name]: read }]
  }
  if (op === 'remove') {
    if (value === undefined || value === null) return []
    if (habits.removalByValue) return withoutValues(items, value)
    throw removalByValue(attribute)
  }
  const sent = isArray(value) ? value : [value ?? null]
  const read = readValues(attribute, sent, attribute.name, habits, ignored) ?? []
  return op === 'replace' ? read : withAdded(items, read)
}

export function removalByValue({ name }: Attribute): ScimError {
  return new ScimError(
    'invalidSyntax',
    `A remove operation has no value. Name the values in the path: ${name}[value eq "…"].${profileHint}`,
  )
}

/** The values in the brackets of the path. */
function chosenValues(
  items: readonly Json[],
  edit: Edit,
  { filter, matches }: NonNullable<Edit['choice']>,
  habits: Habits,
  ignored: string[],
): readonly Json[] {
  const { op, attribute, sub } = edit
  const isChosen = (item: Json) => isObject(item) && matches(item)
  if (!items.some(isChosen)) return withoutMatch(items, edit, filter, habits, ignored)
  if (sub !== undefined) {
    const read = readSub(edit, sub, habits, ignored)
    // Entra selects values by type alone, so the remains of one without `value` would never be removed.
    const isGone = read === undefined && sub.name === 'value' && habits.createsMissing
    const next = (item: JsonObject) => (isGone ? undefined : withMember(item, sub, read))
    return changed(items, (item) => (matches(item) ? next(item) : item))
  }
  if (op === 'remove') return items.filter((item) => !isChosen(item))
  const { sent, read } = readElement(edit, habits, ignored)
  if (op === 'replace')
    return read === undefined
      ? items.filter((item) => !isChosen(item))
      : items.map((item) => (isChosen(item) ? read : item))
  return changed(items, (item) => (matches(item) ? merged(attribute, item, sent, read) : item))
}

function withoutMatch(
  items: readonly Json[],
  edit: Edit,
  filter: Filter,
  habits: Habits,
  ignored: string[],
): readonly Json[] {
  const { op, attribute, sub } = edit
  if (op === 'remove' && habits.createsMissing) return items
  const template = habits.createsMissing && op !== 'remove' ? templateOf(filter, attribute, habits) : undefined
  if (template === undefined) {
    const advice = op === 'remove' ? '' : ` Add the value first.${habits.createsMissing ? '' : profileHint}`
    throw new ScimError('noTarget', `No value of ${attribute.name} matches the filter in the path.${advice}`)
  }
  const read = sub === undefined ? readElement(edit, habits, ignored).read : readSub(edit, sub, habits, ignored)
  if (read === undefined) return items
  return withAdded(items, [sub === undefined ? { ...template, ...objectOr(read) } : { ...template, [sub.name]: read }])
}

/** Returns the value that a filter such as `type eq "work"` describes; undefined if it leaves a choice. */
function templateOf(filter: Filter, attribute: Attribute, habits: Habits): JsonObject | undefined {
  if (filter.kind === 'and') {
    const parts = filter.filters.map((part) => templateOf(part, attribute, habits))
    return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.value === null) return undefined
  const sub = subAttribute(attribute, filter.path.name)
  const value = sub && readValue(sub, filter.value, sub.name, habits, [])
  return sub === undefined || value === undefined ? undefined : { [sub.name]: value }
}

function readSub({ op, attribute, value }: Edit, sub: Attribute, habits: Habits, ignored: string[]): Json | undefined {
  if (op === 'remove') return undefined
  return readValue(sub, value ?? null, `${attribute.name}.${sub.name}`, habits, ignored)
}

function readElement(
  { attribute, value }: Edit,
  habits: Habits,
  ignored: string[],
): { sent: JsonObject; read: JsonObject | undefined } {
  const list = isArray(value) ? value : [value ?? null]
  if (list.length > 1) {
    throw new ScimError(
      'invalidValue',
      `The path chooses values of ${attribute.name}, so the value must be one object.`,
    )
  }
  const [read] = readValues(attribute, list, attribute.name, habits, ignored) ?? []
  return { sent: objectOr(list[0]), read: isObject(read) ? read : undefined }
}

function changed(items: readonly Json[], change: (item: JsonObject) => JsonObject | undefined): readonly Json[] {
  return items.map((item) => (isObject(item) ? change(item) : item)).filter((item) => item !== undefined)
}

/** A value with the same `type` and `value` is not added a second time, but takes over what is new (RFC 7643 §2.4). */
function withAdded(items: readonly Json[], added: readonly Json[]): readonly Json[] {
  const next = [...items]
  const places = new Map(items.map((item, place) => [identity(item), place]))
  for (const item of added) {
    const key = identity(item)
    const place = places.get(key)
    if (place === undefined) places.set(key, next.push(item) - 1)
    else next[place] = isObject(item) ? { ...objectOr(next[place]), ...item } : item
  }
  return next
}

function identity(item: Json): string {
  if (!isObject(item)) return JSON.stringify(item)
  const [value, type = null] = [member(item, 'value'), member(item, 'type')]
  if (value !== undefined) return JSON.stringify([value, type])
  return JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Removes the values that were sent, by their `value` or as a whole. */
function withoutValues(items: readonly Json[], sent: Json): readonly Json[] {
  const keys = new Set((isArray(sent) ? sent : [sent]).map(valueKey))
  return items.filter((item) => !keys.has(valueKey(item)))
}

function valueKey(item: Json): string {
  const value = isObject(item) ? member(item, 'value') : item
  return value === undefined ? identity(item) : JSON.stringify(value)
}

/** A new primary value takes the place of the former one, which becomes `"primary": false` (RFC 7644 §3.5.2). */
function withOnePrimary(before: readonly Json[], next: readonly Json[], { name }: Attribute): readonly Json[] {
  const primaries = next.filter(isPrimary)
  if (primaries.length < 2) return next
  const former = new Set(before.filter(isPrimary))
  const fresh = primaries.filter((item) => !former.has(item))
  if (fresh.length !== 1) throw new ScimError('invalidValue', `Only one value of ${name} can be primary.`)
  return next.map((item) => (isPrimary(item) && item !== fresh[0] ? { ...objectOr(item), primary: false } : item))
}
