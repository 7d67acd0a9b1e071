/** Reads the body of a PATCH (RFC 7644 §3.5.2). */
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, membersByLowerCase } from '../protocol/json.ts'
import { type Habits, profileHint } from '../protocol/profiles.ts'
import { patchOpUrn } from '../protocol/urns.ts'

/** More operations than any client sends. Each one may cost a pass over a list of values. */
const MAX_OPERATIONS = 1000

export interface Operation {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path?: string
  /** Undefined only for `remove`. */
  readonly value?: Json
}

/** @throws ScimError `invalidSyntax`, `invalidPath`, `noTarget` or `invalidValue` */
export function readOperations(body: unknown, habits: Habits): Operation[] {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object.')
  const members = membersByLowerCase(body)
  if (!habits.ignoresUnknown) checkSchemas(members.get('schemas'))
  const operations = members.get('operations')
  if (!isArray(operations)) throw new ScimError('invalidSyntax', 'Operations must be a list.')
  if (operations.length === 0 && !habits.emptyOperations) {
    throw new ScimError('invalidSyntax', `Operations is empty. Send at least one operation.${profileHint}`)
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new ScimError(413, `Send at most ${MAX_OPERATIONS} operations in one request.`)
  }
  return operations.map((operation) => readOperation(operation, habits))
}

function checkSchemas(schemas: Json | undefined): void {
  const isPatch = (urn: Json) => typeof urn === 'string' && urn.toLowerCase() === patchOpUrn.toLowerCase()
  if (!isArray(schemas) || !schemas.some(isPatch)) {
    throw new ScimError('invalidSyntax', `schemas must be ["${patchOpUrn}"].`)
  }
}

function readOperation(operation: Json, habits: Habits): Operation {
  if (!isObject(operation)) throw new ScimError('invalidSyntax', 'An operation must be an object.')
  const members = membersByLowerCase(operation)
  const op = readOp(members.get('op'), habits)
  const path = readPath(members.get('path'), habits)
  const value = members.get('value')
  if (op === 'remove' && path === undefined) {
    throw new ScimError('noTarget', 'A remove operation needs a path that says what to remove.')
  }
  if (op !== 'remove' && value === undefined) {
    throw new ScimError('invalidValue', `A value is missing: ${op} needs one.`)
  }
  return { op, ...(path !== undefined && { path }), ...(value !== undefined && { value }) }
}

function readOp(op: Json | undefined, habits: Habits): Operation['op'] {
  const word = habits.capitalizedOps && typeof op === 'string' ? op.toLowerCase() : op
  if (word === 'add' || word === 'remove' || word === 'replace') return word
  throw new ScimError(
    'invalidSyntax',
    `The op must be add, remove or replace, in lower case.${habits.capitalizedOps ? '' : profileHint}`,
  )
}

function readPath(path: Json | undefined, habits: Habits): string | undefined {
  if (path === undefined) return undefined
  if (habits.looseValues && (path === null || path === '')) return undefined
  if (typeof path === 'string' && path !== '') return path
  throw new ScimError(
    'invalidPath',
    'The path must be a text that is not empty. Leave it out to change the whole resource.',
  )
}
