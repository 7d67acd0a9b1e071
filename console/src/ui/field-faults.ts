import type { RollbookError } from 'rollbook/client'

/** Maps the errors of a refusal to the fields of a form. */
type FieldFaults = {
  /** By name. */
  faults: Record<string, string>
  /** Whether the refusal also has an error that belongs to no field. */
  hasMore: boolean
}

export function fieldFaults(error: unknown, fields: readonly string[]): FieldFaults {
  if (!isRefusal(error)) return { faults: {}, hasMore: error !== null && error !== undefined }
  const faults: Record<string, string> = {}
  // The only refusal about a field that is not a validation error.
  if (error.code === 'current_password_wrong' && fields.includes('current_password'))
    return { faults: { current_password: error.detail }, hasMore: false }
  for (const { pointer, detail } of error.errors) {
    const name = pointer.replace(/^#\//, '')
    if (fields.includes(name)) faults[name] ??= detail
  }
  const isCovered =
    error.errors.length > 0 && error.errors.every(({ pointer }) => pointer.replace(/^#\//, '') in faults)
  return { faults, hasMore: !isCovered }
}

/** Compares the name, not the class, so that this file also runs without the bundler. */
function isRefusal(error: unknown): error is RollbookError {
  return error instanceof Error && error.name === 'RollbookError'
}
