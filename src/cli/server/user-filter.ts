/** Options that filter users, for `list`, `export` and `bulk`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { DeletedUserFilter, RollbookClient, UserFilter } from '../../sdk/client/index.ts'
import { getGroup } from './find-group.ts'
import { organizationIdFor } from './find-organization.ts'

export type FilterOptions = {
  search?: string
  role?: string
  active?: true
  inactive?: true
  kind?: 'person' | 'service'
  disabled?: true
  expired?: true
  expiresAfter?: string
  expiresBefore?: string
  locked?: true
  notLocked?: true
  withPassword?: true
  withoutPassword?: true
  invited?: true
  notInvited?: true
  signedIn?: true
  neverSignedIn?: true
  createdAfter?: string
  createdBefore?: string
  lastLoginAfter?: string
  lastLoginBefore?: string
  inactiveSince?: string
  attribute?: Readonly<Record<string, string>>
  /** Id or name. */
  inGroup?: string
  /** Id or name, or `none`. */
  organization?: string
}

/** For commands that are not about one group already; `--group` is the group that a bulk change is about. */
export function addMembershipFilterOptions(command: Command): Command {
  return command
    .option('--in-group <group>', 'members of this group: its id or name')
    .option('--organization <organization>', 'users of this organization: its id or name, or none')
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--search <text>', 'words of the username, email address, name or a searchable attribute; or an id')
    .option('--role <role>', 'users with this role')
    .addOption(new Option('--active', 'active users').conflicts(['inactive', 'disabled']))
    .option('--disabled', 'disabled users')
    .addOption(new Option('--expired', 'users whose end date has passed').conflicts(['inactive', 'disabled']))
    .addOption(new Option('--inactive', 'disabled users').hideHelp())
    .addOption(new Option('--kind <kind>', 'service accounts, or people').choices(['person', 'service']))
    .addOption(new Option('--locked', 'users whose sign-in must wait after wrong passwords').conflicts('notLocked'))
    .option('--not-locked', 'users whose sign-in need not wait')
    .addOption(new Option('--with-password', 'users with a password').conflicts('withoutPassword'))
    .option('--without-password', 'users without a password')
    .addOption(
      new Option('--invited', 'users who were invited and have not set a password yet').conflicts('notInvited'),
    )
    .option('--not-invited', 'users who are not invited')
    .addOption(new Option('--signed-in', 'users who have signed in at least once').conflicts('neverSignedIn'))
    .option('--never-signed-in', 'users who have never signed in')
    .option('--created-after <time>', 'created after this date or RFC 3339 time', readTime)
    .option('--created-before <time>', 'created before this time', readTime)
    .option('--last-login-after <time>', 'last signed in after this time', readTime)
    .option('--last-login-before <time>', 'last signed in before this time', readTime)
    .option('--inactive-since <time>', 'last signed in before this time; or never, and created before it', readTime)
    .option('--expires-after <time>', 'whose end date is after this time', readTime)
    .option('--expires-before <time>', 'whose end date is before this time', readTime)
    .option('--attribute <name=value>', 'users with this value of a custom attribute; repeatable', readAttribute)
}

/** Returns the filter as it was given: `group` and `organization` may still be names. */
export function filterOf({
  search,
  role,
  active,
  inactive,
  disabled,
  expired,
  kind,
  locked,
  notLocked,
  withPassword,
  withoutPassword,
  invited,
  notInvited,
  signedIn,
  neverSignedIn,
  ...rest
}: FilterOptions): Omit<UserFilter, 'sort' | 'user_id'> {
  return {
    ...(search !== undefined && { q: search }),
    ...(role !== undefined && { role }),
    ...((active ?? inactive ?? disabled) && { active: active ?? false }),
    ...(expired && { state: 'expired' as const }),
    ...(kind !== undefined && { kind }),
    ...((locked ?? notLocked) && { locked: locked ?? false }),
    ...((withPassword ?? withoutPassword) && { has_password: withPassword ?? false }),
    ...((invited ?? notInvited) && { invited: invited ?? false }),
    ...((signedIn ?? neverSignedIn) && { has_signed_in: signedIn ?? false }),
    ...(rest.inGroup !== undefined && { group: rest.inGroup }),
    ...(rest.organization !== undefined && { organization: rest.organization }),
    ...(rest.createdAfter !== undefined && { created_after: rest.createdAfter }),
    ...(rest.createdBefore !== undefined && { created_before: rest.createdBefore }),
    ...(rest.lastLoginAfter !== undefined && { last_login_after: rest.lastLoginAfter }),
    ...(rest.lastLoginBefore !== undefined && { last_login_before: rest.lastLoginBefore }),
    ...(rest.expiresAfter !== undefined && { expires_after: rest.expiresAfter }),
    ...(rest.expiresBefore !== undefined && { expires_before: rest.expiresBefore }),
    ...(rest.inactiveSince !== undefined && { inactive_since: rest.inactiveSince }),
    ...Object.fromEntries(Object.entries(rest.attribute ?? {}).map(([name, value]) => [`attributes.${name}`, value])),
  }
}

/** Replaces the names of a group and an organization by their ids. @throws Failed for unknown ones, which must not look like empty ones */
export async function withIds<Filter extends { group?: string | undefined; organization?: string | undefined }>(
  filter: Filter,
  client: RollbookClient,
  signal: AbortSignal,
): Promise<Filter> {
  const { group, organization } = filter
  return {
    ...filter,
    ...(group !== undefined && { group: (await getGroup(client, group, signal)).group_id }),
    ...(organization !== undefined && { organization: await organizationIdFor(client, organization, signal) }),
  }
}

export type DeletedFilterOptions = {
  search?: string
  role?: string
  deletedAfter?: string
  deletedBefore?: string
}

/** Options that filter deleted users. */
export function addDeletedFilterOptions(command: Command): Command {
  return command
    .option('--deleted-after <time>', 'deleted after this date or RFC 3339 time', readTime)
    .option('--deleted-before <time>', 'deleted before this time', readTime)
}

export function deletedFilterOf({
  search,
  role,
  deletedAfter,
  deletedBefore,
}: DeletedFilterOptions): DeletedUserFilter {
  return {
    ...(search !== undefined && { q: search }),
    ...(role !== undefined && { role }),
    ...(deletedAfter !== undefined && { deleted_after: deletedAfter }),
    ...(deletedBefore !== undefined && { deleted_before: deletedBefore }),
  }
}

/** Reads `department=Sales`, and adds it to those before it. */
export function readAttribute(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([a-z][a-z0-9_]{0,63})=(.*)$/su.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('It must be the name of an attribute and a value, such as department=Sales.')
  }
  if (Object.hasOwn(before, name))
    throw new InvalidArgumentError(`${name} has a value already. Give each attribute once.`)
  return { ...before, [name]: value }
}

/** Returns an RFC 3339 time. A date alone means midnight UTC. */
export function readTime(text: string): string {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2026-01-31 or 2026-01-31T18:00:00Z.')
  return new Date(ms).toISOString()
}
