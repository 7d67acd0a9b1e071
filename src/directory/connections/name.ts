import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { PrecisError } from '../../lib/precis.ts'

/**
 * Returns the form in which names of connections, for provisioning or sign-in, are kept unique: that of names of groups.
 *
 * @throws AppError `validation_failed`
 */
export function connectionNameKey(name: string): string {
  try {
    return groupNameKey(name)
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
