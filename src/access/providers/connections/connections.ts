/**
 * The rules of sign-in connections: who may create and change one, and what a change ends. Leaves the identities to
 * identities.ts, what claims mean to decide.ts, and the protocol to company-sign-in/. Each change runs in a transaction.
 */

import { findGroup } from '../../../administration/groups/service.ts'
import { type Person, system } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../../core/expected-version.ts'
import { isOrganizationActive, type Rules } from '../../../core/rules.ts'
import { outsideId, refuseNamedOrganization, type Scope, scopeOf, withinOrganization } from '../../../core/scope.ts'
import { getForMember } from '../../../directory/organizations/service.ts'
import { connectionName, connectionNameTaken } from '../../../directory/provisioning/service.ts'
import {
  administeringRoles,
  domainIn,
  findById,
  notifyAdministrators,
  refuseBeyondCaller,
  setPasswordRule,
} from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { changesOf } from '../../../record/journal/service.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { AuditEntry, Changes, Placed, PlacedTarget } from '../../../store/journal-entry.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../../store/managed-by-file.ts'
import { endAllThrough } from '../../credentials/sessions/service.ts'
import * as identities from './identities-store.ts'
import { emitConnection, emitConnectionDeleted } from './journal.ts'
import type { Kind } from './kinds/kind.ts'
import { type kindAddresses, kindOf, type SecretName } from './kinds/kinds.ts'
import { limitsOf, noDomains, refuseBeyondOrganization, refuseOutrankedByLinked } from './limits.ts'
import type {
  CreateSignInConnection,
  SignInClaim,
  SignInConnection,
  SignInFailure,
  UpdateSignInConnection,
} from './schema.ts'
import { type GivenSecrets, secretsIn, usableSecrets } from './secrets.ts'
import { type AllSettings, changedSettings, settingsOf } from './settings.ts'
import * as store from './store.ts'

/** The list has no pages, and a sign-in looks through all of them. */
const connectionLimit = 1000
/** Otherwise one organization could leave no room for the others. */
const limitOfOrganization = 10
/** Failures contain personal data that a provider sent, which is kept no longer than needed. */
const [keptFailures, keptFailuresMs] = [100, 14 * 86_400_000]
/** Sign-ins that succeeded may repeat every day, and must not hide those that failed. */
const keptOfSuccess: Readonly<Record<string, number>> = { claims_incomplete: 20, address_kept: 20 }

/** As the API shows it, but for the addresses, which depend on where the service is. */
export type Shown = Omit<SignInConnection, keyof typeof kindAddresses>
export type Versioned = { connection: Shown; version: number }

/** The only function that decides which columns of a row may leave. */
async function describe(ctx: Pick<Context, 'db' | 'actor'>, row: store.ConnectionRow): Promise<Shown> {
  const { db } = ctx
  const { connection_id, kind, name, position, created_at, updated_at } = row
  const secrets = usableSecrets(row.secrets)
  return {
    connection_id,
    kind,
    name,
    active: row.active === 1,
    position,
    ...(await visibleSettings(ctx, settingsOf(row) as AllSettings & Pick<Shown, 'preset'>)),
    ...Object.fromEntries(kindOf(kind).secrets.map((secret) => [`has_${secret}`, secrets.includes(secret)])),
    ...kindOf(kind).facts?.(settingsOf(row)),
    identity_count: await identities.countIdentities(db, connection_id),
    last_failed_at: await store.findLastFailure(db, connection_id),
    created_at,
    updated_at,
    ...(row.organization_id !== null && { organization_id: row.organization_id }),
    ...(row.managed_by === byFile && { managed_by: byFile }),
  }
}

