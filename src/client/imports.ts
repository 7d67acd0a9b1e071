import type { CallOptions } from './options.ts'
import { type Body, rowsOf, type Transport } from './transport.ts'
import { uuidv7 } from './uuid.ts'

export type ImportMode = 'create' | 'update'

export type ImportReject = {
  row: number
  verdict: 'rejected'
  user_id: string | null
  code: string
  pointer: string | null
  detail: string
}

export type ImportJob = {
  job_id: string
  state: 'running' | 'interrupted' | 'done' | 'cancelled'
  dry_run: boolean
  mode: ImportMode
  match: 'username' | 'email' | 'external_id' | 'user_id'
  on_conflict: 'reject' | 'skip'
  format: 'ndjson' | 'csv'
  rows_done: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  rejected: number
  created_at: string
  updated_at: string
  finished_at: string | null
  rejects: ImportReject[]
}

export type ImportVerdict =
  | { row: number; verdict: 'created' | 'updated' | 'unchanged' | 'skipped'; user_id: string }
  | ImportReject

export type ImportOptions = CallOptions & {
  /** `application/x-ndjson` or `text/csv`. */
  contentType: string
  /** The body is compressed. */
  contentEncoding?: 'gzip' | undefined
  mode?: ImportMode | undefined
  on_conflict?: 'reject' | 'skip' | undefined
  match?: ImportJob['match'] | undefined
  dryRun?: boolean | undefined
  /** The name of the job, a UUID; sent again with the same name, an import goes on where it stopped. */
  job_id?: string | undefined
  /** The body begins after so many rows of the whole. */
  from_row?: number | undefined
  /** False: more parts follow. */
  complete?: boolean | undefined
}

/** A part may hold passwords that are hashed one after the other. */
const partTimeoutMs = 600_000

/** Imports that are under way or done. */
export class Imports {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async send(body: Body, options: ImportOptions): Promise<ImportJob> {
    const { contentType, contentEncoding, mode, on_conflict, match, job_id, from_row, complete, ...rest } = options
    const answer = await this.#transport.send({
      timeoutMs: partTimeoutMs,
      ...rest,
      method: 'POST',
      path: '/users/import',
      // Named by the client: a part that is sent again after a lost answer is known by it.
      query: { mode, on_conflict, match, job_id: job_id ?? uuidv7(), from_row, complete },
      headers: {
        ...rest.headers,
        'content-type': contentType,
        ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
      },
      body,
    })
    return answer.body as ImportJob
  }

  /** The newest first. */
  async list(options: CallOptions = {}): Promise<ImportJob[]> {
    const { body } = await this.#transport.send({ ...options, method: 'GET', path: '/users/imports' })
    return body as ImportJob[]
  }

  async get(job_id: string, options: CallOptions = {}): Promise<ImportJob> {
    const path = `/users/imports/${encodeURIComponent(job_id)}`
    return (await this.#transport.send({ ...options, method: 'GET', path })).body as ImportJob
  }

  /** What became of each row, in their order. */
  async *rows(
    job_id: string,
    query: { verdict?: ImportVerdict['verdict'] | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<ImportVerdict, void, undefined> {
    const path = `/users/imports/${encodeURIComponent(job_id)}/rows`
    const headers = { ...options.headers, accept: 'application/x-ndjson' }
    yield* rowsOf<ImportVerdict>(await this.#transport.open({ ...options, headers, method: 'GET', path, query }))
  }

  async cancel(job_id: string, options: CallOptions = {}): Promise<ImportJob> {
    const path = `/users/imports/${encodeURIComponent(job_id)}/cancel`
    return (await this.#transport.send({ ...options, method: 'POST', path })).body as ImportJob
  }
}
