import { useLingui } from '@lingui/react/macro'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Review, ReviewRow } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { confirming } from '../../api/confirm.ts'
import { useMe } from '../../api/me.ts'
import { detailOf } from '../../ui/problem.tsx'
import { newKey } from '../../ui/use-submit.ts'

export type Decision = 'keep' | 'remove'

type Pages = InfiniteData<{ rows: ReviewRow[]; next: string | undefined }>

/** Decides rows in the order of the keys pressed, without waiting for the one before. */
export function useRowDecisions({ review_id }: Pick<Review, 'review_id'>) {
  const { t } = useLingui()
  const unreachable = t`The service cannot be reached.`
  const queries = useQueryClient()
  const { user_id, username } = useMe()
  const last = useRef<Promise<void>>(Promise.resolve())
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set())
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map())

  function setRefusal(rowId: string, text: string | undefined): void {
    setRefusals((before) => {
      const next = new Map(before)
      if (text === undefined) next.delete(rowId)
      else next.set(rowId, text)
      return next
    })
  }

  function replace(rowId: string, change: Partial<ReviewRow>): void {
    queries.setQueriesData<Pages>({ queryKey: ['review-rows', review_id] }, (data) =>
      data === undefined
        ? data
        : {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              rows: page.rows.map((row) => (row.row_id === rowId ? { ...row, ...change } : row)),
            })),
          },
    )
  }

  async function send(rowId: string, decision: Decision, comment: string): Promise<void> {
    // The same for a repetition after a confirmation.
    const idempotencyKey = newKey()
    const body = { row_ids: [rowId], decision, comment }
    try {
      const { rows, counts } = await confirming(() => api.reviews.decide(review_id, body, { idempotencyKey }))
      queries.setQueryData<Review>(['reviews', review_id], (review) => review && { ...review, counts })
      const [{ state, code, detail } = { state: 'open' as const, code: undefined, detail: undefined }] = rows
      setRefusal(rowId, code === undefined ? undefined : detail)
      if (code !== undefined) return
      const decided_by = { kind: 'user', id: user_id, name: username }
      replace(rowId, { state, comment, decided_at: new Date().toISOString(), decided_by })
    } catch (error) {
      setRefusal(rowId, detailOf(error, unreachable))
    }
  }

  function decide(rowId: string, decision: Decision, comment: string): void {
    setPending((before) => new Set([...before, rowId]))
    last.current = last.current
      .then(() => send(rowId, decision, comment))
      .finally(() => setPending((before) => new Set([...before].filter((one) => one !== rowId))))
  }

  return { decide, pending, refusals }
}
