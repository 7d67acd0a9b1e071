/** Splits operations into edits of one attribute each, which are found in the schema. */

import type { Filter } from '../filter/ast.ts'
import { compileElementFilter, type Predicate } from '../filter/evaluate.ts'
import { boundedWork, type Work } from '../filter/work.ts'
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject } from '../protocol/json.ts'
import { type Habits, profileHint } from '../protocol/profiles.ts'
import type { Attribute } from '../schemas/attribute.ts'
import { type AttributePath, readAttributePath } from '../schemas/attribute-path.ts'
import {
  type AttributeTarget,
  attributeCalled,
  type Definition,
  type Extension,
  findTarget,
  qualified,
  subAttribute,
  suggestion,
  unknownPath,
} from '../schemas/definition.ts'
import { distinctMembers } from '../schemas/read.ts'
import type { Operation } from './operations.ts'
import { parsePatchPath } from './path.ts'

export interface Edit {
  readonly op: Operation['op']
  /** The extension that has the attribute. */
  readonly urn: string | undefined
  readonly attribute: Attribute
  /** The brackets of the path, and whether they mean a value. */
  readonly choice: { readonly filter: Filter; readonly matches: Predicate } | undefined
  readonly sub: Attribute | undefined
  readonly value: Json | undefined
  /** Whether the path of the operation names it; otherwise it is a member of a value. */
  readonly isNamed: boolean
}

export interface Edits {
  readonly edits: readonly Edit[]
  /** The name of an unknown attribute that the profile ignores. */
  readonly ignored: readonly string[]
}

/** @throws ScimError `invalidPath`, `invalidFilter`, `invalidValue` or `invalidSyntax` */
export function readEdits(operations: readonly Operation[], definition: Definition, habits: Habits): Edits {
  const work = boundedWork(mostComparisons, 'invalidFilter', tooManyComparisons)
  const reading = { definition, habits, ignored: [], work }
  const edits = operations.flatMap((operation) =>
    operation.path === undefined
      ? editsOfValue(reading, operation)
      : editsOfPath(reading, operation, { text: operation.path, isNamed: true }),
  )
  return { edits, ignored: reading.ignored }
}

type Reading = { definition: Definition; habits: Habits; ignored: string[]; work: Work }

/**
 * The comparisons of all paths of a request with values and members: while it runs, all other changes wait
 * (docs/decisions/0053-scim-modules.md, 0192).
 */
const mostComparisons = 500_000
const tooManyComparisons =
  'The filters in the paths compare too many values. Use fewer conditions, or send the operations in several requests.'

/** Without a path, each member of the value names an attribute. */
function editsOfValue(reading: Reading, operation: Operation): Edit[] {
  const { definition, habits, ignored } = reading
  return distinctMembers(objectOf(operation.value, 'Without a path, the value must be an object.')).flatMap(
    ([key, value]) => {
      const { op } = operation
      const extension = definition.extensions.get(key.toLowerCase())
      if (extension !== undefined) return editsOfExtension(reading, extension, { op, value })
      const attribute = definition.attributes.get(key.toLowerCase())
      if (attribute !== undefined) return [editOf(op, { urn: undefined, attribute, sub: undefined }, value, false)]
      if (habits.flattenedKeys && (key.includes('[') || readAttributePath(key) !== undefined)) {
        return editsOfPath(reading, { op, value }, { text: key, isNamed: false })
      }
      if (!habits.ignoresUnknown) throw /[.:[]/.test(key) ? flattened() : unknown(definition, { name: key })
      ignored.push(key)
      return []
    },
  )
}

function editsOfPath(
  reading: Reading,
  { op, value }: Operation,
  { text, isNamed }: { text: string } & Pick<Edit, 'isNamed'>,
): Edit[] {
  const { definition, habits, ignored, work } = reading
  const { path: written, filter, sub } = parsePatchPath(text)
  const path = habits.flattenedKeys ? qualified(definition, written) : written
  const target = findTarget(definition, path)
  if (target?.kind === 'extension' && filter === undefined) {
    const extension = definition.extensions.get(target.urn.toLowerCase())
    return extension === undefined ? [] : editsOfExtension(reading, extension, { op, value })
  }
  const found = target?.kind === 'attribute' ? withSub(target, sub) : undefined
  if (found === undefined) {
    if (!habits.ignoresUnknown) throw unknown(definition, { ...path, ...(sub !== undefined && { sub }) })
    ignored.push(text)
    return []
  }
  if (filter !== undefined && !found.attribute.multiValued) {
    throw new ScimError('invalidPath', `${found.attribute.name} has one value, so its path has no brackets.`)
  }
  const choice = filter && {
    filter,
    matches: compileElementFilter(filter, found.attribute, { ...habits, spend: work.spend }),
  }
  return [{ ...editOf(op, found, value, isNamed), choice }]
}

function withSub(target: AttributeTarget, name: string | undefined): AttributeTarget | undefined {
  if (name === undefined) return target
  const sub = subAttribute(target.attribute, name)
  return sub && { ...target, sub }
}

/** An extension is changed attribute by attribute; `remove` removes all of them. */
function editsOfExtension(
  { habits, ignored }: Reading,
  { schema, attributes }: Extension,
  { op, value }: Pick<Edit, 'op' | 'value'>,
): Edit[] {
  const urn = schema.id
  if (op === 'remove' || value === null) {
    return schema.attributes.map((attribute) => editOf('remove', { urn, attribute, sub: undefined }, undefined, false))
  }
  const members = objectOf(value, `The value of ${urn} must be an object.`)
  return distinctMembers(members).flatMap(([key, one]) => {
    const attribute = attributes.get(key.toLowerCase())
    if (attribute !== undefined) return [editOf(op, { urn, attribute, sub: undefined }, one, false)]
    if (!habits.ignoresUnknown) {
      throw new ScimError(
        'invalidPath',
        `An operation names ${attributeCalled(key)}, which ${urn} does not have.${suggestion(key, attributes)}`,
      )
    }
    ignored.push(`${urn}:${key}`)
    return []
  })
}

function editOf(
  op: Operation['op'],
  { urn, attribute, sub }: Pick<AttributeTarget, 'urn' | 'attribute' | 'sub'>,
  value: Json | undefined,
  isNamed: boolean,
): Edit {
  return { op, urn, attribute, sub, choice: undefined, value, isNamed }
}

function objectOf(value: Json | undefined, refusal: string): JsonObject {
  const one = isArray(value) && value.length === 1 ? value[0] : value
  if (isObject(one)) return one
  throw new ScimError('invalidValue', refusal)
}

function flattened(): ScimError {
  const detail = 'Without a path, a member of the value must be the name of an attribute or the URN of an extension.'
  return new ScimError('invalidPath', `${detail} Send name.givenName as {"name": {"givenName": …}}.${profileHint}`)
}

function unknown(definition: Definition, path: AttributePath): ScimError {
  const detail = `An operation names ${unknownPath(definition, path)}`
  return new ScimError('invalidPath', `${detail} /Schemas lists all attributes.`)
}
