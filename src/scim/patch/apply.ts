/** Applies a PATCH to a resource (RFC 7644 §3.5.2). All operations apply, or an error says which rule one breaks. */
import { isDeepStrictEqual } from 'node:util'
import { ScimError } from '../protocol/errors.ts'
import { isEmpty, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import type { Habits } from '../protocol/profiles.ts'
import type { Definition } from '../schemas/definition.ts'
import { checkRequired, readResource, readValue, schemasOf } from '../schemas/read.ts'
import { merged, objectOr, withMember } from './complex.ts'
import { type Edit, readEdits } from './edits.ts'
import { nextList } from './list.ts'
import type { Operation } from './operations.ts'

export interface PatchOutcome {
  readonly resource: JsonObject
  /** False if the resource did not change: then `lastModified` must stay the same. */
  readonly isChanged: boolean
  /** Sent values without effect: unknown attributes, if the profile ignores them. */
  readonly ignored: readonly string[]
}

/**
 * Returns the changed resource; the given one stays as it is.
 *
 * @throws ScimError with the keyword that RFC 7644 §3.5.2 names
 */
export function applyPatch(
  resource: JsonObject,
  operations: readonly Operation[],
  definition: Definition,
  habits: Habits,
): PatchOutcome {
  const { edits, ignored } = readEdits(operations, definition, habits)
  return applyEdits(resource, edits, definition, habits, ignored)
}

export function applyEdits(
  resource: JsonObject,
  edits: readonly Edit[],
  definition: Definition,
  habits: Habits,
  alreadyIgnored: readonly string[],
): PatchOutcome {
  const ignored = [...alreadyIgnored]
  const draft: Record<string, Json> = { ...resource }
  for (const edit of edits) applyEdit(draft, edit, habits, ignored)
  const next = { ...draft, schemas: schemasOf(draft, definition) }
  const isChanged = !isDeepStrictEqual({ ...next, schemas: 0 }, { ...resource, schemas: 0 })
  return { resource: isChanged ? next : resource, isChanged, ignored }
}

/**
 * Reads the body of POST or PUT, including keys such as `name.givenName` if the profile allows them.
 *
 * @throws ScimError `invalidSyntax` or `invalidValue`
 */
export function acceptResource(body: unknown, definition: Definition, habits: Habits): PatchOutcome {
  const { resource, flattened, ignored } = readResource(body, definition, habits)
  const value = Object.fromEntries(flattened)
  const operations: Operation[] = flattened.length > 0 ? [{ op: 'add', value }] : []
  const outcome = applyPatch(resource, operations, definition, habits)
  checkRequired(outcome.resource, definition)
  return { ...outcome, ignored: [...ignored, ...outcome.ignored] }
}

function applyEdit(draft: Record<string, Json>, edit: Edit, habits: Habits, ignored: string[]): void {
  const { urn, attribute } = edit
  if (attribute.name === 'schemas') return
  if (attribute.mutability === 'readOnly') {
    refuseReadOnly(draft, edit, habits, ignored)
    return
  }
  if (urn === undefined) {
    setMember(draft, edit, habits, ignored)
    return
  }
  const extension = { ...objectOr(member(draft, urn)) }
  setMember(extension, edit, habits, ignored)
  if (Object.keys(extension).length > 0) draft[urn] = extension
  else delete draft[urn]
}

/** A read-only value that is the same as before is accepted: Okta sends a group's id with its new name. */
function refuseReadOnly(
  draft: JsonObject,
  { attribute, value, isNamed }: Edit,
  habits: Habits,
  ignored: string[],
): void {
  if (!isNamed && habits.ignoresUnknown) ignored.push(attribute.name)
  else if (isNamed || !isDeepStrictEqual(member(draft, attribute.name), value)) {
    throw new ScimError('mutability', `Only the server sets ${attribute.name}. Leave it out.`)
  }
}

function setMember(holder: Record<string, Json>, edit: Edit, habits: Habits, ignored: string[]): void {
  const { attribute } = edit
  const current = member(holder, attribute.name)
  const next = attribute.multiValued
    ? nextList(current, edit, habits, ignored)
    : nextSingle(current, edit, habits, ignored)
  if (attribute.required && isEmpty(next)) {
    throw new ScimError('mutability', `${attribute.name} is required, so it cannot be removed.`)
  }
  if (next === undefined) delete holder[attribute.name]
  else holder[attribute.name] = next
}

function nextSingle(current: Json | undefined, edit: Edit, habits: Habits, ignored: string[]): Json | undefined {
  const { op, attribute, sub, value = null } = edit
  if (sub !== undefined) {
    const read = op === 'remove' ? undefined : readValue(sub, value, `${attribute.name}.${sub.name}`, habits, ignored)
    return withMember(objectOr(current), sub, read)
  }
  if (op === 'remove') return undefined
  const read = readValue(attribute, value, attribute.name, habits, ignored)
  return attribute.type === 'complex' && isObject(value) ? merged(attribute, objectOr(current), value, read) : read
}
