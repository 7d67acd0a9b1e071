/** Reads a bulk request and finds the order of its operations (RFC 7644 §3.7). */
import { ScimError } from '../protocol/errors.ts'
import { isArray, isObject, type Json, type JsonObject, membersByLowerCase } from '../protocol/json.ts'
import type { Habits } from '../protocol/profiles.ts'
import { bulkRequestUrn } from '../protocol/urns.ts'
import { componentsInOrder } from './components.ts'
import { type BulkOperation, methods } from './operation.ts'
import { bulkIdsIn } from './references.ts'

/** An operation that cannot be executed has an error instead. */
export type PlannedOperation = { readonly sent: JsonObject } & (
  | { readonly operation: BulkOperation; readonly fault?: undefined }
  | { readonly operation?: undefined; readonly fault: ScimError }
)

export interface BulkPlan {
  /** The number of errors that ends the request. Undefined: no limit. */
  readonly failOnErrors: number | undefined
  readonly operations: readonly PlannedOperation[]
  /** Indexes of the operations: each one comes after those whose resources it refers to. */
  readonly order: readonly number[]
  /** For each operation, those whose resources it refers to. */
  readonly dependencies: readonly ReadonlySet<number>[]
  /** Operations that refer to each other in a cycle. Their ids must be known before they are created. */
  readonly circular: ReadonlySet<number>
}

/** @throws ScimError 413 or `invalidSyntax`, if no operation can be executed */
export function planBulk(body: unknown, maxOperations: number, habits: Habits): BulkPlan {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object.')
  const members = membersByLowerCase(body)
  const schemas = members.get('schemas')
  if (!habits.ignoresUnknown && !(isArray(schemas) && schemas.includes(bulkRequestUrn))) {
    throw new ScimError('invalidSyntax', `schemas must be ["${bulkRequestUrn}"].`)
  }
  const sent = members.get('operations')
  if (!isArray(sent) || !sent.every(isObject)) {
    throw new ScimError('invalidSyntax', 'Operations must be a list of objects.')
  }
  if (sent.length > maxOperations) {
    throw new ScimError(413, `The request has more than ${maxOperations} operations. Send several requests.`)
  }
  return planOperations(sent, readFailOnErrors(members.get('failonerrors')))
}

function readFailOnErrors(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value > 0 ? value : undefined
  throw new ScimError('invalidSyntax', 'failOnErrors must be a whole number.')
}

function planOperations(sent: readonly JsonObject[], failOnErrors: number | undefined): BulkPlan {
  const creators = new Map<string, number>()
  const read = sent.map((one, index): PlannedOperation => {
    try {
      return { sent: one, operation: readOperation(one, index, creators) }
    } catch (error) {
      if (error instanceof ScimError) return { sent: one, fault: error }
      throw error
    }
  })
  const dependencies: Set<number>[] = []
  const operations = read.map((planned): PlannedOperation => {
    const found = new Set<number>()
    dependencies.push(found)
    const { operation } = planned
    if (operation === undefined) return planned
    for (const bulkId of bulkIdsIn(operation)) {
      const creator = creators.get(bulkId)
      if (creator === undefined) return { sent: planned.sent, fault: unknownBulkId() }
      found.add(creator)
    }
    return planned
  })
  const components = componentsInOrder(dependencies)
  const circular = components.filter(
    ([first, second]) => second !== undefined || dependencies[first ?? 0]?.has(first ?? 0),
  )
  return { failOnErrors, operations, order: components.flat(), dependencies, circular: new Set(circular.flat()) }
}

function unknownBulkId(): ScimError {
  return new ScimError('invalidValue', 'The operation refers to a bulkId that no POST of this request has.')
}

const paths = /^\/?(Users|Groups)(?:\/([^/?#]{1,256}))?\/?$/

function readOperation(sent: JsonObject, index: number, creators: Map<string, number>): BulkOperation {
  const members = membersByLowerCase(sent)
  const text = (name: string) => textOf(members.get(name.toLowerCase()), name)
  const word = text('method')?.toUpperCase()
  const method = methods.find((one) => one === word)
  if (method === undefined) throw new ScimError('invalidSyntax', `The method must be one of ${methods.join(', ')}.`)
  const [bulkId, path = '', version] = [text('bulkId'), text('path'), text('version')]
  const [, endpoint, id] = paths.exec(path) ?? []
  if ((endpoint !== 'Users' && endpoint !== 'Groups') || (id === undefined) !== (method === 'POST')) {
    throw new ScimError(
      'invalidSyntax',
      'The path must be /Users or /Groups for POST, otherwise with the id, as /Users/{id}.',
    )
  }
  if (method === 'POST') claim(bulkId, index, creators)
  const data = members.get('data')
  if (method !== 'DELETE' && !isObject(data)) throw new ScimError('invalidSyntax', `${method} needs data: an object.`)
  return { method, bulkId, version, path, endpoint, id, data: isObject(data) ? data : undefined }
}

function claim(bulkId: string | undefined, index: number, creators: Map<string, number>): void {
  if (bulkId === undefined || bulkId === '') throw new ScimError('invalidSyntax', 'POST needs a bulkId.')
  if (creators.has(bulkId)) throw new ScimError('invalidSyntax', 'Another POST of this request has the same bulkId.')
  creators.set(bulkId, index)
}

function textOf(value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw new ScimError('invalidSyntax', `${name} must be a text.`)
}
