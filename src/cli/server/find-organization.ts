/** Finds an organization by id or name. */
import type { Command } from 'commander'
import type { Organization, RollbookClient } from '../../sdk/client/index.ts'
import { notFound } from '../terminal/failure.ts'
import { isUserId as isUuid } from './find-user.ts'

export function addOrganizationArgument(command: Command): Command {
  return command.argument('<organization>', 'id or name')
}

/** A name may look like an id, so an id that no organization has is looked for among the names. */
export async function getOrganization(
  client: RollbookClient,
  text: string,
  signal: AbortSignal,
): Promise<Organization> {
  if (isUuid(text)) {
    const found = await client.organizations.get(text.toLowerCase(), { signal }).catch(undefinedIfUnknown)
    if (found !== undefined) return found
  }
  const { organizations } = await client.organizations.page({ name: text, limit: 1 }, { signal })
  if (organizations[0] === undefined) throw notFound('organization', text, 'organizations list')
  return organizations[0]
}

/** The id for an option that takes `none` too. */
export async function organizationIdFor(client: RollbookClient, text: string, signal: AbortSignal): Promise<string> {
  return text === 'none' ? text : (await getOrganization(client, text, signal)).organization_id
}

function undefinedIfUnknown(error: { code?: string }): undefined {
  if (error.code !== 'organization_not_found') throw error
}
