/** The visible part of a rejected row: the wrong value and the row's identifiers, never a secret. */

import { type Mapping, type Member, memberOf, ownMembers } from './columns.ts'
import type { RejectsFile } from './rejects-file.ts'

const [mostOfFault, mostOfOthers] = [100, 200]

export function inputOf(
  { rejects, mapping }: { rejects: Pick<RejectsFile, 'first'>; mapping: Mapping },
  row: number,
  member: Member | undefined,
): { fault: string | undefined; others: string } {
  const found = rejects.first.get(row)
  const values = found === undefined ? [] : shownValues(found.original, mapping)
  const fault = values.find((one) => one.member === member)
  const others = values.filter((one) => one !== fault).map(({ value }) => value)
  return { fault: fault?.value.slice(0, mostOfFault), others: others.join(' · ').slice(0, mostOfOthers) }
}

type Shown = { member: Member; value: string }

/** Values of members that are no passwords. Other columns may hold one. */
function shownValues(original: string[] | string, mapping: Mapping): Shown[] {
  if (typeof original !== 'string') {
    // If a cell is missing, the following ones are in the wrong columns.
    const isShifted = original.length !== mapping.length
    if (isShifted && mapping.some((member) => member === null || isSecret(member))) return []
    return original.flatMap((value, column) => {
      const member = mapping[column] ?? null
      return member === null || isSecret(member) || value === '' ? [] : [{ member, value }]
    })
  }
  const { attributes, ...input } = inputIn(original)
  const values: [Member, unknown][] = [
    ...ownMembers.map((member): [Member, unknown] => [member, input[member]]),
    ...Object.entries(attributes ?? {}).map(([name, value]): [Member, unknown] => [memberOf(name), value]),
  ]
  return values.flatMap(([member, value]) => {
    if (isSecret(member) || value === undefined) return []
    return [{ member, value: typeof value === 'string' ? value : JSON.stringify(value) }]
  })
}

function isSecret(member: Member): boolean {
  return member === 'password' || member === 'password_hash'
}

/** The members of a line; none if it is not a JSON object. Earlier rejected rows are nested in another object. */
function inputIn(line: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return {}
    if ('input' in value && 'row' in value && 'code' in value)
      return typeof value.input === 'object' && value.input !== null ? value.input : {}
    return value
  } catch {
    return {}
  }
}
