import { AppError } from './errors.ts'

/**
 * The versions of a record that a change may replace: those named (`If-Match`, RFC 9110 §13.1.1), all but those named
 * (`If-None-Match`, §13.1.2), `*` for any, or undefined if the caller does not ask for a check.
 */
export type ExpectedVersion = readonly number[] | { except: readonly number[] } | '*' | undefined

/** @throws AppError `precondition_failed` */
export function refuseUnexpected(what: string, { version }: { version: number }, expected: ExpectedVersion): void {
  if (isExpected(version, expected)) return
  throw new AppError(
    'precondition_failed',
    `The ${what} has changed since you read it. Read it again, then repeat your change.`,
  )
}

function isExpected(version: number, expected: ExpectedVersion): boolean {
  if (expected === undefined || expected === '*') return true
  return 'except' in expected ? !expected.except.includes(version) : expected.includes(version)
}
