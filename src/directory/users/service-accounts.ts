/**
 * Service accounts: users who are programs (docs/decisions/0142-personal-keys.md, 0147). They have what users have, but nothing
 * to sign in with: only keys.
 */
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import type { UserRow } from './store.ts'

type OfKind = Pick<UserRow, 'kind'>

export function isServiceAccount({ kind }: OfKind): boolean {
  return kind === 'service'
}

/** Keeps a service account from all that lets a user sign in, for callers who may read the user. @throws AppError `user_is_service_account` */
export function refuseServiceAccount(user: OfKind): void {
  if (!isServiceAccount(user)) return
  throw new AppError(
    'user_is_service_account',
    'This user is a service account: it cannot sign in, and acts with keys. Create one with POST /users/{user_id}/keys.',
  )
}

/** Refuses a password and an invitation. Every row of a user passes here before it is written. @throws AppError `validation_failed` */
export function refuseWaysIn(row: Pick<UserRow, 'kind' | 'password_hash' | 'invited'>): void {
  if (!isServiceAccount(row)) return
  const faults = [...(row.password_hash === null ? [] : ['password']), ...(row.invited === 0 ? [] : ['invite'])].map(
    (member) => memberFault(member, 'service_account', `A service account takes no ${member}: it acts with keys.`),
  )
  if (faults.length > 0) throw validationFailed(faults)
}

/** Refuses a change of the kind. @throws AppError `validation_failed` */
export function refuseOtherKind(found: OfKind, next: OfKind): void {
  if (next.kind === found.kind) return
  const detail = `The kind of a user cannot be changed. This one is a ${found.kind === 'service' ? 'service account' : 'person'}.`
  throw validationFailed([memberFault('kind', 'kind_fixed', detail)])
}
