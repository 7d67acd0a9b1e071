import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * Sends a form once, however often it is pressed. `send` gets an Idempotency-Key that stays the same for the same values,
 * so that a second try after a lost answer has no second effect.
 */
export function useSubmit<Values, Result>(
  send: (values: Values, idempotencyKey: string) => Promise<Result>,
  { onSuccess }: { onSuccess?: (result: Result, values: Values) => void } = {},
) {
  const last = useRef<{ values: string; key: string } | undefined>(undefined)
  // Not what was drawn last, which a second press can be ahead of.
  const isSending = useRef(false)
  const mutation = useMutation({
    // What was sent or answered may be a secret: it goes soon after the form.
    gcTime: 1000,
    mutationFn(values: Values) {
      const text = JSON.stringify(values)
      if (last.current?.values !== text) last.current = { values: text, key: newKey() }
      return send(values, last.current.key)
    },
    onSuccess(result, values) {
      last.current = undefined
      isSending.current = false
      onSuccess?.(result, values)
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
    /** What is being sent, or was sent last. */
    values: mutation.variables,
    error: mutation.error,
    result: mutation.data,
    reset: mutation.reset,
  }
}

/** On plain http a browser has no `crypto.randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
