import { memberFault, validationFailed } from '../../core/errors.ts'
import { type Hasher, passwordFault } from '../passwords/service.ts'

/** Words that a password must not consist of. */
export type PasswordNames = { username?: string; email?: string | null; first_name?: string; last_name?: string }

type Request = {
  body: PasswordNames & { password?: string }
  known: PasswordNames
  productName: string
  dryRun: boolean
}

/**
 * The password in `body`, judged and hashed; nothing when it holds none. Hashing waits in a bounded queue, so this is
 * done before the change takes its place in a transaction.
 *
 * @throws AppError `validation_failed`, `overloaded`
 */
export async function passwordHashFor(hasher: Hasher, request: Request): Promise<{ password_hash?: string }> {
  const { body, known, productName, dryRun } = request
  if (body.password === undefined) return {}
  const fault = passwordFault(body.password, { words: wordsOf({ ...known, ...body }, productName) })
  if (fault) throw validationFailed([memberFault('password', fault.code, fault.detail)])
  // A dry run stores nothing, so there is nothing to hash.
  if (dryRun) return { password_hash: '' }
  return { password_hash: await hasher.hash(body.password) }
}

/** Facts about the user and the service that an attacker knows. */
export function wordsOf({ username, email, first_name, last_name }: PasswordNames, productName: string): string[] {
  return [username, email, first_name, last_name, productName].filter((word) => typeof word === 'string')
}
