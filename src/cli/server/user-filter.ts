/** Which users, as options of `list`, `export` and `bulk`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { UserFilter } from '../../sdk/client/index.ts'

export type FilterOptions = {
  search?: string
  role?: string
  active?: true
  inactive?: true
  withPassword?: true
  withoutPassword?: true
  signedIn?: true
  neverSignedIn?: true
  createdAfter?: string
  createdBefore?: string
  lastLoginAfter?: string
  lastLoginBefore?: string
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--search <text>', 'part of the username, e-mail or name')
    .option('--role <role>', 'of this role')
    .addOption(new Option('--active', 'who may sign in').conflicts('inactive'))
    .option('--inactive', 'who may not sign in')
    .addOption(new Option('--with-password', 'who has a password').conflicts('withoutPassword'))
    .option('--without-password', 'who has none')
    .addOption(new Option('--signed-in', 'who has ever signed in').conflicts('neverSignedIn'))
    .option('--never-signed-in', 'who never has')
    .option('--created-after <time>', 'RFC 3339, or a date', readTime)
    .option('--created-before <time>', 'likewise', readTime)
    .option('--last-login-after <time>', 'likewise', readTime)
    .option('--last-login-before <time>', 'likewise', readTime)
}

export function filterOf({
  search,
  role,
  active,
  inactive,
  withPassword,
  withoutPassword,
  signedIn,
  neverSignedIn,
  ...rest
}: FilterOptions): Omit<UserFilter, 'sort' | 'user_id'> {
  return {
    ...(search !== undefined && { q: search }),
    ...(role !== undefined && { role }),
    ...((active ?? inactive) && { active: active ?? false }),
    ...((withPassword ?? withoutPassword) && { has_password: withPassword ?? false }),
    ...((signedIn ?? neverSignedIn) && { has_signed_in: signedIn ?? false }),
    ...(rest.createdAfter !== undefined && { created_after: rest.createdAfter }),
    ...(rest.createdBefore !== undefined && { created_before: rest.createdBefore }),
    ...(rest.lastLoginAfter !== undefined && { last_login_after: rest.lastLoginAfter }),
    ...(rest.lastLoginBefore !== undefined && { last_login_before: rest.lastLoginBefore }),
  }
}

/** A date alone is its first moment in UTC. */
export function readTime(text: string): string {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2026-01-31 or 2026-01-31T18:00:00Z.')
  return new Date(ms).toISOString()
}
