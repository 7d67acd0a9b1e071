import type { Context } from '../context.ts'
import { memberFault, validationFailed } from '../errors.ts'
import type { Hasher } from '../passwords/hash.ts'
import { normalizePassword, passwordFault } from '../passwords/policy.ts'
import * as store from './store.ts'

type Names = { username?: string; email?: string | null }

/**
 * The password in `body`, judged and hashed; nothing when it holds none. Hashing waits in a bounded queue, so this is
 * done before the change takes its place in a transaction.
 *
 * @throws AppError `validation_failed`, `overloaded`
 */
export async function passwordHashFor(
  ctx: Context,
  hasher: Hasher,
  request: { body: Names & { password?: string }; user_id: string | undefined; productName: string; dryRun: boolean },
): Promise<{ password_hash?: string }> {
  const { body, user_id, productName, dryRun } = request
  if (body.password === undefined) return {}
  const known: Names | undefined = user_id === undefined ? undefined : await store.findUserById(ctx.db, user_id)
  const { username, email } = { ...known, ...body }
  const words = [username, email, productName].filter((word) => typeof word === 'string')
  const fault = passwordFault(body.password, { words })
  if (fault) throw validationFailed([memberFault('password', fault.code, fault.detail)])
  // Nothing of a dry run is kept, so nothing need be hashed.
  if (dryRun) return { password_hash: '' }
  return { password_hash: await hasher.hash(normalizePassword(body.password)) }
}
