/**
 * The rules of organizations: what must stay unique, and what may be deleted. Leaves what belongs to one to the rooms of users, groups,
 * keys and connections, which hold the organization while something comes to belong to it.
 */

import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { pageOf } from '../../http/request/cursor.ts'
import { counted } from '../../lib/amounts.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { idsFound, type Place, takenError } from '../named-resources/service.ts'
import { toDomain } from './domain-form.ts'
import { listDomainsOf } from './domains-store.ts'
import { putCreationInForce, putInForce } from './in-force.ts'
import { type OrganizationInput, unknownOrganization } from './input.ts'
import { emitDeletedOrganization, emitOrganization, organizationChanges, organizationTarget } from './journal.ts'
import type { Organization } from './schema.ts'
import { deleteSetupLinksOf } from './setup-links.ts'
import * as store from './store.ts'

export type Versioned = { organization: Organization; version: number }

/** The organizations with their counts and domains, in the order of the rows. */
async function toOrganizations(db: Db, rows: readonly store.OrganizationRow[]): Promise<Organization[]> {
  const ids = rows.map(({ organization_id }) => organization_id)
  const [counts, domains] = [await store.countMembers(db, ids), await listDomainsOf(db, ids)]
  const countsById = new Map(counts.map(({ organization_id, ...numbers }) => [organization_id, numbers]))
  const domainsById = Map.groupBy(domains, ({ organization_id }) => organization_id)
  return rows.map(
    ({ organization_id, name, external_id, active, second_factor, managed_by, created_at, updated_at }) => ({
      organization_id,
      name,
      external_id,
      active: active === 1,
      domains: (domainsById.get(organization_id) ?? []).map(toDomain),
      second_factor: second_factor === null ? null : 'required',
      ...(countsById.get(organization_id) ?? { user_count: 0, group_count: 0 }),
      created_at,
      updated_at,
      ...(managed_by === byFile && { managed_by }),
    }),
  )
}

async function toVersioned(db: Db, row: store.OrganizationRow): Promise<Versioned> {
  const [organization] = await toOrganizations(db, [row])
  return { organization: organization as Organization, version: row.version }
}

/** @throws AppError `organization_not_found` */
export async function get(ctx: Context, organizationId: string): Promise<Versioned> {
  refuseOutside(ctx, organizationId)
  const row = await store.findOrganization(ctx.db, organizationId)
  if (row === undefined) throw unknownOrganization()
  return toVersioned(ctx.db, row)
}

/**
 * A page, and the place behind it if there is more.
 *
 * @param q the search, as that of groups: all words of the name in any order, or exactly the external id or the id
 * @throws AppError `validation_failed` for too many words
 */
export async function list(
  ctx: Context,
  { q, ...plan }: store.OrganizationList & { q: string | undefined },
): Promise<{ organizations: Organization[]; next: Place | undefined }> {
  const { limitedTo } = ctx.actor
  const found = q === undefined ? undefined : idsFound(await store.listSearched(ctx.db), q)
  const ids = limitedTo === undefined ? found : (found ?? [limitedTo]).filter((id) => id === limitedTo)
  const filters = { ...plan.filters, ...(ids !== undefined && { ids }) }
  const rows = await store.listOrganizations(ctx.db, { ...plan, filters, limit: plan.limit + 1 })
  const { page, last } = pageOf(rows, plan.limit)
  const next = last && { value: last[plan.sort.column], id: last.organization_id }
  return { organizations: await toOrganizations(ctx.db, page), next }
}

/** @throws AppError `organization_name_taken`, `external_id_taken` */
export async function create(ctx: ChangeContext, input: OrganizationInput): Promise<Versioned> {
  const now = timestamp(ctx.now)
  const row: store.OrganizationRow = {
    organization_id: ctx.newId(),
    version: 1,
    name: input.name ?? '',
    name_key: input.name_key ?? '',
    external_id: input.external_id ?? null,
    active: Number(input.active ?? true),
    second_factor: input.second_factor ?? null,
    managed_by: null,
    created_at: now,
    updated_at: now,
  }
  if (!(await store.insertOrganization(ctx.db, row))) await refuseTaken(ctx, row)
  await emitOrganization(ctx, 'organization.created', row)
  await putCreationInForce(ctx, row)
  const changes = organizationChanges(undefined, row)
  ctx.record({ action: 'organization.created', target: organizationTarget(row), changes })
  return toVersioned(ctx.db, row)
}

type Update = { organization_id: string; input: OrganizationInput; expected: ExpectedVersion; override?: boolean }

/**
 * @throws AppError `organization_not_found`, `precondition_failed`, `organization_name_taken`, `external_id_taken`, `last_admin`,
 *   `last_password_admin`, `permission_denied`, `managed_elsewhere`
 */
export async function update(
  ctx: ChangeContext,
  { organization_id, input, expected, override }: Update,
): Promise<Versioned> {
  const found = await getForChange(ctx, organization_id, expected)
  refuseMoreThanName(ctx, input)
  const { active = found.active === 1, ...members } = input
  const next = { ...found, ...members, active: Number(active) }
  const changes = organizationChanges(found, next)
  refuseManagedByFile(ctx, 'organization', found, { override, changed: Object.keys(changes) })
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'organization.updated', target: organizationTarget(next), changes, ...beside })
  if (Object.keys(changes).length === 0) return toVersioned(ctx.db, found)
  const row = { ...next, version: found.version + 1, updated_at: timestamp(ctx.now) }
  if (!(await store.updateOrganization(ctx.db, row))) await refuseTaken(ctx, row)
  await emitOrganization(ctx, 'organization.updated', row)
  await putInForce(ctx, found, row)
  return toVersioned(ctx.db, row)
}

