/**
 * The PATCH of a group. Members are separate rows, so the outcome names the ones to add and to remove; the list
 * of members is neither read nor written.
 */
import type { Filter } from '../filter/ast.ts'
import type { Predicate } from '../filter/evaluate.ts'
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import type { Habits } from '../protocol/profiles.ts'
import type { Definition } from '../schemas/definition.ts'
import { readValues } from '../schemas/read.ts'
import { applyEdits, type PatchOutcome } from './apply.ts'
import { type Edit, readEdits } from './edits.ts'
import { removalByValue } from './list.ts'
import type { Operation } from './operations.ts'

/** One step; they apply in their order, in one transaction. Adding a member and removing another user change nothing. */
export type MemberStep =
  | { readonly kind: 'add'; readonly ids: readonly string[] }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'removeAll' }
  /** A filter that names no ids, such as `display sw "A"`: only this needs the members read. */
  | { readonly kind: 'removeMatching'; readonly matches: Predicate }

export interface GroupPatchOutcome extends PatchOutcome {
  readonly members: readonly MemberStep[]
}

/**
 * Applies a PATCH to a group.
 *
 * @param group without its members
 * @throws ScimError with the keyword that RFC 7644 §3.5.2 names
 */
export function applyGroupPatch(
  group: JsonObject,
  operations: readonly Operation[],
  definition: Definition,
  habits: Habits,
): GroupPatchOutcome {
  const { edits, ignored } = readEdits(operations, definition, habits)
  const ofMembers = edits.filter(({ attribute }) => attribute.name === 'members')
  const others = edits.filter(({ attribute }) => attribute.name !== 'members')
  const notes: string[] = []
  const members = joined(ofMembers.flatMap((edit) => stepsOf(edit, habits, notes)))
  const outcome = applyEdits(group, others, definition, habits, [...ignored, ...notes])
  return { ...outcome, members }
}

/**
 * Returns the ids of the members in the body of POST or PUT, each one once. They replace all members.
 *
 * @throws ScimError `invalidValue`
 */
export function memberIds(group: JsonObject): string[] {
  const members = member(group, 'members')
  return [...new Set(isArray(members) ? members.map(idOf) : [])]
}

function stepsOf(edit: Edit, habits: Habits, ignored: string[]): MemberStep[] {
  const { op, choice, sub, value } = edit
  if (sub !== undefined) throw fixed()
  if (op === 'remove') return choice === undefined ? removal(edit, habits, ignored) : [chosenRemoval(choice)]
  if (choice !== undefined) {
    const ids = idsOf(choice.filter)
    if (op !== 'add' || !habits.createsMissing || ids?.length !== 1) throw fixed()
    return [{ kind: 'add', ids }]
  }
  const add: MemberStep = { kind: 'add', ids: sentIds(edit, value ?? null, habits, ignored) }
  return op === 'replace' ? [{ kind: 'removeAll' }, add] : [add]
}

function removal(edit: Edit, habits: Habits, ignored: string[]): MemberStep[] {
  const { value } = edit
  if (value === undefined || value === null) return [{ kind: 'removeAll' }]
  if (!habits.removalByValue) throw removalByValue(edit.attribute)
  return [{ kind: 'remove', ids: sentIds(edit, value, habits, ignored) }]
}

function chosenRemoval({ filter, matches }: NonNullable<Edit['choice']>): MemberStep {
  const ids = idsOf(filter)
  return ids === undefined ? { kind: 'removeMatching', matches } : { kind: 'remove', ids }
}

/** Returns the ids that `value eq "a"` or `value eq "a" or value eq "b"` name; undefined for other filters. */
function idsOf(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const parts = filter.filters.map(idsOf)
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined
  }
  const isId = filter.kind === 'compare' && filter.operator === 'eq' && filter.path.name.toLowerCase() === 'value'
  return isId && typeof filter.value === 'string' ? [filter.value] : undefined
}

function sentIds({ attribute }: Edit, value: Json, habits: Habits, ignored: string[]): string[] {
  const sent = (isArray(value) ? value : [value]).filter((one) => one !== null)
  const read = readValues(attribute, sent, attribute.name, habits, ignored) ?? []
  if (read.length < sent.length) throw withoutId()
  return read.map(idOf)
}

function idOf(value: Json): string {
  const id = isObject(value) ? member(value, 'value') : undefined
  if (!isObject(value) || typeof id !== 'string' || id === '') {
    throw withoutId()
  }
  const type = member(value, 'type')
  if (typeof type === 'string' && type.toLowerCase() !== 'user') {
    throw new ScimError('invalidValue', 'Only users can be members of a group. Add the users of the other group.')
  }
  return id
}

function withoutId(): ScimError {
  return new ScimError('invalidValue', 'Each member needs a value: the id of a user.')
}

function fixed(): ScimError {
  return new ScimError('mutability', 'A member cannot be changed. Remove it and add another one.')
}

/** Joins steps of the same kind that follow each other, and drops what later steps undo. */
function joined(steps: readonly MemberStep[]): MemberStep[] {
  const done: { kind: MemberStep['kind']; ids: Set<string>; matches?: Predicate }[] = []
  for (const step of steps) {
    const last = done.at(-1)
    if (step.kind === 'removeAll') done.splice(0, done.length, { kind: step.kind, ids: new Set() })
    else if (step.kind === 'removeMatching') done.push({ kind: step.kind, ids: new Set(), matches: step.matches })
    else if (last?.kind === step.kind) for (const id of step.ids) last.ids.add(id)
    else done.push({ kind: step.kind, ids: new Set(step.ids) })
  }
  return done.flatMap(({ kind, ids, matches }): MemberStep[] => {
    if (matches !== undefined) return [{ kind: 'removeMatching', matches }]
    if (kind === 'removeAll') return [{ kind }]
    return ids.size > 0 && kind !== 'removeMatching' ? [{ kind, ids: [...ids] }] : []
  })
}
