import { createOrganizationSchema } from '../../../directory/organizations/schema.ts'
import * as organizations from '../../../directory/organizations/service.ts'
import type { Kind, Members } from '../kind.ts'
import { expectedOf, nameKeyOf } from './members.ts'

type Input = Parameters<typeof organizations.checkOrganizationInput>[0]

const domains = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', minLength: 1, maxLength: 1024 },
  description:
    'Domains for which you vouch, so that no DNS record is needed. Domains that were proved by a record are no part of the file, and stay.',
} as const

const initial = { external_id: null, active: true, second_factor: null, domains: [] } as const

/** Files never delete users: an organization that left the file is deleted only if nothing belongs to it. */
export const organizationKind: Kind = {
  section: 'organizations',
  needs: 'organizations:write',
  schema: { ...createOrganizationSchema, properties: { ...createOrganizationSchema.properties, domains } },
  renames: true,
  nameKey: nameKeyOf,

  async list(db) {
    const rows = await organizations.listAll(db)
    const stated = Map.groupBy(await organizations.listStated(db), ({ organization_id }) => organization_id)
    return rows.map(({ organization_id, name, name_key, external_id, active, second_factor, managed_by, version }) => ({
      id: organization_id,
      name,
      key: name_key,
      members: {
        ...{ name, external_id, active: active === 1, second_factor },
        domains: (stated.get(organization_id) ?? []).map(({ domain }) => domain),
      },
      managed_by,
      version,
    }))
  },

  initial: () => initial,

  normalize({ members }) {
    const { domains = [], ...own } = members as Input & { domains?: string[] }
    const { name_key: _, ...checked } = organizations.checkOrganizationInput(own)
    const distinct = new Set(domains.map((domain, index) => organizations.checkDomain(domain, ['domains', index])))
    return { ...initial, ...checked, domains: [...distinct].toSorted() }
  },

  async create(ctx, { members }) {
    const { domains, input } = partsOf(members)
    const { organization } = await organizations.create(ctx, input)
    const { organization_id } = organization
    if (domains !== undefined) await organizations.replaceStated(ctx, { organization_id, domains })
    return { id: organization_id }
  },

  async update(ctx, { id, version }, { changed }) {
    const { domains, input } = partsOf(changed)
    if (Object.keys(input).length > 0) {
      await organizations.update(ctx, { organization_id: id, input, expected: expectedOf(version) })
    }
    if (domains !== undefined) await organizations.replaceStated(ctx, { organization_id: id, domains })
  },

  async remove(ctx, { id, version }) {
    await organizations.remove(ctx, { organization_id: id, expected: expectedOf(version) })
  },
}

function partsOf({ domains, ...members }: Members) {
  return { domains: domains as string[] | undefined, input: organizations.checkOrganizationInput(members as Input) }
}
