import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, CreateOptions } from './options.ts'
import type { AccessRequest, DecideAccessRequest, DecidedAccessRequest } from './types.ts'

type AccessRequestQuery = QueryOf<'GET /access-requests'>

/** What an approval may set. */
export type Approval = Omit<DecideAccessRequest, 'decision' | 'reason'>

/** People who ask for access (`ROLLBOOK_ACCESS_REQUESTS`). */
export class AccessRequests {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Yields all requests that are still stored, the newest first. */
  list(
    query: Omit<AccessRequestQuery, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AccessRequest, void, undefined> {
    return this.#calls.pages('GET /access-requests', { ...options, query })
  }

  async page(
    query: AccessRequestQuery = {},
    options: CallOptions = {},
  ): Promise<{ requests: AccessRequest[]; next: string | undefined }> {
    const { rows, next } = await this.#calls.page('GET /access-requests', { ...options, query })
    return { requests: rows, next }
  }

  get(request_id: string, options: CallOptions = {}): Promise<AccessRequest> {
    return this.#calls.call('GET /access-requests/{request_id}', { ...options, path: { request_id } })
  }

  /** Approves or declines a request, once. */
  decide(request_id: string, body: DecideAccessRequest, options: CreateOptions = {}): Promise<DecidedAccessRequest> {
    return this.#calls.call('POST /access-requests/{request_id}/decision', { ...options, path: { request_id }, body })
  }

  /** Creates the user, who gets an invitation. */
  approve(request_id: string, approval: Approval = {}, options: CreateOptions = {}): Promise<DecidedAccessRequest> {
    return this.decide(request_id, { ...approval, decision: 'approve' }, options)
  }

  /** Declines it. The person gets a message with the reason. */
  decline(request_id: string, reason = '', options: CreateOptions = {}): Promise<DecidedAccessRequest> {
    return this.decide(request_id, { decision: 'decline', reason }, options)
  }
}
