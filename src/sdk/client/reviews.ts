import type { Calls, QueryOf } from './operations.ts'
import type { CallOptions, ChangeOptions, CreateOptions } from './options.ts'
import type { CreateReview, DecidedReviewRows, Review, ReviewRow, UpdateReview } from './types.ts'

type RowQuery = QueryOf<'GET /reviews/{review_id}/rows'>

/** Access reviews: who should keep which access, decided row by row, and sealed. */
export class Reviews {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  list(options: CallOptions = {}): Promise<Review[]> {
    return this.#calls.call('GET /reviews', options)
  }

  get(review_id: string, options: CallOptions = {}): Promise<Review> {
    return this.#calls.call('GET /reviews/{review_id}', { ...options, path: { review_id } })
  }

  /** Begins a review of what the access report shows now. */
  create(body: CreateReview, options: CreateOptions = {}): Promise<Review> {
    return this.#calls.call('POST /reviews', { ...options, body })
  }

  update(review_id: string, body: UpdateReview, options: ChangeOptions = {}): Promise<Review> {
    return this.#calls.call('PATCH /reviews/{review_id}', { ...options, path: { review_id }, body })
  }

  /** Closes and seals a review, once. */
  close(review_id: string, options: ChangeOptions = {}): Promise<Review> {
    return this.update(review_id, { state: 'closed' }, options)
  }

  /** Yields the rows in their order, from one snapshot. */
  rows(
    review_id: string,
    query: Pick<RowQuery, 'state'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ReviewRow, void, undefined> {
    return this.#calls.rows('GET /reviews/{review_id}/rows', { ...options, path: { review_id }, query })
  }

  /** Returns one page of the rows. `next` is the `cursor` of the following page. */
  async rowsPage(
    review_id: string,
    query: RowQuery = {},
    options: CallOptions = {},
  ): Promise<{ rows: ReviewRow[]; next: string | undefined }> {
    const call = { ...options, path: { review_id }, query: { limit: 100, ...query } }
    const { rows, next } = await this.#calls.page('GET /reviews/{review_id}/rows', call)
    return { rows, next }
  }

  /** `remove` takes the access away at once; `keep` of a removed row gives it back. */
  decide(
    review_id: string,
    body: { row_ids: string[]; decision: 'keep' | 'remove'; comment?: string },
    options: CreateOptions = {},
  ): Promise<DecidedReviewRows> {
    return this.#calls.call('POST /reviews/{review_id}/decisions', { ...options, path: { review_id }, body })
  }
}
