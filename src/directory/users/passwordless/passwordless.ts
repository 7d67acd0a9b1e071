/**
 * Decides who may not use a password because a sign-in connection refuses it. At least one active administrator always may.
 * The connections keep the settings; the two tables are their short form for users.
 */
import { AppError } from '../../../core/errors.ts'
import { plainDomain } from '../../../lib/plain-domain.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { administeringRoles, administers, type RuledAccess } from '../rights.ts'
import type { UserRow } from '../store.ts'
import * as store from './store.ts'

/** The domain of an email address, in lower case and ASCII. */
export function domainIn(identifier: string): string | undefined {
  return identifier.includes('@') ? plainDomain(identifier.slice(identifier.lastIndexOf('@') + 1).trim()) : undefined
}

/** Also of a username that looks like an address: the user may enter either. */
function domainsOf({ username, email }: Pick<UserRow, 'username' | 'email'>): string[] {
  return [username, email ?? ''].map(domainIn).filter((domain) => domain !== undefined)
}

/** For an unknown user, the name that was entered: it takes as long. */
export function isPasswordRefused(db: Db, user: store.Named): Promise<boolean> {
  return store.isRefused(db, user.user_id, domainsOf(user))
}

/** Whether there is a password with which the user may sign in. */
export async function canUsePassword(db: Db, user: UserRow): Promise<boolean> {
  return user.password_hash !== null && !(await isPasswordRefused(db, user))
}

export function passwordRefused(): AppError {
  return new AppError('password_refused', 'This user signs in with their company, not with a password.')
}

export type PasswordRule = 'allowed' | 'refused_for_domains' | 'refused_for_all'

/**
 * Sets what a connection refuses. The caller holds the connection.
 *
 * @throws AppError `last_password_admin`
 */
export async function setPasswordRule(
  ctx: ChangeContext,
  connectionId: string,
  { rule, domains, exceptions }: { rule: PasswordRule; domains: readonly string[]; exceptions: readonly string[] },
): Promise<void> {
  const refused = { allowed: [], refused_for_domains: domains, refused_for_all: [store.everyone] }[rule]
  await store.replaceRules(ctx.db, connectionId, {
    domains: refused,
    exceptions: refused.length > 0 ? exceptions : [],
  })
  if (refused.length > 0) await refuseWithoutPasswordAdmin(ctx)
}

/** Whether the change takes away an administrator with a password, or the name by which they may use it. */
function losesPasswordAdmin(ctx: RuledAccess, found: UserRow, next: UserRow | undefined): boolean {
  if (!administers(ctx, found) || found.password_hash === null) return false
  return (
    next === undefined ||
    !administers(ctx, next) ||
    next.password_hash === null ||
    next.email_key !== found.email_key ||
    next.username_key !== found.username_key
  )
}

/** After a change of a user; `next` is undefined when the user is deleted. @throws AppError `last_password_admin` */
export async function keepPasswordAdmin(ctx: ChangeContext, found: UserRow, next: UserRow | undefined): Promise<void> {
  if (losesPasswordAdmin(ctx, found, next)) await refuseWithoutPasswordAdmin(ctx)
}

/** Where the rule finds remaining administrators. `hold` waits for other changes that remove some. */
export type PasswordAdmins = {
  db: Db
  lock(): Promise<void>
  /** In a dry run: users whose row in the store is out of date, and those of them who are active and have one of these roles. */
  changed?: { has(userId: string): boolean; withRole(roles: readonly string[]): UserRow[] }
}

type Loss = { found: UserRow; next: UserRow | undefined; pending: ReadonlyMap<string, UserRow | undefined> }

/**
 * Before one of many changes that are written later, so that the verdict is that of this user; `pending` has the users as
 * they will be.
 *
 * @throws AppError `last_password_admin`
 */
export async function refuseLosingPasswordAdmin(
  ctx: RuledAccess,
  { db, lock: hold, changed }: PasswordAdmins,
  { found, next, pending }: Loss,
): Promise<void> {
  if (!losesPasswordAdmin(ctx, found, next)) return
  await hold()
  await refuseWithout(ctx, db, new Map([...pending, [found.user_id, next]]), changed)
}

/**
 * After a change of groups. A change that takes an administrator away holds the lock already.
 *
 * @throws AppError `last_password_admin`
 */
export async function keepPasswordAdminInGroups(ctx: ChangeContext): Promise<void> {
  if ((await store.listRefusing(ctx.db)).length > 0) await refuseWithoutPasswordAdmin(ctx)
}

/** Checks the written state. A transaction that waited for the lock sees what the previous holder committed. */
async function refuseWithoutPasswordAdmin(ctx: ChangeContext): Promise<void> {
  await holdPasswordAdmins(ctx.db)
  await refuseWithout(ctx, ctx.db, new Map())
}

/** The lock of last-admin.ts, held by every change that removes an administrator. */
export function holdPasswordAdmins(db: Transaction): Promise<void> {
  return db.lock(['last_admin'])
}

const administratorsAtOnce = 500

async function refuseWithout(
  ctx: RuledAccess,
  db: Db,
  pending: ReadonlyMap<string, UserRow | undefined>,
  changed?: PasswordAdmins['changed'],
): Promise<void> {
  const refusing = await store.listRefusing(db)
  if (refusing.length === 0) return
  const excepted = new Set((await store.listExcepted(db)).map((one) => `${one.connection_id} ${one.user_id}`))
  const isFree = (user: store.Placed): boolean => {
    const domains = [store.everyone, ...domainsOf(user)]
    return refusing.every(
      ({ connection_id, domain, organization_id }) =>
        !domains.includes(domain) ||
        (organization_id !== null && organization_id !== user.organization_id) ||
        excepted.has(`${connection_id} ${user.user_id}`),
    )
  }
  const roles = administeringRoles(ctx)
  const before = changed?.withRole(roles).filter(({ user_id }) => !pending.has(user_id)) ?? []
  for (const row of [...pending.values(), ...before]) {
    if (row !== undefined && administers(ctx, row) && row.password_hash !== null && isFree(row)) return
  }
  for (let after = ''; ; ) {
    const some = await store.listWithPassword(db, roles, { after, limit: administratorsAtOnce })
    if (some.some((one) => !pending.has(one.user_id) && !changed?.has(one.user_id) && isFree(one))) return
    if (some.length < administratorsAtOnce) break
    after = some.at(-1)?.user_id ?? ''
  }
  const detail =
    'No active administrator could sign in with a password any more. Give one a password and name them in password_exceptions of the connection, or allow passwords there.'
  throw new AppError('last_password_admin', detail)
}
