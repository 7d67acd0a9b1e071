/** Says what of a resource another one has already. */
import { AppError, memberFault, type ProblemCode } from '../../core/errors.ts'

type Unique = { name_key: string; external_id: string | null }

/** @param others those that have its name or external id */
export function takenError(
  row: Unique,
  others: readonly Unique[],
  { noun, code }: { noun: 'group' | 'organization'; code: ProblemCode },
): AppError {
  const isNameTaken = others.some(({ name_key }) => name_key === row.name_key)
  const isIdTaken = row.external_id !== null && others.some(({ external_id }) => external_id === row.external_id)
  const name = `Another ${noun} already has this name.`
  const id = `Another ${noun} already has this external id.`
  const errors = [
    ...(isNameTaken ? [memberFault('name', code, name)] : []),
    ...(isIdTaken ? [memberFault('external_id', 'external_id_taken', id)] : []),
  ]
  if (isNameTaken) return new AppError(code, name, { errors })
  if (isIdTaken) return new AppError('external_id_taken', id, { errors })
  const article = noun === 'group' ? 'A' : 'An'
  return new AppError('overloaded', `${article} ${noun} with this name has just been changed. Try again.`)
}
