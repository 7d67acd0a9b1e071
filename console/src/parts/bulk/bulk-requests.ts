/** A change of more users than one request takes by ID, as one. */
import type { BulkChange, BulkLine } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { mostByName } from './selection.ts'

type Options = {
  dryRun?: boolean
  rows?: 'all' | 'refused'
  /** Also users whom an identity provider manages. */
  override?: boolean
  signal?: AbortSignal
  idempotencyKey?: string
}
type End = Extract<BulkLine, { type: 'end' }>

export async function* changeMany(
  { user_ids, ...change }: BulkChange,
  { idempotencyKey, ...options }: Options,
): AsyncGenerator<BulkLine, void, undefined> {
  if (user_ids === undefined || user_ids.length <= mostByName) {
    yield* api.users.bulk(
      { ...change, ...(user_ids && { user_ids }) },
      { ...options, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    )
    return
  }
  yield { type: 'begin', total: user_ids.length }
  let before: End = { type: 'end', changed: 0, unchanged: 0, refused: 0 }
  for (let from = 0; from < user_ids.length; from += mostByName) {
    const part = { ...change, user_ids: user_ids.slice(from, from + mostByName) }
    const key = idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}-${from}` }
    let end = before
    for await (const line of api.users.bulk(part, { ...options, ...key })) {
      if (line.type === 'row') yield line
      if (line.type !== 'progress' && line.type !== 'end') continue
      const [changed, unchanged, refused] = [
        before.changed + line.changed,
        before.unchanged + line.unchanged,
        before.refused + line.refused,
      ]
      end = { type: 'end', changed, unchanged, refused }
      yield { type: 'progress', done: changed + unchanged + refused, changed, unchanged, refused }
    }
    before = end
  }
  yield before
}
