/** An operation as a `rollbook` command: a specific one, or `rollbook api`, which sends any request. */

import { xlsxMediaType } from '../../../src/lib/xlsx-reader.ts'
import type { ApiCall, OperationName } from '../api/call.ts'
import { textMembers } from '../api/text-members.ts'
import { operations } from './operations.ts'
import { addressOf, givenQuery, methodOf } from './request.ts'
import { shellLine, shellWord } from './shell.ts'

/** The words of a command. An option and its value are one entry. */
type Words = { command: string; options?: Option[]; names?: string[] }
type Option = readonly [name: string, value?: unknown]
type Write = (call: {
  path: Readonly<Record<string, string>>
  query: Query
  body: Query
  file: ApiCall['file']
}) => Words | undefined
type Query = Record<string, unknown>

export function cliOf(call: ApiCall): string {
  const { operation, path = {}, body, accept, file } = call
  const query = givenQuery(call.query)
  const words = commands[operation]?.({ path, query, body: (body ?? {}) as Query, file })
  // The list has no such output: `users export` writes the file, but without an order.
  if (words === undefined || accept === xlsxMediaType) return requestLine(call, query)
  const { command, options = [], names = [] } = words
  const output = outputs[accept ?? '']
  const all = [...options, ...dryRun(query), ...(output === undefined ? [] : [['--output', output] as const])]
  // A name that starts like an option must not be read as one.
  const end = names.some((name) => name.startsWith('-')) ? ['--'] : []
  return shellLine(
    `rollbook ${command}`,
    [...all.map(optionText), [...end, ...names.map(shellWord)].join(' ')].filter(Boolean),
  )
}

function requestLine(call: ApiCall, query: Query): string {
  const { operation, path, body, accept } = call
  // The command reads one variable; an access token is in another one, as in the other forms.
  const isUser = operations[operation].needs === 'user'
  const values = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
  return shellLine(
    `${isUser ? 'ROLLBOOK_API_KEY=$ROLLBOOK_TOKEN ' : ''}rollbook api ${methodOf(call)} ${shellWord(addressOf({ operation, ...(path && { path }) }, ''))}`,
    [
      ...values.map((value) => optionText(['--query', value])),
      ...(body === undefined ? [] : [optionText(['--data', JSON.stringify(body)])]),
      ...(accept === undefined ? [] : [optionText(['--accept', accept])]),
    ],
  )
}

const outputs: Record<string, string> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' }

function optionText([name, value]: Option): string {
  if (value === undefined) return name
  const text = String(value)
  return text.startsWith('-') ? `${name}=${shellWord(text)}` : `${name} ${shellWord(text)}`
}

/** The value of an attribute as the command reads it. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : String(value)
}

function dryRun({ dry_run }: Query): Option[] {
  return dry_run === true ? [['--dry-run']] : []
}

/** Returns members as options of these names; undefined if a member has no option. */
function optionsOf(query: Query, names: Record<string, string | ((value: unknown) => Option[] | undefined)>) {
  const options: Option[] = []
  for (const [member, value] of Object.entries(query)) {
    if (member === 'dry_run') continue
    const name = names[member]
    const optionList =
      typeof name === 'function' ? name(value) : name !== undefined ? [[name, value] as const] : undefined
    if (optionList === undefined) return undefined
    options.push(...optionList)
  }
  return options
}

const nothing = () => []
const list = (name: string) => (value: unknown) => [[name, [value].flat().join(',')] as const]
const flag = (yes: string, no: string) => (value: unknown) => [[value === true ? yes : no] as const]
const onlyWhen = (wanted: unknown, options: Option[]) => (value: unknown) => (value === wanted ? options : undefined)

const userFilters = {
  q: '--search',
  role: '--role',
  active: flag('--active', '--disabled'),
  locked: flag('--locked', '--not-locked'),
  kind: '--kind',
  has_password: flag('--with-password', '--without-password'),
  invited: flag('--invited', '--not-invited'),
  has_signed_in: flag('--signed-in', '--never-signed-in'),
  created_after: '--created-after',
  created_before: '--created-before',
  last_login_after: '--last-login-after',
  last_login_before: '--last-login-before',
  inactive_since: '--inactive-since',
  state: (value: unknown) =>
    value === 'expired' ? [['--expired'] as const] : value === 'disabled' ? [['--disabled'] as const] : undefined,
  expires_after: '--expires-after',
  expires_before: '--expires-before',
  organization: '--organization',
}
const auditFilters = {
  actor: '--actor',
  action: list('--action'),
  outcome: '--outcome',
  target: '--target',
  organization: '--organization',
  request_id: '--request',
  occurred_after: '--since',
  occurred_before: '--until',
  limit: '--limit',
  sort: (value: unknown) => (value === 'seq' ? [['--oldest-first'] as const] : []),
}
const member = (name: string, cleared: string) => (value: unknown) =>
  value === null ? [[cleared] as const] : [[name, value] as const]
