/**
 * The versions of a record that a change may replace (`If-Match`, RFC 9110 §13.1.1): `*` is any version, undefined means
 * that the caller does not ask for a check.
 */
export type ExpectedVersion = readonly number[] | '*' | undefined

export function isExpected(version: number, expected: ExpectedVersion): boolean {
  return expected === undefined || expected === '*' || expected.includes(version)
}