/** A limited caller reads no id of a group or user from outside, whom an administrator of the service may have named. */
async function visibleSettings<Settings extends Pick<AllSettings, 'groups' | 'password_exceptions'>>(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  settings: Settings,
): Promise<Settings> {
  const scope = scopeOf(actor)
  if (scope.kind === 'everyone') return settings
  const groups = { ...settings.groups }
  for (const [value, id] of Object.entries(groups)) {
    if ((await findGroup(db, scope, id)) === undefined) groups[value] = outsideId
  }
  const own = await Promise.all(settings.password_exceptions.map((id) => findById(db, scope, id)))
  return { ...settings, groups, password_exceptions: own.flatMap((user) => user?.user_id ?? []) }
}

export async function list(ctx: Pick<Context, 'db' | 'actor'>): Promise<Shown[]> {
  const rows = await store.listConnections(ctx.db, scopeOf(ctx.actor))
  return Promise.all(rows.map((row) => describe(ctx, row)))
}

/** A way to sign in, as the sign-in page needs it. */
export type Button = { connection_id: string; name: string; way: Kind['way']; domains: readonly string[] } & {
  organization_id: string | null
  /** An organization set it up itself: only addresses of its domains lead there, or its users. */
  isForDomainsOnly: boolean
}

/**
 * The connections through which users sign in now, in the order of the buttons; of those that organizations set up themselves only the
 * concerned ones.
 */
export async function listButtons(db: Db, concerned: store.Concerned): Promise<Button[]> {
  const rows = await store.listActive(db, concerned)
  return rows.map((row) => {
    const { connection_id, name, kind, organization_id } = row
    const isForDomainsOnly = row.limited_permissions !== null
    const { domains } = settingsOf(row)
    return { connection_id, name, way: kindOf(kind).way, domains, organization_id, isForDomainsOnly }
  })
}

/** Those that a signed-in user may link: not those of an organization to which they do not belong. */
export async function listLinkable(db: Db, { organization }: Pick<Person, 'organization'>): Promise<Button[]> {
  const own = organization?.organization_id
  const all = await listButtons(db, { organization_id: own })
  return all.filter(({ organization_id }) => organization_id === null || organization_id === own)
}

/** Whether an active connection signs this user in: one that is linked, or one that takes the domain of their address. */
export async function hasCompany(
  db: Db,
  { user_id, email, organization_id }: { user_id: string; email: string | null; organization_id: string | null },
): Promise<boolean> {
  const active = await store.listActive(db, { organization_id })
  if (active.length === 0) return false
  const linked = new Set((await identities.listIdentitiesOf(db, user_id)).map(({ connection_id }) => connection_id))
  const domain = domainIn(email ?? '') ?? ''
  return active.some((row) => {
    const { domains, trusted_domains } = settingsOf(row)
    // That of another organization signs in nobody from elsewhere.
    if (row.organization_id !== null && row.organization_id !== organization_id) return false
    return linked.has(row.connection_id) || [...domains, ...trusted_domains].includes(domain)
  })
}

/**
 * The active connection that takes the domain of an address. `creates`: it makes the user at the first sign-in.
 */
export async function findCompany(
  db: Db,
  email: string,
): Promise<({ name: string; creates: boolean } & Placed) | undefined> {
  const domain = domainIn(email)
  if (domain === undefined) return undefined
  const takes = (await store.listActive(db, { domain })).flatMap((row) => {
    const { domains, trusted_domains, provisioning_domains } = settingsOf(row)
    if (![...domains, ...trusted_domains].includes(domain)) return []
    const { name, organization_id } = row
    return [{ name, organization_id, creates: provisioning_domains.includes(domain) }]
  })
  return takes.find(({ creates }) => creates) ?? takes[0]
}

/** @throws AppError `connection_not_found` */
export async function get(ctx: Pick<Context, 'db' | 'actor'>, connectionId: string): Promise<Versioned> {
  const row = await getRow(ctx.db, scopeOf(ctx.actor), connectionId)
  return { connection: await describe(ctx, row), version: row.version }
}

/** @throws AppError `connection_not_found` */
export async function getRow(db: Db, scope: Scope, connectionId: string): Promise<store.ConnectionRow> {
  return known(isUuid(connectionId) ? await store.findConnection(db, scope, connectionId) : undefined)
}

