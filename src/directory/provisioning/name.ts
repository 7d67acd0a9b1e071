import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { nameOf } from '../named-resources/service.ts'

/**
 * Returns the name of a connection, for provisioning or sign-in, as it is stored, and the form in which it is unique: that of names of
 * groups.
 *
 * @throws AppError `validation_failed`
 */
export function connectionName(name: string): { name: string; name_key: string } {
  const named = nameOf(name)
  if ('fault' in named) throw validationFailed([named.fault])
  return named
}

export function connectionNameTaken(detail: string): AppError {
  return new AppError('connection_name_taken', detail, {
    errors: [memberFault('name', 'connection_name_taken', detail)],
  })
}
