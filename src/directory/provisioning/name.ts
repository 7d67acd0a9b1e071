import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { PrecisError } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'

/**
 * Returns the name of a connection, for provisioning or sign-in, as it is stored, and the form in which it is unique: that of names of
 * groups.
 *
 * @throws AppError `validation_failed`
 */
export function connectionName(name: string): { name: string; name_key: string } {
  try {
    return { name: trimEnds(name), name_key: groupNameKey(name) }
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    throw validationFailed([memberFault('name', 'name_invalid', error.message)])
  }
}

export function connectionNameTaken(detail: string): AppError {
  return new AppError('connection_name_taken', detail, {
    errors: [memberFault('name', 'connection_name_taken', detail)],
  })
}