type Creation = {
  connection_id: string
  input: Omit<CreateSignInConnection, SecretName>
  secrets: GivenSecrets
}

/** @throws AppError `validation_failed`, `connection_name_taken`, `too_many_connections`, `role_not_grantable`, `last_password_admin` */
export async function create(ctx: ChangeContext, { connection_id, input, secrets }: Creation): Promise<Versioned> {
  refuseUnlessMayEdit(ctx)
  const now = timestamp(ctx.now)
  const {
    kind: kindName,
    name,
    active = true,
    position = 0,
    organization_id = null,
    ...settingsInput
  } = withinOrganization(ctx.actor, input)
  const kind = kindOf(kindName)
  refuseForeignSecrets(kind, secrets)
  const row: store.ConnectionRow = {
    connection_id,
    version: 1,
    kind: kindName,
    ...connectionName(name),
    active: Number(active),
    position,
    settings: JSON.stringify(
      changedSettings({ rules: ctx.rules, kind, isDraft: isDraft(kind, active) }, undefined, settingsInput),
    ),
    secrets: withSecrets('{}', secrets),
    created_at: now,
    updated_at: now,
    managed_by: null,
    organization_id: await checkedOrganization(ctx, organization_id),
    limited_permissions: limitsOf(ctx),
  }
  await refuseBeyondOrganization(ctx, undefined, settingsOf(row))
  await ctx.db.lock(['sign_in_connections']) // Two concurrent requests must not both create the last one.
  if ((await store.countConnections(ctx.db)) >= connectionLimit) {
    throw new AppError('too_many_connections', `There are already ${connectionLimit} connections. Delete one first.`)
  }
  await refuseTooManyOf(ctx.db, row)
  await refuseTakenDomains(ctx, row)
  await refuseBadGroups(ctx, settingsOf(row).groups)
  await refuseUnknownUsers(ctx, settingsOf(row).password_exceptions)
  if (!(await store.insertConnection(ctx.db, row))) throw nameTaken()
  await applyPasswordRule(ctx, row)
  ctx.record({ action: 'sign_in_connection.created', target: targetOf(row), changes: recorded(undefined, row) })
  emitConnection(ctx, 'connection.created', row)
  await tellAdministrators(ctx, row, row.active)
  return { connection: await describe(ctx, row), version: row.version }
}

/** @throws AppError `too_many_connections` */
async function refuseTooManyOf(db: Db, { organization_id }: store.ConnectionRow): Promise<void> {
  if (organization_id === null) return
  if ((await store.countOfOrganization(db, organization_id)) < limitOfOrganization) return
  const detail = `The organization already has ${limitOfOrganization} connections. Delete one first.`
  throw new AppError('too_many_connections', detail)
}

/** The provider needs our addresses, which have the id of the connection, before it gives what the connection needs. */
function isDraft({ way }: Kind, active: boolean | number): boolean {
  return way === 'redirect' && !active
}

type Update = {
  connection_id: string
  input: Omit<UpdateSignInConnection, SecretName>
  secrets: GivenSecrets
  expected: ExpectedVersion
  override?: boolean
}

/**
 * What identifies the other side, such as its issuer, may give its subjects to other people, so another value removes the
 * identities and ends the sessions of the connection. So does a domain that is no longer trusted, with the identities that
 * it linked. The caller may confirm that the people are the same.
 *
 * @throws AppError `connection_not_found`, `precondition_failed`, `connection_name_taken`, `validation_failed`,
 *   `role_not_grantable`, `last_password_admin`, `managed_elsewhere`
 */
