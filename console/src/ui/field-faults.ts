import type { RollbookError } from 'rollbook/client'

/** What a refusal says of the fields of a form. */
export type FieldFaults = {
  /** By name. */
  faults: Record<string, string>
  /** Whether it says more than that, which has to be shown beside the form. */
  hasMore: boolean
}

export function fieldFaults(error: unknown, fields: readonly string[]): FieldFaults {
  if (!isRefusal(error)) return { faults: {}, hasMore: error !== null && error !== undefined }
  const faults: Record<string, string> = {}
  // The one refusal that is about a field, and no fault of the input.
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

/** By its name, so that this file runs without the bundler too. */
function isRefusal(error: unknown): error is RollbookError {
  return error instanceof Error && error.name === 'RollbookError'
}
