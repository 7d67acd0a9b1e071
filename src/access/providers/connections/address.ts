/**
 * Keeps the address of a user what the company says it is, where the company is trusted for it: renews one that it has
 * changed, and no longer counts one as verified that it has given to another person.
 */
import { scopeOf } from '../../../core/scope.ts'
import * as links from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import { checkUserInput } from '../../../directory/users/service.ts'
import { emailKey } from '../../../lib/email-form.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { type ConnectionRow, type Failure, keepFailure, settingsOf } from './connections.ts'
import type { Person } from './decide.ts'
import { findIdentity, type IdentityRow, setIdentityEmail } from './identities-store.ts'
import { asConnection } from './mapping.ts'

/** It waits with a sign-in for its second factor. */
export type Renewal = {
  email: string
  /** What the user's address was when this was decided. */
  former_key: string | null
}

/**
 * Returns what a sign-in changes of the address. An address that the user or an administrator chose instead of the
 * provider's stays.
 *
 * @param identity the account as it was used last; undefined if it has just been linked
 */
export function renewalOf(
  connection: Pick<ConnectionRow, 'settings'>,
  user: users.UserRow,
  { email, domain, isVerified }: Person,
  identity: Pick<IdentityRow, 'email'> | undefined,
): Renewal | undefined {
  if (email === undefined || domain === undefined || !isVerified) return undefined
  if (!settingsOf(connection).trusted_domains.includes(domain)) return undefined
  const [key, former_key] = [emailKey(email), user.email_key]
  if (key === former_key) return user.email_verified === 1 ? undefined : { email, former_key }
  // Then SCIM renews it.
  if (user.managed_by !== null) return undefined
  const known = identity?.email ?? null
  const isOfProvider =
    known === null
      ? former_key === null || user.email_verified !== 1
      : former_key !== null && emailKey(known) === former_key
  return isOfProvider ? { email, former_key } : undefined
}

type Renewing = { user_id: string; subject: string; renewal: Renewal; claims?: Failure['claims'] | undefined }

/** Changes the address, and the username if it is the address. @throws AppError as for a change of a user */
export async function renewAddress(
  ctx: ChangeContext,
  connection: ConnectionRow,
  { user_id, subject, renewal: { email, former_key }, claims = [] }: Renewing,
): Promise<void> {
  const user = await users.findById(ctx.db, scopeOf(ctx.actor), user_id)
  if (user === undefined || user.email_key !== former_key) return
  const isUsername = former_key !== null && emailKey(user.username) === former_key
  if (emailKey(email) !== former_key) {
    const other = await users.findForSignIn(ctx.db, email)
    if (other !== undefined && other.user_id !== user_id) {
      return keepFailure(ctx, connection.connection_id, { reason: 'address_kept', detail: addressKept, claims })
    }
  }
  const isSame = emailKey(email) === former_key
  const names = isSame ? {} : { email, ...(isUsername && { username: email }) }
  const input = { ...checkUserInput(names, ctx.rules.roles), email_verified: 1 }
  await users.update(asConnection(ctx, connection), {
    user_id,
    input,
    expected: undefined,
    override: true,
    renewsAddress: true,
  })
  const identity = await findIdentity(ctx.db, connection.connection_id, subject)
  if (identity !== undefined) await setIdentityEmail(ctx.db, identity.identity_id, email)
}

const addressKept =
  'The user signed in. The provider has changed their address, and another user has the new one, so the address here stays as it was. Change the address of the other user; then it is renewed at the next sign-in.'

/** The provider has given the address to another person: what was sent there must let no one in. */
export async function doubtAddress(ctx: ChangeContext, connection: ConnectionRow, user: users.UserRow): Promise<void> {
  if (user.email_verified === 1) {
    const input = { email_verified: 0 }
    const by = asConnection(ctx, connection)
    await users.update(by, { user_id: user.user_id, input, expected: undefined, override: true })
  }
  await links.end(ctx, user.user_id, 'email_changed')
}