export async function update(
  ctx: ChangeContext,
  { connection_id, input, secrets, expected, override }: Update,
): Promise<Versioned> {
  const found = await getForChange(ctx, connection_id, expected)
  refuseNamedOrganization(ctx.actor, input)
  const kind = kindOf(found.kind)
  refuseForeignSecrets(kind, secrets)
  const before = settingsOf(found)
  const {
    name = found.name,
    active = found.active,
    position = found.position,
    organization_id = found.organization_id,
    keep_identities,
    ...settingsInput
  } = input
  const rules = { rules: ctx.rules, kind, isDraft: isDraft(kind, active) }
  const settings = changedSettings(rules, before, settingsInput)
  await refuseBeyondOrganization(ctx, before, settings)
  const differs = (member: string) => JSON.stringify(before[member]) !== JSON.stringify(settings[member])
  refuseToTakeSecretsAlong(kind, { found, secrets, destination: kind.destinations.find(differs) })
  const next: store.ConnectionRow = {
    ...found,
    ...connectionName(name),
    active: Number(active),
    position,
    settings: JSON.stringify(settings),
    secrets: withSecrets(found.secrets, secrets),
    organization_id:
      organization_id === found.organization_id ? organization_id : await checkedOrganization(ctx, organization_id),
  }
  const changes = recorded(found, next)
  if (Object.keys(changes).length === 0) {
    ctx.record({ action: 'sign_in_connection.updated', target: targetOf(next), changes })
    return { connection: await describe(ctx, found), version: found.version }
  }
  refuseManagedByFile(ctx, 'connection', found, { override, changed: Object.keys(changes) })
  const isMoved = next.organization_id !== found.organization_id
  // Who moves it to another organization vouches for it.
  const limited_permissions = limitsOf(ctx) ?? (isMoved ? null : found.limited_permissions)
  const row = { ...next, limited_permissions, version: found.version + 1, updated_at: timestamp(ctx.now) }
  if (differs('domains')) await refuseTakenDomains(ctx, row)
  if (differs('groups')) await refuseBadGroups(ctx, settings.groups)
  if (differs('password_exceptions')) await refuseUnknownUsers(ctx, settings.password_exceptions)
  if (!(await store.updateConnection(ctx.db, row))) throw nameTaken()
  await applyPasswordRule(ctx, row)
  const identifies = kind.identifying.some(differs)
  const isKept = identifies && keep_identities === true
  const isAnother = identifies && !isKept
  let unlinked = 0
  if (isAnother) unlinked = await identities.deleteIdentitiesOfConnection(ctx.db, connection_id)
  else {
    for (const domain of before.trusted_domains.filter((one) => !settings.trusted_domains.includes(one))) {
      unlinked += await identities.deleteIdentitiesOfDomain(ctx.db, connection_id, domain)
    }
  }
  const endsSessions = unlinked > 0 || isAnother || isMoved || row.active === 0
  const endedCount = endsSessions ? await endAllThrough(ctx, connection_id) : 0
  const beside = overrideDetails(ctx, found, override)
  ctx.record({
    action: 'sign_in_connection.updated',
    target: { ...targetOf(row), former_organization_id: found.organization_id },
    changes,
    ...beside,
    ...((endsSessions || isKept) && {
      details: { unlinked, sessions_ended: endedCount, ...(isKept && { identities_kept: true }), ...beside.details },
    }),
  })
  emitConnection(ctx, 'connection.updated', row, unlinked)
  await tellAdministrators(ctx, row, found.active || row.active)
  return { connection: await describe(ctx, row), version: row.version }
}

