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
  const mutation = useMutation({
    mutationFn(values: Values) {
      const text = JSON.stringify(values)
      if (last.current?.values !== text) last.current = { values: text, key: newKey() }
      return send(values, last.current.key)
    },
    onSuccess(result, values) {
      last.current = undefined
      onSuccess?.(result, values)
    },
  })
  return {
    submit(values: Values) {
      if (!mutation.isPending) mutation.mutate(values)
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
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
