/**
 * Domains of organizations: added, proved by a DNS record or stated by a caller, and removed. Until a domain is verified it gives nothing, and any
 * organization may add it, so that nobody learns here which customer has which domain. A verified one belongs to one organization.
 */
import { AppError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { refuseManagedByFile } from '../../store/managed-by-file.ts'
import { domainNotFound, toDomain } from './domain-form.ts'
import { newProof } from './domain-proof.ts'
import type { DomainRow } from './domains-store.ts'
import * as store from './domains-store.ts'
import { emitOrganization, organizationTarget } from './journal.ts'
import { get, getForChange, refuseOutside } from './organizations.ts'
import type { OrganizationDomain } from './schema.ts'
import { type OrganizationRow, updateOrganization } from './store.ts'

/** All of them are shown with the organization. */
const mostDomains = 100

type DomainOf = { organization_id: string; domain: string }
type By = 'dns' | 'statement'

/** @throws AppError `organization_not_found`, `domain_not_found` */
export async function getDomain(ctx: Context, { organization_id, domain }: DomainOf): Promise<DomainRow> {
  refuseOutside(ctx, organization_id)
  const found = await store.findDomain(ctx.db, organization_id, domain)
  if (found !== undefined) return found
  await get(ctx, organization_id)
  throw domainNotFound()
}

/** The domains that are proved, or that a caller has vouched for, by name: those that connections of the organization may route. */
export async function verifiedDomainsOf(db: Db, organizationId: string): Promise<string[]> {
  const rows = await store.listDomainsOf(db, [organizationId])
  return rows.filter(({ verified_at }) => verified_at !== null).map(({ domain }) => domain)
}

type Addition = DomainOf & { proof: string; verified: boolean; override?: boolean }

/**
 * Adds a domain, or returns the one that is there, with its record. `verified`: the caller vouches for it.
 *
 * @throws AppError `organization_not_found`, `too_many_domains`, `domain_taken`, `permission_denied`, `managed_elsewhere`
 */
export async function addDomain(
  ctx: ChangeContext,
  { organization_id, domain, proof, verified, override }: Addition,
): Promise<{ domain: OrganizationDomain; added: boolean }> {
  const organization = await getForChange(ctx, organization_id, undefined)
  if (verified && ctx.actor.limitedTo !== undefined) {
    const detail = 'You cannot vouch for a domain of your organization: publish its record, then verify it.'
    throw new AppError('permission_denied', detail)
  }
  const found = await store.findDomain(ctx.db, organization_id, domain)
  const isStated = verified && found?.verified_by !== 'statement'
  refuseManagedByFile(ctx, 'organization', organization, { override, changed: isStated ? ['domains'] : [] })
  if (found !== undefined) {
    return { domain: verified ? await verify(ctx, organization, found, 'statement') : toDomain(found), added: false }
  }
  if ((await store.countDomains(ctx.db, organization_id)) >= mostDomains) {
    throw new AppError('too_many_domains', `An organization can have ${mostDomains} domains. Remove one first.`)
  }
  const row: DomainRow = {
    organization_id,
    domain,
    proof,
    verified_at: null,
    created_at: timestamp(ctx.now),
    verified_by: null,
  }
  await store.insertDomain(ctx.db, row)
  if (verified) return { domain: await verify(ctx, organization, row, 'statement'), added: true }
  await touch(ctx, organization)
  ctx.record({ action: 'organization.domain_added', target: organizationTarget(organization), details: { domain } })
  return { domain: toDomain(row), added: true }
}

/**
 * Notes that the record of a domain was found. It stays verified when the record is removed.
 *
 * @param proof what the record had; the domain may have been removed and added again since
 * @throws AppError `organization_not_found`, `domain_not_found`, `domain_not_proved`, `domain_taken`
 */
export async function verifyDomain(
  ctx: ChangeContext,
  { organization_id, domain, proof }: DomainOf & { proof: string },
): Promise<OrganizationDomain> {
  const organization = await getForChange(ctx, organization_id, undefined)
  const found = await store.findDomain(ctx.db, organization_id, domain)
  if (found === undefined) throw domainNotFound()
  if (found.proof !== proof) {
    const detail = 'The domain was removed and added again meanwhile, so its record needs another value now.'
    throw new AppError('domain_not_proved', detail, { members: { reason: 'other_value' } })
  }
  return verify(ctx, organization, found, 'dns')
}

/** @throws AppError `organization_not_found`, `domain_not_found`, `managed_elsewhere` for one that a file vouches for */
export async function removeDomain(
  ctx: ChangeContext,
  { organization_id, domain, override }: DomainOf & { override?: boolean },
): Promise<void> {
  const organization = await getForChange(ctx, organization_id, undefined)
  const found = await store.findDomain(ctx.db, organization_id, domain)
  if (found === undefined) throw domainNotFound()
  const changed = found.verified_by === 'statement' ? ['domains'] : []
  refuseManagedByFile(ctx, 'organization', organization, { override, changed })
  await store.deleteDomain(ctx.db, organization_id, domain)
  await touch(ctx, organization)
  const details = { domain, verified: found.verified_at !== null }
  ctx.record({ action: 'organization.domain_removed', target: organizationTarget(organization), details })
  // After the record of the operation: each changed connection has its own.
  if (found.verified_at !== null) await ctx.access.dropDomain(ctx, { organization_id, domain })
}

/** A domain that was proved can still be vouched for: then a file may say so. @throws AppError `domain_taken` */
async function verify(
  ctx: ChangeContext,
  organization: OrganizationRow,
  found: DomainRow,
  by: By,
): Promise<OrganizationDomain> {
  if (found.verified_at !== null && (by === 'dns' || found.verified_by === by)) return toDomain(found)
  const row = { ...found, verified_at: found.verified_at ?? timestamp(ctx.now), verified_by: by }
  if (!(await store.setVerified(ctx.db, row))) {
    const detail = 'The domain is verified for another organization. It must be removed there first.'
    throw new AppError('domain_taken', detail)
  }
  await touch(ctx, organization)
  const target = organizationTarget(organization)
  ctx.record({ action: 'organization.domain_verified', target, details: { domain: row.domain, by } })
  return toDomain(row)
}

/** Vouches for these domains and no others. Those that were proved stay. @throws AppError as `addDomain` and `removeDomain` */
export async function replaceStated(
  ctx: ChangeContext,
  { organization_id, domains }: { organization_id: string; domains: readonly string[] },
): Promise<void> {
  const rows = await store.listDomainsOf(ctx.db, [organization_id])
  const stated = rows.filter(({ verified_by }) => verified_by === 'statement').map(({ domain }) => domain)
  for (const domain of stated.filter((one) => !domains.includes(one)))
    await removeDomain(ctx, { organization_id, domain })
  for (const domain of domains.filter((one) => !stated.includes(one))) {
    await addDomain(ctx, { organization_id, domain, proof: newProof(), verified: true })
  }
}

/** The domains are part of the organization, so its version counts their changes. */
async function touch(ctx: ChangeContext, organization: OrganizationRow): Promise<void> {
  const row = { ...organization, version: organization.version + 1, updated_at: timestamp(ctx.now) }
  await updateOrganization(ctx.db, row)
  await emitOrganization(ctx, 'organization.updated', row)
}
