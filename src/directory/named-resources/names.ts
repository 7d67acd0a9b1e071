/** Validates names and external ids, and brings names into the form in which they are compared. */
import { type InputFault, memberFault } from '../../core/errors.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { mixtureFault } from '../../lib/mixture-fault.ts'
import { PrecisError } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { hasLineBreak, unseenRefused } from '../../lib/unseen.ts'

type Named = { name: string; name_key: string }

/** The name as it is stored, and the form in which it is unique; or the fault of a name that has none. */
export function nameOf(typed: string): Named | { fault: InputFault } {
  try {
    return { name: trimEnds(typed), name_key: groupNameKey(typed) }
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    return { fault: memberFault('name', 'name_invalid', error.message) }
  }
}

/** The name of an input that has one. A mixture of scripts is refused, too: it could look like another name. */
export function checkName(typed: string | undefined, faults: InputFault[]): Partial<Named> {
  if (typed === undefined) return {}
  const named = nameOf(trimEnds(typed))
  if ('fault' in named) {
    faults.push(named.fault)
    return { name: trimEnds(typed) }
  }
  const mixture = mixtureFault(named.name_key)?.replace('username', 'name')
  if (mixture !== undefined) faults.push(memberFault('name', 'name_invalid', mixture))
  return named
}

export function checkExternalId(external_id: string | null | undefined, faults: InputFault[]): void {
  const text = external_id ?? ''
  if (!hasLineBreak(text) && text.isWellFormed()) return
  faults.push(memberFault('external_id', 'control_character', unseenRefused))
}
