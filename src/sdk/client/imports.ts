import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, WriteOptions } from './options.ts'
import type { Body } from './transport.ts'
import type { ImportedRow, ImportJob } from './types.ts'

export type ImportReject = ImportedRow & { verdict: 'rejected'; code: string; pointer: string | null; detail: string }

export type ImportOptions = WriteOptions &
  QueryOf<'POST /users/import'> & {
    contentType:
      | 'application/x-ndjson'
      | 'text/csv'
      | `text/csv; charset=${string}`
      | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    /** How the body is compressed. */
    contentEncoding?: 'gzip' | undefined
    /** Instead of `job_id`: requests with the same key belong to the same import. */
    idempotencyKey?: string | undefined
  }

/** Passwords in the body are hashed sequentially, so a response can take minutes. */
const patientMs = 600_000

export class Imports {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Sends rows to an import; see `users.import`. */
  send(file: Body, options: ImportOptions): Promise<ImportJob> {
    const {
      contentType,
      contentEncoding,
      mode,
      on_conflict,
      file_name,
      match,
      job_id,
      from_row,
      from_line,
      count_lines,
      complete,
      ...rest
    } = options
    return this.#calls.call('POST /users/import', {
      timeoutMs: patientMs,
      ...rest,
      query: { mode, on_conflict, match, file_name, job_id, from_row, from_line, count_lines, complete },
      headers: {
        ...rest.headers,
        'content-type': contentType,
        ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
      },
      file,
    })
  }

  /** Returns the latest imports, the newest first. */
  list(query: QueryOf<'GET /imports'> = {}, options: CallOptions = {}): Promise<ImportJob[]> {
    return this.#calls.call('GET /imports', { ...options, query })
  }

  get(job_id: string, options: CallOptions = {}): Promise<ImportJob> {
    return this.#calls.call('GET /imports/{job_id}', { ...options, path: { job_id } })
  }

  /** Yields the verdict on each row, in the order of the rows. */
  rows(
    job_id: string,
    query: QueryOf<'GET /imports/{job_id}/rows'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ImportedRow, void, undefined> {
    return this.#calls.rows('GET /imports/{job_id}/rows', { ...options, path: { job_id }, query })
  }

  cancel(job_id: string, options: WriteOptions = {}): Promise<ImportJob> {
    return this.#calls.call('POST /imports/{job_id}/cancel', { ...options, path: { job_id } })
  }
}
