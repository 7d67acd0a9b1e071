/** Finds an organization by id or name. */
import type { Command } from 'commander'
import type { Organization, RollbookClient } from '../../sdk/client/index.ts'
import { getByIdOrName } from './find-named.ts'

export function addOrganizationArgument(command: Command): Command {
  return command.argument('<organization>', 'id or name')
}

export function getOrganization(client: RollbookClient, text: string, signal: AbortSignal): Promise<Organization> {
  return getByIdOrName('organization', text, {
    get: (id) => client.organizations.get(id, { signal }),
    find: async (name) => (await client.organizations.page({ name, limit: 1 }, { signal })).organizations,
  })
}

/** The id for an option that takes `none` too. */
export async function organizationIdFor(client: RollbookClient, text: string, signal: AbortSignal): Promise<string> {
  return text === 'none' ? text : (await getOrganization(client, text, signal)).organization_id
}
