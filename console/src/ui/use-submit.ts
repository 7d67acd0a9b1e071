import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { confirming } from '../api/confirm.ts'

type Options<Values, Result> = {
  /** The queries to read again afterwards. */
  stale?: readonly QueryKey[]
  onSuccess?: (result: Result, values: Values) => void
}

/**
 * Sends a form only once while it is being sent. `send` receives an Idempotency-Key that stays the same for the same
 * values, so a retry after a lost response has no second effect.
 */
export function useSubmit<Values, Result>(
  send: (values: Values, idempotencyKey: string) => Promise<Result>,
  { onSuccess, stale = [] }: Options<Values, Result> = {},
) {
  const queries = useQueryClient()
  const last = useRef<{ values: string; key: string } | undefined>(undefined)
  // Not state: a second press can come before the next render.
  const isSending = useRef(false)
  const mutation = useMutation({
    // The values and the response may hold a secret: drop them soon after the form.
    gcTime: 1000,
    mutationFn(values: Values) {
      const text = JSON.stringify(values)
      if (last.current?.values !== text) last.current = { values: text, key: newKey() }
      return confirming(() => send(values, last.current?.key ?? newKey()))
    },
    onSuccess(result, values) {
      last.current = undefined
      isSending.current = false
      onSuccess?.(result, values)
      for (const queryKey of stale) void queries.invalidateQueries({ queryKey })
    },
    onError() {
      isSending.current = false
    },
  })
  return {
    submit(values: Values) {
      if (isSending.current) return
      isSending.current = true
      mutation.mutate(values)
    },
    isPending: mutation.isPending,
    /** The values being sent, or sent last. */
    values: mutation.variables,
    error: mutation.error,
    result: mutation.data,
    reset: mutation.reset,
  }
}

/** Browsers have no `crypto.randomUUID` on plain http. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