/** @throws AppError `permission_denied` for what only callers of the whole service change */
function refuseMoreThanName({ actor }: ChangeContext, { name: _, name_key: __, ...others }: OrganizationInput): void {
  const [member] = Object.keys(others)
  if (actor.limitedTo === undefined || member === undefined) return
  const detail = `You can change only the name of your organization, not ${member}: that needs the permission organizations:write.`
  throw new AppError('permission_denied', detail)
}

/** Another organization is as unknown as one that does not exist. @throws AppError `organization_not_found` */
export function refuseOutside({ actor }: Pick<Context, 'actor'>, organizationId: string): void {
  if (actor.limitedTo !== undefined && actor.limitedTo !== organizationId) throw unknownOrganization()
}

type Removal = Pick<Update, 'organization_id' | 'expected'> & { override?: boolean }

/**
 * Deletes an organization to which nothing belongs.
 *
 * @throws AppError `organization_not_found`, `precondition_failed`, `organization_not_empty`, `managed_elsewhere`
 */
export async function remove(ctx: ChangeContext, removal: Removal): Promise<{ organization_id: string }> {
  await getForRemoval(ctx, removal)
  await refuseNotEmpty(ctx.db, removal.organization_id)
  return removeEmpty(ctx, removal)
}

/** @throws AppError `organization_not_found`, `precondition_failed`, `managed_elsewhere` */
export async function getForRemoval(
  ctx: ChangeContext,
  { organization_id, expected, override }: Removal,
): Promise<store.OrganizationRow> {
  const found = await getForChange(ctx, organization_id, expected)
  refuseManagedByFile(ctx, 'organization', found, { override })
  return found
}

/** Deletes an organization that the caller holds, and to which nothing belongs any more. */
export async function removeEmpty(
  ctx: ChangeContext,
  { organization_id, override }: Removal,
): Promise<{ organization_id: string }> {
  const found = await getForChange(ctx, organization_id, undefined)
  await deleteSetupLinksOf(ctx, organization_id)
  await store.deleteOrganization(ctx.db, organization_id)
  emitDeletedOrganization(ctx, found)
  const changes = organizationChanges(found, undefined)
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'organization.deleted', target: organizationTarget(found), changes, ...beside })
  return { organization_id }
}

/** @throws AppError `organization_not_empty` if users belong to it */
export async function refuseUsers(db: Db, organizationId: string): Promise<void> {
  const [counts] = await store.countMembers(db, [organizationId])
  const user_count = counts?.user_count ?? 0
  if (user_count === 0) return
  const detail = `${counted(user_count, 'user')} came to belong to this organization meanwhile. Repeat the request.`
  throw new AppError('organization_not_empty', detail, { members: { user_count } })
}

/** @throws AppError `organization_not_empty` */
async function refuseNotEmpty(db: Db, organizationId: string): Promise<void> {
  const [counts] = await store.countMembers(db, [organizationId])
  const members = {
    user_count: counts?.user_count ?? 0,
    group_count: counts?.group_count ?? 0,
    ...(await store.countBelongings(db, organizationId)),
  }
  const nouns = { user_count: 'user', group_count: 'group', key_count: 'key', connection_count: 'connection' } as const
  const amounts = (Object.keys(nouns) as (keyof typeof nouns)[]).flatMap((name) =>
    members[name] > 0 ? [counted(members[name], nouns[name])] : [],
  )
  if (amounts.length === 0) return
  const detail = `${new Intl.ListFormat('en').format(amounts)} belong to this organization. Move or delete them first.`
  throw new AppError('organization_not_empty', detail, { members })
}

/** The organization, held until this change ends. @throws AppError `organization_not_found`, `precondition_failed` */
export async function getForChange(
  ctx: ChangeContext,
  organizationId: string,
  expected: ExpectedVersion,
): Promise<store.OrganizationRow> {
  refuseOutside(ctx, organizationId)
  const found = await store.findOrganizationForChange(ctx.db, organizationId)
  if (found === undefined) throw unknownOrganization()
  refuseUnexpected('organization', found, expected)
  return found
}

/**
 * The organization that something is to belong to, held until this change ends, so that it cannot be deleted meanwhile.
 *
 * @throws AppError `validation_failed` if there is none
 */
export async function getForMember(db: Transaction, organizationId: string): Promise<store.OrganizationRow> {
  const found = isUuid(organizationId) ? await store.findOrganizationForMember(db, organizationId) : undefined
  if (found === undefined) throw validationFailed([organizationFault])
  return found
}

/** @throws AppError `organization_not_found` */
export async function getOrganization(db: Db, organizationId: string): Promise<store.OrganizationRow> {
  const found = await store.findOrganization(db, organizationId)
  if (found === undefined) throw unknownOrganization()
  return found
}

/** The organization, which cannot be deleted before this change ends. @throws AppError `organization_not_found` */
export async function holdOrganization(db: Transaction, organizationId: string): Promise<store.OrganizationRow> {
  const found = await store.findOrganizationForMember(db, organizationId)
  if (found === undefined) throw unknownOrganization()
  return found
}

/** @throws AppError `validation_failed` */
export async function refuseUnknownOrganization(db: Db, organizationId: string): Promise<void> {
  if ((await store.findOrganization(db, organizationId)) === undefined) throw validationFailed([organizationFault])
}

/** The id in a body names no organization. */
export const organizationFault = memberFault(
  'organization_id',
  'organization_unknown',
  'There is no organization with this id. GET /organizations lists them.',
)

/** @throws AppError `organization_name_taken`, `external_id_taken` */
async function refuseTaken(ctx: ChangeContext, row: store.OrganizationRow): Promise<never> {
  throw takenError(row, await store.findTaken(ctx.db, row), { noun: 'organization', code: 'organization_name_taken' })
}
