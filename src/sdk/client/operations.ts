/** Calls operations by name, with types from the OpenAPI document. */
import { UnexpectedAnswerError } from './errors.ts'
import type { CallOptions } from './options.ts'
import { type Body, rowsOf, type Streamed, type Transport } from './transport.ts'
import type { BulkLine, ImportedRow, Operations } from './types.ts'

export type Operation = keyof Operations
export type AnswerOf<K extends Operation> = Operations[K]['answer']
export type BodyOf<K extends Operation> = Operations[K]['body']
/** Without `dry_run`, which is the option `dryRun` of each write. */
export type QueryOf<K extends Operation> = Omit<Operations[K]['query'], 'dry_run'>

type Call<K extends Operation> = CallOptions & {
  path?: Operations[K]['path']
  query?: QueryOf<K> | undefined
  body?: BodyOf<K>
  /** Sent unchanged, in place of a JSON body. */
  file?: Body
  dryRun?: boolean | undefined
  idempotencyKey?: string | undefined
  ifMatch?: string | undefined
  patienceMs?: number | undefined
}

/** A page of a list; `next` is the cursor of the following page. */
export type Page<Row> = { rows: Row[]; next: string | undefined; total: number | undefined; estimated: boolean }

/** The rows of answers that exist only as NDJSON, which the OpenAPI document does not type. */
type LinesOf = { 'GET /imports/{job_id}/rows': ImportedRow; 'POST /users/bulk': BulkLine }

type RowOf<K extends Operation> = K extends keyof LinesOf ? LinesOf[K] : AnswerOf<K> extends (infer Row)[] ? Row : never

export type Calls = {
  call<K extends Operation>(operation: K, call?: Call<K>): Promise<AnswerOf<K>>
  page<K extends Operation>(operation: K, call?: Call<K>): Promise<Page<RowOf<K>>>
  /** Yields all rows, page by page. */
  pages<K extends Operation>(operation: K, call?: Call<K>): AsyncGenerator<RowOf<K>, void, undefined>
  /** Yields all rows of one response as they arrive. */
  rows<K extends Operation>(operation: K, call?: Call<K>): AsyncGenerator<RowOf<K>, void, undefined>
  open<K extends Operation>(operation: K, call?: Call<K>): Promise<Streamed>
}

/** The ETag of each returned object. Kept outside the objects, so that they stay as the service sent them. */
const etags = new WeakMap<object, string>()

/**
 * Returns the ETag of an object from `get`, `create` or `update`, to send as `ifMatch` later.
 *
 * ```ts
 * import { etagOf } from '@rollbook/sdk/client'
 *
 * const user = await client.users.create({ username: 'etag.example' })
 * await client.users.update(user.user_id, { first_name: 'Eve' }, { ifMatch: etagOf(user) })
 * ```
 */
export function etagOf(resource: object): string | undefined {
  return etags.get(resource)
}

/** The operations whose response is not JSON. */
const textOperations: readonly string[] = ['GET /metrics', 'GET /connections/{connection_id}/metadata']

export function createCalls({ send, open }: Transport): Calls {
  async function answerTo<K extends Operation>(operation: K, call: Call<K> = {}) {
    const response = await send(requestOf(operation, call))
    if (!isObject(response.body) && !textOperations.includes(operation)) {
      throw new UnexpectedAnswerError(
        'The response is not JSON, so it did not come from Rollbook. Check the URL.',
        response.status,
      )
    }
    const etag = response.headers.get('etag')
    if (etag !== null && isObject(response.body)) etags.set(response.body, etag)
    return response as Omit<typeof response, 'body'> & { body: AnswerOf<K> }
  }

  async function page<K extends Operation>(operation: K, call?: Call<K>): Promise<Page<RowOf<K>>> {
    const { body, headers } = await answerTo(operation, call)
    const [, next] = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '') ?? []
    const total = headers.get('total-count')
    return {
      rows: body as RowOf<K>[],
      // Only the cursor: behind a proxy the link can have another address.
      next: (next !== undefined && new URL(next, 'http://localhost').searchParams.get('cursor')) || undefined,
      total: total === null ? undefined : Number(total),
      estimated: headers.get('total-count-estimated') === 'true',
    }
  }

  return {
    page,
    call: async (operation, call) => (await answerTo(operation, call)).body,
    async *pages(operation, call) {
      let cursor: string | undefined
      do {
        const query = { ...call?.query, ...(cursor !== undefined && { cursor }) }
        const { rows, next } = await page(operation, { ...call, query } as typeof call)
        yield* rows
        cursor = next
      } while (cursor !== undefined)
    },
    async *rows(operation, call) {
      const accept = { accept: 'application/x-ndjson' }
      yield* rowsOf(
        await open(requestOf(operation, { ...call, headers: { ...call?.headers, ...accept } } as typeof call)),
      )
    },
    open: (operation, call) => open(requestOf(operation, call)),
  }
}

/** For a counted list in JavaScript, which these types do not protect: a page would look like a stream that was cut off. */
export function refusePaging(filter: object): void {
  const member = ['limit', 'cursor', 'offset'].find((name) => name in filter)
  if (member !== undefined)
    throw new TypeError(`A list has every row, so it takes no ${member}. Request a page instead.`)
}

function isObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null
}

function requestOf<K extends Operation>(operation: K, { path = {}, body, file, ...rest }: Call<K> = {}) {
  const [method, template] = operation.split(' ') as [string, string]
  return {
    ...rest,
    method,
    path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      segment((path as Record<string, unknown>)[name], name),
    ),
    json: body,
    body: file,
  }
}

/** Encodes a path segment. Dots alone would change the path: `DELETE /users/..`. */
function segment(value: unknown, name: string): string {
  if (typeof value === 'string' && /[^.]/.test(value)) return encodeURIComponent(value)
  throw new TypeError(`${name} must be the id, as a string.`)
}
