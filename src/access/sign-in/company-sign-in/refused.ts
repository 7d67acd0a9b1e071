import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import type { Reason } from '../../providers/connections/service.ts'
import * as connections from '../../providers/connections/service.ts'
import { NoSignIn } from '../sign-in/service.ts'

/**
 * The same on the pages and in the API. What the user can do is in page-texts (`reasons`), and why it failed on the page of
 * the connection.
 */
export const refusalStatuses: Readonly<Record<Reason, number>> = {
  subject_invalid: 403,
  user_removed: 403,
  user_inactive: 403,
  user_expired: 403,
  organization_disabled: 403,
  other_organization: 403,
  not_linked: 403,
  email_invalid: 403,
  email_unverified: 409,
  link_required: 409,
  address_reassigned: 409,
  role_not_mapped: 409,
  no_user: 403,
  name_taken: 409,
  identity_taken: 409,
  other_user: 403,
  used_before: 400,
  wrong_password: 401,
  provider_unreachable: 503,
  provider_refused: 403,
  code_refused: 403,
  token_invalid: 403,
  not_recent: 403,
  expired: 400,
  other_browser: 400,
  inactive: 404,
  interrupted: 409,
}

/** A sign-in that did not succeed. The page says what the user can do. */
export class SignInRefused extends Error {
  readonly reason: Reason
  readonly connection: Pick<connections.ConnectionRow, 'connection_id' | 'name'> | undefined
  readonly returnTo: string | undefined

  constructor(reason: Reason, connection?: SignInRefused['connection'], returnTo?: string) {
    super(reason)
    this.reason = reason
    this.connection = connection
    this.returnTo = returnTo
  }
}

/** The browser loads the end of a sign-in again, and its user is signed in. */
export class FinishedBefore extends NoSignIn {
  readonly returnTo: string | undefined

  constructor(returnTo: string | undefined) {
    super('The sign-in is finished.')
    this.returnTo = returnTo
  }
}

/** @throws SignInRefused; AppError `connection_not_found` */
export async function activeConnection(
  { db, rules }: Storage,
  connectionId: string,
): Promise<connections.ConnectionRow> {
  const found = await connections.getRow(db, scopeOf(system), connectionId.toLowerCase())
  if (!connections.isUsable({ rules }, found)) throw new SignInRefused('inactive')
  return found
}
