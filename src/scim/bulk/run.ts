/** Executes a bulk plan and builds the response (RFC 7644 §3.7.3). */
import { errorBody, ScimError } from '../protocol/errors.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { bulkResponseUrn } from '../protocol/urns.ts'
import type { BulkOperation } from './operation.ts'
import type { BulkPlan, PlannedOperation } from './plan.ts'
import { withIds } from './references.ts'

/** What an executed operation reports. */
export interface Executed {
  readonly status: number
  readonly id?: string
  readonly location?: string
  readonly version?: string
}

interface BulkActions {
  /** Executes an operation. @throws ScimError for a refusal; anything else ends the request */
  readonly execute: (operation: BulkOperation, newId: string | undefined) => Promise<Executed>
  /** Returns an id for a resource in a cycle, which others refer to before it exists. */
  readonly newId: () => string
  /** Returns the address of a resource. */
  readonly locationOf: (endpoint: string, id: string) => string
}

export async function runBulk(plan: BulkPlan, actions: BulkActions): Promise<JsonObject> {
  const results: (JsonObject | undefined)[] = plan.operations.map(() => undefined)
  const failed = new Set<number>()
  const soFar = { failed, ids: idsInAdvance(plan, actions) }
  for (const index of plan.order) {
    if (plan.failOnErrors !== undefined && failed.size >= plan.failOnErrors) break
    const planned = plan.operations[index]
    if (planned === undefined) continue
    try {
      results[index] = await runOne(planned, plan.dependencies[index], soFar, actions)
    } catch (error) {
      if (!(error instanceof ScimError)) throw error
      failed.add(index)
      results[index] = failure(planned, error, actions)
    }
  }
  return { schemas: [bulkResponseUrn], Operations: results.filter((one) => one !== undefined) }
}

/** Ids by bulkId. Outside of cycles, an id is added once its resource is created. */
function idsInAdvance({ operations, circular }: BulkPlan, { newId }: BulkActions): Map<string, string> {
  const ids = new Map<string, string>()
  for (const index of circular) {
    const operation = operations[index]?.operation
    if (operation?.method === 'POST' && operation.bulkId !== undefined) ids.set(operation.bulkId, newId())
  }
  return ids
}

async function runOne(
  { operation, fault }: PlannedOperation,
  dependencies: BulkPlan['dependencies'][number] | undefined,
  { failed, ids }: { failed: ReadonlySet<number>; ids: Map<string, string> },
  { execute }: BulkActions,
): Promise<JsonObject> {
  if (operation === undefined) throw fault
  if (dependencies?.intersection(failed).size) throw unresolved()
  const { method, bulkId } = operation
  const newId = method === 'POST' && bulkId !== undefined ? ids.get(bulkId) : undefined
  const resolved = withIds(operation, (one) => {
    const id = ids.get(one)
    if (id === undefined) throw unresolved()
    return id
  })
  const { status, id, location, version } = await execute(resolved, newId)
  if (method === 'POST' && bulkId !== undefined && id !== undefined) ids.set(bulkId, id)
  return {
    method,
    ...(bulkId !== undefined && { bulkId }),
    ...(location !== undefined && { location }),
    ...(version !== undefined && { version }),
    status: String(status),
  }
}

function unresolved(): ScimError {
  return new ScimError(409, 'The operation refers to a resource of this request that could not be created.')
}

function failure({ sent, operation }: PlannedOperation, error: ScimError, { locationOf }: BulkActions): JsonObject {
  const sentTexts = operation ?? sent
  const echo = (name: 'method' | 'bulkId'): Record<string, Json> => {
    const value = sentTexts[name]
    return typeof value === 'string' ? { [name]: value } : {}
  }
  const id = operation?.id
  return {
    ...echo('method'),
    ...echo('bulkId'),
    ...(operation !== undefined && id !== undefined && !id.startsWith('bulkId:')
      ? { location: locationOf(operation.endpoint, id) }
      : {}),
    status: String(error.status),
    response: { ...errorBody(error) },
  }
}