/** @throws AppError `connection_not_found`, `precondition_failed`, `role_not_grantable`, `last_password_admin`, `managed_elsewhere` */
export async function remove(
  ctx: ChangeContext,
  { connection_id, expected, override }: Pick<Update, 'connection_id' | 'expected' | 'override'>,
): Promise<{ unlinked: number; sessions_ended: number }> {
  const found = await getForChange(ctx, connection_id, expected)
  const settings = { ...settingsOf(found), ...noDomains }
  await refuseBeyondOrganization(ctx, settings, settings)
  refuseManagedByFile(ctx, 'connection', found, { override })
  const unlinked = await identities.deleteIdentitiesOfConnection(ctx.db, connection_id)
  const sessions_ended = await endAllThrough(ctx, connection_id)
  await store.deleteConnection(ctx.db, connection_id)
  await applyPasswordRule(ctx, { ...found, active: 0 })
  const details = { unlinked, sessions_ended }
  ctx.record({
    action: 'sign_in_connection.deleted',
    target: targetOf(found),
    changes: recorded(found, undefined),
    details: { ...details, ...overrideDetails(ctx, found, override).details },
  })
  emitConnectionDeleted(ctx, connection_id)
  await tellAdministrators(ctx, found, found.active)
  return details
}

/** The organization, which stays until the change ends. @throws AppError `validation_failed` if it does not exist */
async function checkedOrganization(ctx: ChangeContext, organizationId: string | null): Promise<string | null> {
  return organizationId === null ? null : (await getForMember(ctx.db, organizationId.toLowerCase())).organization_id
}

/**
 * Takes a domain that an organization no longer has out of the connections that it set up itself, by the rules of a change: who was linked by
 * a trusted domain is linked no more.
 */
export async function dropDomain(
  ctx: ChangeContext,
  { organization_id, domain }: { organization_id: string; domain: string },
): Promise<void> {
  const own = (await store.listConnections(ctx.db, scopeOf(system))).filter(
    (row) => row.organization_id === organization_id && row.limited_permissions !== null,
  )
  for (const row of own) {
    const settings = settingsOf(row)
    const input: Update['input'] = {}
    for (const member of ['domains', 'trusted_domains', 'provisioning_domains'] as const) {
      const rest = settings[member].filter((one) => one !== domain)
      if (rest.length < settings[member].length) input[member] = rest
    }
    if (Object.keys(input).length === 0) continue
    if (input.domains?.length === 0 && settings.passwords === 'refused_for_domains') input.passwords = 'allowed'
    // Whoever may remove the domain need not be allowed to change the connection.
    const by = { ...ctx, actor: system, record: (entry: AuditEntry) => ctx.recordFor(ctx, entry) }
    const { connection_id } = row
    await update(by, { connection_id, input, secrets: {}, expected: undefined, override: true })
  }
}

/** Whether users sign in through it now: neither it nor its organization is disabled. */
export function isUsable(
  { rules }: { rules: Pick<Rules, 'disabledOrganizations'> },
  row: Pick<store.ConnectionRow, 'active' | 'organization_id'> | undefined,
): boolean {
  return row?.active === 1 && isOrganizationActive(rules, row)
}

export type Failure = Pick<SignInFailure, 'reason' | 'detail' | 'claims'> &
  Partial<Pick<SignInFailure, 'test_outcome' | 'test_reason'>>

/** Keeps why a sign-in failed, for the administrator; the caller writes the audit record. */
export async function keepFailure(ctx: ChangeContext, connection_id: string, failure: Failure): Promise<void> {
  const claims = JSON.stringify(failure.claims)
  const row = { failure_id: ctx.newId(), connection_id, failed_at: timestamp(ctx.now), request_id: ctx.requestId }
  const limits = { keptCount: keptFailures, keptOfReason: keptOfSuccess[failure.reason] }
  await store.insertFailure(ctx.db, { ...row, ...failure, claims }, limits)
}

/** The latest first. @throws AppError `connection_not_found` */
export async function listFailures(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  connectionId: string,
  limit: number,
): Promise<SignInFailure[]> {
  await getRow(db, scopeOf(actor), connectionId)
  const rows = await store.listFailures(db, connectionId, limit)
  return rows.map(({ connection_id: _, claims, test_outcome, ...row }) => ({
    ...row,
    claims: claimsIn(claims),
    test_outcome: test_outcome as SignInFailure['test_outcome'],
  }))
}

