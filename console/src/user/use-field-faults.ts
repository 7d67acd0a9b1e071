import type { FormErrors } from '@mantine/form'
import { useEffect } from 'react'
import { fieldFaults } from '../ui/field-faults.ts'

type Form = { setErrors: (errors: FormErrors) => void; getInputNode: (path: string) => HTMLElement | null }

/** Puts what was refused at its fields and goes to the first of them; true when there is more to be said beside them. */
export function useFieldFaults(form: Form, error: unknown, fields: readonly string[]): boolean {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer.
  useEffect(() => {
    const { faults } = fieldFaults(error, fields)
    const first = fields.find((name) => name in faults)
    if (first === undefined) return
    form.setErrors(faults)
    // Fields are not to be typed in while the form is being sent.
    requestAnimationFrame(() => form.getInputNode(first)?.focus())
  }, [error])
  return fieldFaults(error, fields).hasMore
}
