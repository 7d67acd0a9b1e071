/** References to resources that the same bulk request creates: `"value": "bulkId:ada"` (RFC 7644 §3.7.2). */
import { isArray, isObject, type Json } from '../protocol/json.ts'
import type { BulkOperation } from './operation.ts'

const prefix = 'bulkId:'
const inPath = /"bulkId:([^"\\]+)"/g

/** The members that may hold a reference. Others, such as userName, may start with `bulkId:` by chance. */
const referenceMembers = new Set(['value', '$ref'])

/** Returns every bulkId that an operation refers to. */
export function bulkIdsIn({ id, data }: Pick<BulkOperation, 'id' | 'data'>): Set<string> {
  const found = new Set<string>()
  const note = (bulkId: string) => {
    found.add(bulkId)
    return bulkId
  }
  if (id !== undefined) resolveText(id, note)
  if (data !== undefined) resolveIn(data, '', note)
  return found
}

/** Returns the operation with ids in place of its references. */
export function withIds(operation: BulkOperation, idOf: (bulkId: string) => string): BulkOperation {
  const { id, data } = operation
  const resolved = data === undefined ? undefined : resolveIn(data, '', idOf)
  return {
    ...operation,
    id: id === undefined ? undefined : resolveText(id, idOf),
    data: isObject(resolved) ? resolved : undefined,
  }
}

/** @param name the member that holds the value, or the list with the value */
function resolveIn(value: Json, name: string, idOf: (bulkId: string) => string): Json {
  if (isArray(value)) return value.map((one) => resolveIn(one, name, idOf))
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolveIn(one, key.toLowerCase(), idOf)]))
  }
  if (typeof value !== 'string') return value
  if (referenceMembers.has(name)) return resolveText(value, idOf)
  return name === 'path' ? value.replaceAll(inPath, (_, bulkId: string) => JSON.stringify(idOf(bulkId))) : value
}

function resolveText(text: string, idOf: (bulkId: string) => string): string {
  return text.startsWith(prefix) ? idOf(text.slice(prefix.length)) : text
}