/** Earlier releases kept no codes of the notes. */
function claimsIn(stored: string): SignInClaim[] {
  const claims: SignInClaim[] = JSON.parse(stored)
  return claims.map((claim) => ({ ...claim, notes: claim.notes ?? [] }))
}

export async function pruneFailures(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'sign_in_connections.prune', everyMs))) return 0
  return store.deleteFailuresBefore(ctx.db, timestamp(ctx.now - keptFailuresMs))
}

/**
 * Any user may have linked a connection, or link it later, so who controls one could become any of them. Without it,
 * passwords work again that it had refused. Also asked before an address of the caller's is called. The connection of an
 * organization reaches only its users, and what a limited caller sets up none with more permissions: see limits.ts.
 *
 * @throws AppError `role_not_grantable`
 */
export function refuseUnlessMayEdit(ctx: Pick<Context, 'actor' | 'rules'>): void {
  if (ctx.actor.limitedTo !== undefined) return
  for (const role of Object.keys(ctx.rules.roles)) refuseBeyondCaller(ctx, role)
}

/** The connections that could give this role to a user. */
export async function findNamesOfRole(db: Db, role: string): Promise<string[]> {
  const naming = (await store.listConnections(db, scopeOf(system))).filter((row) => {
    const { default_role, roles } = settingsOf(row)
    return default_role === role || Object.values(roles).includes(role)
  })
  return naming.map(({ name }) => `the connection ${name}`)
}

async function getForChange(
  ctx: ChangeContext,
  connectionId: string,
  expected: ExpectedVersion,
): Promise<store.ConnectionRow> {
  refuseUnlessMayEdit(ctx)
  const scope = scopeOf(ctx.actor)
  const found = known(
    isUuid(connectionId) ? await store.findConnectionForChange(ctx.db, scope, connectionId) : undefined,
  )
  refuseUnexpected('connection', found, expected)
  await refuseOutrankedByLinked(ctx, found)
  return found
}

function known(found: store.ConnectionRow | undefined): store.ConnectionRow {
  if (found === undefined) throw new AppError('connection_not_found', 'There is no connection with this id.')
  return found
}

const nameTaken = () => connectionNameTaken('Another connection already has this name.')

type Named = Pick<store.ConnectionRow, 'connection_id' | 'name'> & Placed

export function targetOf({ connection_id, name, organization_id }: Named): PlacedTarget {
  return { kind: 'sign_in_connection', id: connection_id, name, organization_id }
}

/** A caller who controls a connection can become any of its users; an inactive one signs in no user. */
async function tellAdministrators(
  ctx: ChangeContext,
  { name }: Pick<store.ConnectionRow, 'name'>,
  isInUse: number,
): Promise<void> {
  if (isInUse !== 1) return
  await notifyAdministrators(ctx, { kind: 'connection_changed', data: { connection: name } })
}

/** Otherwise it would be chance which company a user is sent to. @throws AppError `validation_failed` */
async function refuseTakenDomains(ctx: ChangeContext, row: store.ConnectionRow): Promise<void> {
  const { domains } = settingsOf(row)
  if (domains.length === 0) return
  await ctx.db.lock(['sign_in_connections'])
  const others = (await store.listConnections(ctx.db, scopeOf(system))).filter(
    ({ connection_id }) => connection_id !== row.connection_id,
  )
  const taken = new Set(others.flatMap((other) => settingsOf(other).domains))
  const faults = domains.flatMap((domain, index) => {
    const detail = 'Another connection already has this domain.'
    return taken.has(domain) ? [memberFault('domains', 'domain_taken', detail, index)] : []
  })
  if (faults.length > 0) throw validationFailed(faults)
}

/** An inactive connection refuses no passwords. @throws AppError `last_password_admin` */
async function applyPasswordRule(ctx: ChangeContext, row: store.ConnectionRow): Promise<void> {
  const { passwords, domains, password_exceptions } = settingsOf(row)
  const rule = row.active === 1 ? passwords : 'allowed'
  await setPasswordRule(ctx, row.connection_id, { rule, domains, exceptions: password_exceptions })
}

