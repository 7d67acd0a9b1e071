import { RollbookError } from 'rollbook/client'

/** The faults that a refusal finds, by the field: entries of a list belong to the field of the list. */
export function faultsByField(
  error: unknown,
  names: readonly string[],
): { faults: Record<string, string>; hasMore: boolean } {
  if (!(error instanceof RollbookError)) return { faults: {}, hasMore: error !== null && error !== undefined }
  const faults: Record<string, string> = {}
  let hasMore = error.errors.length === 0
  for (const { pointer, detail } of error.errors) {
    const name = pointer.replace(/^#\//, '').split('/')[0] ?? ''
    if (names.includes(name)) faults[name] ??= detail
    else hasMore = true
  }
  return { faults, hasMore }
}