const userMembers = {
  kind: '--kind',
  email: member('--email', '--clear-email'),
  ...Object.fromEntries(textMembers.map((name) => [name, `--${name.replaceAll('_', '-')}`])),
  role: '--role',
  external_id: member('--external-id', '--clear-external-id'),
  expires_at: member('--expires', '--clear-expires'),
  organization_id: (value: unknown) => [['--organization', value ?? 'none'] as const],
  // The command asks on the terminal: no option takes a password.
  password: () => [['--ask-password'] as const],
}
const groupMembers = {
  name: '--name',
  description: '--description',
  role: member('--role', '--clear-role'),
  external_id: member('--external-id', '--clear-external-id'),
}
const membershipMembers = { expires_at: member('--expires', '--clear-expires') }
const roleMembers = { description: '--description', permissions: list('--permissions') }
/** A new group has neither unless it is given one. */
const newGroupMembers = {
  ...groupMembers,
  role: (value: unknown) => (value === null ? [] : [['--role', value] as const]),
  external_id: (value: unknown) => (value === null ? [] : [['--external-id', value] as const]),
}
const organizationMembers = {
  name: '--name',
  external_id: member('--external-id', '--clear-external-id'),
  second_factor: member('--second-factor', '--clear-second-factor'),
  active: flag('--enable', '--disable'),
}
/** A new organization is active, and has neither unless it is given one. */
const newOrganizationMembers = {
  external_id: (value: unknown) => (value === null ? [] : [['--external-id', value] as const]),
  second_factor: (value: unknown) => (value === null ? [] : [['--second-factor', value] as const]),
  active: onlyWhen(true, []),
}
const setupLinkMembers = {
  features: (value: unknown) => (Array.isArray(value) ? [['--features', value.join(',')] as const] : undefined),
  expires_at: '--expires-at',
  email: '--email',
  locale: '--locale',
}
const endpointMembers = {
  description: '--description',
  event_types: (value: unknown) => (value === null ? [['--all-events'] as const] : list('--events')(value)),
}

const wordsOf = (command: string, options: Option[] | undefined, ...names: (string | undefined)[]): Words | undefined =>
  options && { command, options, names: names.filter((name) => name !== undefined) }
const plain =
  (command: string, ...members: string[]): Write =>
  ({ path }) => ({ command, names: members.map((name) => path[name] ?? name) })

/** The command cannot sort, so a call with an order becomes a request. */
const membersOf = (group: string, query: Query) =>
  wordsOf('groups members', optionsOf(query, { ...userFilters, limit: nothing }), group)

/** A key of a service account needs no permissions. */
function createKey({ name, permissions = [], ...rest }: Query, user: Option[]) {
  const isWithout = user.length > 0 && [permissions].flat().length === 0
  const query = { ...(!isWithout && { permissions }), ...rest }
  const options = optionsOf(query, {
    permissions: list('--permissions'),
    expires_at: (value: unknown) => (value === null ? [] : [['--expires-at', value] as const]),
  })
  return wordsOf('keys create', options && [...user, ...options], String(name ?? 'name'))
}