/** @throws AppError `validation_failed` */
async function refuseUnknownUsers({ db, actor }: ChangeContext, ids: readonly string[]): Promise<void> {
  const faults: ReturnType<typeof memberFault>[] = []
  for (const [index, id] of ids.entries()) {
    if ((await findById(db, scopeOf(actor), id)) !== undefined) continue
    faults.push(memberFault('password_exceptions', 'user_unknown', 'There is no user with this id.', index))
  }
  if (faults.length > 0) throw validationFailed(faults)
}

/** Refuses groups that do not exist, or which make administrators. @throws AppError `validation_failed` */
async function refuseBadGroups(ctx: ChangeContext, byValue: AllSettings['groups']): Promise<void> {
  const administering = administeringRoles(ctx)
  for (const group_id of new Set(Object.values(byValue))) {
    const group = isUuid(group_id) ? await findGroup(ctx.db, scopeOf(ctx.actor), group_id) : undefined
    const fault = (code: string, detail: string) => validationFailed([memberFault('groups', code, detail)])
    if (group === undefined) throw fault('group_unknown', 'One of these groups does not exist.')
    if (group.role === null || !administering.includes(group.role)) continue
    throw fault('role_administers', 'The role of one of these groups administers. Name administrators in roles.')
  }
}

function withSecrets(before: string, input: GivenSecrets): string {
  const all = Object.entries({ ...secretsIn(before), ...input })
  return JSON.stringify(Object.fromEntries(all.filter(([, secret]) => secret !== null)))
}

function refuseForeignSecrets(kind: Kind, secrets: GivenSecrets): void {
  const faults = Object.keys(secrets)
    .filter((name) => !kind.secrets.includes(name))
    .map((name) => memberFault(name, 'member_of_another_kind', `Connections of the kind ${kind.name} do not have it.`))
  if (faults.length > 0) throw validationFailed(faults)
}

/** Otherwise who may change the connection could have its secrets sent to a server of their own. */
function refuseToTakeSecretsAlong(
  { secrets: names }: Kind,
  {
    found,
    secrets,
    destination,
  }: { found: store.ConnectionRow; secrets: GivenSecrets; destination: string | undefined },
): void {
  if (destination === undefined) return
  const stored = secretsIn(found.secrets)
  const remaining = names.filter((name) => Object.hasOwn(stored, name) && secrets[name] === undefined)
  const detail = (name: string) => `Send ${name} with another ${destination}: the stored one is for the one before.`
  if (remaining.length > 0)
    throw validationFailed(remaining.map((name) => memberFault(name, 'missing_member', detail(name))))
}

function recordable(row: store.ConnectionRow | undefined) {
  if (row === undefined) return undefined
  const settings = Object.entries(settingsOf(row)).map(([name, value]) => {
    return [name, value !== null && typeof value === 'object' ? JSON.stringify(value) : value]
  })
  const { kind, name, position, organization_id } = row
  return { kind, name, active: row.active === 1, position, organization_id, ...Object.fromEntries(settings) }
}

/** A changed secret is reported without its value. */
function recorded(before: store.ConnectionRow | undefined, after: store.ConnectionRow | undefined): Changes {
  const [was, is] = [recordable(before), recordable(after)]
  const changes = changesOf(was, is, Object.keys(is ?? was ?? {}))
  if (before === undefined || after === undefined) return changes
  const [had, has] = [secretsIn(before.secrets), secretsIn(after.secrets)]
  const changed = kindOf(after.kind).secrets.filter((name) => had[name]?.value !== has[name]?.value)
  return { ...changes, ...Object.fromEntries(changed.map((name) => [name, 'changed'])) }
}

export { settingsOf } from './settings.ts'
export {
  type ConnectionRow,
  findConnection,
  findConnectionForShare,
  hasDomains,
  listConnections as listRows,
} from './store.ts'
