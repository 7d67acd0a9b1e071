import type { FormErrors } from '@mantine/form'
import { useEffect } from 'react'
import { fieldFaults } from '../../ui/field-faults.ts'

type Form = { setErrors: (errors: FormErrors) => void; getInputNode: (path: string) => HTMLElement | null }

/** Shows faults at their fields and focuses the first. Returns whether something else is left to show. */
export function useFieldFaults(form: Form, error: unknown, fields: readonly string[]): boolean {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer.
  useEffect(() => {
    const { faults } = fieldFaults(error, fields)
    const first = fields.find((name) => name in faults)
    if (first === undefined) return
    form.setErrors(faults)
    // Fields are disabled while the form is being sent.
    requestAnimationFrame(() => form.getInputNode(first)?.focus())
  }, [error])
  return fieldFaults(error, fields).hasMore
}