const commands: Partial<Record<OperationName, Write>> = {
  'POST /users': ({ body: { username, ...rest } }) =>
    wordsOf('users create', optionsOf(rest, userMembers), String(username ?? 'username')),
  'GET /users': ({ query: { username, email, external_id, group, count: _, ...rest } }) => {
    if (group !== undefined) return membersOf(String(group), rest)
    const exact = username ?? email ?? external_id
    if (exact === undefined)
      return wordsOf('users list', optionsOf(rest, { ...userFilters, sort: '--sort', limit: '--limit' }))
    const by = username !== undefined ? 'username' : email !== undefined ? 'email' : 'external-id'
    const options = optionsOf(rest, { limit: nothing })
    return wordsOf('users get', options && [['--by', by], ...options], String(exact))
  },
  'GET /users/{user_id}': plain('users get', 'user_id'),
  'GET /users/{user_id}/sign-in': plain('users sign-in', 'user_id'),
  'PATCH /users/{user_id}': ({ path, body }) => {
    const names = { ...userMembers, username: '--username', active: flag('--enable', '--disable') }
    return wordsOf('users update', optionsOf(body, names), path.user_id)
  },
  'DELETE /users/{user_id}': ({ path, query }) =>
    wordsOf(
      'users delete',
      optionsOf(query, { purge: (value) => (value === true ? [['--purge']] : []) }),
      path.user_id,
    ),
  'POST /users/bulk': ({ query, body }) => {
    const { action, role, attributes, locale, expires_at, organization_id, group_id } = body
    const { user_ids, filter, except } = body
    const conditions = optionsOf((filter ?? {}) as Query, userFilters)
    if (conditions === undefined) return undefined
    const ids = [user_ids ?? []].flat().map(String)
    const options: Option[] = [
      ...(role === undefined ? [] : [['--to', role] as const]),
      ...(locale === undefined ? [] : [['--to', locale ?? 'none'] as const]),
      ...(expires_at === undefined ? [] : [['--to', expires_at ?? 'none'] as const]),
      ...(organization_id === undefined ? [] : [['--to', organization_id ?? 'none'] as const]),
      ...Object.entries((attributes ?? {}) as Record<string, unknown>).map(([name, value]) =>
        value === null ? (['--unset', name] as const) : (['--set', `${name}=${textOf(value)}`] as const),
      ),
      ...(group_id === undefined ? [] : [['--group', group_id] as const]),
      ...conditions,
      // No condition at all needs `--all`.
      ...(ids.length === 0 && conditions.length === 0 ? [['--all'] as const] : []),
      ...[except ?? []].flat().map((id) => ['--except', id] as const),
      ...(query.rows === undefined ? [] : [['--rows', query.rows] as const]),
    ]
    const words: Record<string, string> = {
      activate: 'enable',
      deactivate: 'disable',
      set_expires_at: 'set-end-date',
    }
    return wordsOf('users bulk', options, words[String(action)] ?? String(action).replaceAll('_', '-'), ...ids)
  },
  'POST /users/export': ({ query }) => {
    if (query.dry_run === true) return undefined
    const options = optionsOf(query, userFilters)
    return wordsOf('users export', options && [['--with-password-hashes'], ...options], 'users.ndjson.age')
  },
  'GET /deleted-users': ({ query }) => {
    const names = { q: '--search', role: '--role', sort: '--sort', limit: nothing }
    return wordsOf(
      'users deleted',
      optionsOf(query, { ...names, deleted_after: '--deleted-after', deleted_before: '--deleted-before' }),
    )
  },
  'POST /users/{user_id}/restore': plain('users restore', 'user_id'),
  'POST /users/import': ({ query, file }) => {
    const format = file?.contentType === 'application/x-ndjson' ? 'ndjson' : 'csv'
    const name = file?.name ?? `users.${format}`
    const options = optionsOf(query, {
      mode: (value) => (value === 'update' ? [['--update']] : []),
      match: '--match',
      on_conflict: (value) => (query.mode === 'update' ? [] : [['--on-conflict', value]]),
      job_id: '--resume',
      from_row: nothing,
      complete: nothing,
    })
    const formatOption: Option[] = name.endsWith(`.${format}`) ? [] : [['--format', format]]
    return wordsOf('users import', options && [...formatOption, ...options], name)
  },
  'POST /imports/{job_id}/cancel': ({ path }) => wordsOf('users import', [['--cancel', path.job_id]]),
  'POST /users/{user_id}/password': ({ path, body: { password: _, ...rest } }) => {
    const options = optionsOf(rest, { must_change: onlyWhen(false, []) })
    return wordsOf('users update', options && [['--ask-password'], ...options], path.user_id)
  },
  'GET /users/{user_id}/sessions': plain('sessions list', 'user_id'),
  'GET /users/{user_id}/factors': plain('factors list', 'user_id'),
  'GET /users/{user_id}/trusted-browsers': plain('factors trusted', 'user_id'),
  'DELETE /users/{user_id}/trusted-browsers/{browser_id}': plain('factors untrust', 'user_id', 'browser_id'),
  'GET /second-factor-policy/users': plain('factors missing'),
  'DELETE /users/{user_id}/factors': plain('factors reset', 'user_id'),
  'DELETE /users/{user_id}/factors/{factor_id}': plain('factors remove', 'user_id', 'factor_id'),
  'DELETE /users/{user_id}/sessions': plain('sessions end-all', 'user_id'),
  'DELETE /users/{user_id}/sessions/{session_id}': plain('sessions end', 'user_id', 'session_id'),
  'GET /users/{user_id}/audit': ({ path, query }) => {
    const options = optionsOf(query, auditFilters)
    return wordsOf('audit list', options && [['--user', path.user_id], ...options])
  },
  'GET /groups': ({ query: { name, ...rest } }) =>
    name === undefined
      ? wordsOf('groups list', optionsOf(rest, { q: '--search', role: '--role', sort: '--sort', limit: nothing }))
      : wordsOf('groups get', optionsOf(rest, { limit: nothing }), String(name)),
  'POST /groups': ({ body: { name, ...rest } }) =>
    wordsOf('groups create', optionsOf(rest, newGroupMembers), String(name ?? 'name')),
  'GET /groups/{group_id}': plain('groups get', 'group_id'),
  'PATCH /groups/{group_id}': ({ path, body }) =>
    wordsOf('groups update', optionsOf(body, groupMembers), path.group_id),
  'DELETE /groups/{group_id}': plain('groups delete', 'group_id'),
  'GET /groups/{group_id}/members': ({ path, query: { count: _, ...rest } }) =>
    membersOf(path.group_id ?? 'group_id', rest),
  'POST /groups/{group_id}/members': ({ path, body: { add, remove, ...end } }) => {
    const [added, removed] = [add ?? [], remove ?? []].map((ids) => [ids].flat().map(String)) as [string[], string[]]
    // The commands do one or the other.
    if (added.length > 0 && removed.length > 0) return undefined
    return removed.length > 0
      ? wordsOf('groups remove', [], path.group_id, ...removed)
      : wordsOf('groups add', optionsOf(end, membershipMembers), path.group_id, ...added)
  },
  'PUT /groups/{group_id}/members/{user_id}': ({ path: { group_id, user_id }, body }) =>
    wordsOf('groups add', optionsOf(body, membershipMembers), group_id, user_id),
  'DELETE /groups/{group_id}/members/{user_id}': plain('groups remove', 'group_id', 'user_id'),
  'GET /organizations': ({ query: { name, external_id, ...rest } }) => {
    if (external_id !== undefined) return undefined
    const options = { q: '--search', sort: '--sort', active: onlyWhen(false, [['--disabled']]), limit: nothing }
    return name === undefined
      ? wordsOf('organizations list', optionsOf(rest, options))
      : wordsOf('organizations get', optionsOf(rest, { limit: nothing }), String(name))
  },
  'POST /organizations': ({ body: { name, ...rest } }) =>
    wordsOf('organizations create', optionsOf(rest, newOrganizationMembers), String(name ?? 'name')),
  'GET /organizations/{organization_id}': plain('organizations get', 'organization_id'),
  'PATCH /organizations/{organization_id}': ({ path, body }) =>
    wordsOf('organizations update', optionsOf(body, organizationMembers), path.organization_id),
  'DELETE /organizations/{organization_id}': ({ path, query: { users, override } }) =>
    wordsOf(
      'organizations delete',
      [
        ...(users === 'delete' ? [['--users', 'delete'] as const] : []),
        ...(override === true ? [['--override'] as const] : []),
      ],
      path.organization_id,
    ),
  'POST /organizations/{organization_id}/domains': ({ path, body: { domain, verified } }) =>
    wordsOf(
      'organizations domains add',
      verified === true ? [['--verified']] : [],
      path.organization_id,
      String(domain ?? 'domain'),
    ),
  'POST /organizations/{organization_id}/domains/{domain}/verify': plain(
    'organizations domains verify',
    'organization_id',
    'domain',
  ),
  'DELETE /organizations/{organization_id}/domains/{domain}': plain(
    'organizations domains remove',
    'organization_id',
    'domain',
  ),
  'GET /organizations/{organization_id}/setup-links': plain('organizations setup-links list', 'organization_id'),
  'POST /organizations/{organization_id}/setup-links': ({ path, body: { features, expires_at, email, locale } }) => {
    const members = Object.entries({ features, expires_at, email, locale }).filter(([, value]) => value !== undefined)
    const options = optionsOf(Object.fromEntries(members), setupLinkMembers)
    return wordsOf('organizations setup-links create', options, path.organization_id)
  },
  'DELETE /organizations/{organization_id}/setup-links/{setup_link_id}': plain(
    'organizations setup-links revoke',
    'organization_id',
    'setup_link_id',
  ),
  'GET /users/{user_id}/groups': ({ path }) => wordsOf('groups list', [['--user', path.user_id]]),
  'GET /roles': plain('roles list'),
  'GET /roles/{role}': plain('roles get', 'role'),
  'POST /roles': ({ body: { role, ...rest } }) =>
    wordsOf('roles create', optionsOf(rest, roleMembers), String(role ?? 'role')),
  'PATCH /roles/{role}': ({ path, body }) => wordsOf('roles update', optionsOf(body, roleMembers), path.role),
  'DELETE /roles/{role}': ({ path, query }) =>
    wordsOf('roles delete', optionsOf(query, { replace_with: '--replace-with' }), path.role),
  'GET /policies': plain('policies get'),
  'PATCH /policies': ({ body: { second_factor, inactivity } }) =>
    second_factor === undefined
      ? wordsOf('policies update', [['--inactivity', JSON.stringify(inactivity ?? null)]])
      : undefined,
  'POST /inactivity/preview': ({ body: { inactivity, until } }) =>
    wordsOf('inactivity preview', [
      ...(inactivity === undefined ? [] : [['--rule', JSON.stringify(inactivity)] as const]),
      ...(until === undefined ? [] : [['--until', until] as const]),
    ]),
  'POST /inactivity/confirmation': plain('inactivity confirm'),
  'POST /keys': ({ body }) => createKey(body, []),
  'POST /users/{user_id}/keys': ({ body, path }) => createKey(body, [['--user', path.user_id]]),
  'GET /provisioning': plain('provisioning list'),
  'GET /provisioning/{connection_id}': plain('provisioning get', 'connection_id'),
  'POST /provisioning': ({ body: { name, ...rest } }) => {
    const names = {
      profile: '--client',
      expires_at: (value: unknown) => (value === null ? [] : [['--expires-at', value] as const]),
    }
    return wordsOf('provisioning create', optionsOf(rest, names), String(name ?? 'name'))
  },
  'PATCH /provisioning/{connection_id}': ({ path, body }) =>
    wordsOf('provisioning update', optionsOf(body, { name: '--name', profile: '--client' }), path.connection_id),
  'DELETE /provisioning/{connection_id}': plain('provisioning delete', 'connection_id'),
  'GET /provisioning/{connection_id}/rejected-requests': ({ path, query }) =>
    wordsOf('provisioning rejected', optionsOf(query, { limit: '--limit' }), path.connection_id),
  'GET /keys': plain('keys list'),
  'GET /users/{user_id}/keys': ({ path }) => wordsOf('keys list', [['--user', path.user_id]]),
  'POST /keys/{key_id}/rotate': plain('keys rotate', 'key_id'),
  'DELETE /keys/{key_id}': plain('keys revoke', 'key_id'),
  'GET /signing-keys': plain('signing-keys list'),
  'POST /signing-keys/rotate': ({ body }) =>
    wordsOf('signing-keys rotate', body.revoke_previous === true ? [['--revoke-previous']] : []),
  'GET /webhooks': plain('webhooks list'),
  'POST /webhooks': ({ body: { url, event_types, ...rest } }) => {
    // Without the option, every event is sent.
    const parameters = { ...rest, ...(Array.isArray(event_types) && { event_types }) }
    return wordsOf('webhooks create', optionsOf(parameters, endpointMembers), String(url ?? 'url'))
  },
  'GET /webhooks/{endpoint_id}': plain('webhooks get', 'endpoint_id'),
  'PATCH /webhooks/{endpoint_id}': ({ path, body }) => {
    const names = { ...endpointMembers, url: '--to', active: flag('--enable', '--disable') }
    return wordsOf('webhooks update', optionsOf(body, names), path.endpoint_id)
  },
  'DELETE /webhooks/{endpoint_id}': plain('webhooks delete', 'endpoint_id'),
  'POST /webhooks/{endpoint_id}/rotate-secret': ({ path, body }) =>
    wordsOf('webhooks rotate-secret', body.revoke_previous === true ? [['--revoke-previous']] : [], path.endpoint_id),
  'POST /webhooks/{endpoint_id}/test': plain('webhooks test', 'endpoint_id'),
  'GET /webhooks/{endpoint_id}/deliveries': ({ path, query }) =>
    wordsOf('webhooks deliveries', optionsOf(query, { status: '--status', limit: '--limit' }), path.endpoint_id),
  'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}': plain('webhooks deliveries', 'endpoint_id', 'delivery_id'),
  'POST /webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver': plain(
    'webhooks redeliver',
    'endpoint_id',
    'delivery_id',
  ),
  'GET /events': ({ query }) =>
    wordsOf('events tail', optionsOf(query, { after: '--after', type: list('--type'), limit: nothing, wait: nothing })),
  'GET /audit': ({ query }) => wordsOf('audit list', optionsOf(query, auditFilters)),
}
