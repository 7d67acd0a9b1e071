import type { Storage } from '../../store/storage/storage.ts'
import type { Reason } from '../connections/decide.ts'
import * as connections from '../connections/service.ts'
import { NoSignIn } from '../sign-in/metrics.ts'

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
export async function activeConnection({ db }: Storage, connectionId: string): Promise<connections.ConnectionRow> {
  const found = await connections.getRow(db, connectionId.toLowerCase())
  if (found.active !== 1) throw new SignInRefused('inactive')
  return found
}
