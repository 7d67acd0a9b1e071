/** Finds a group by id or name. */
import type { Command } from 'commander'
import type { Group, RollbookClient } from '../../sdk/client/index.ts'
import { notFound } from '../terminal/failure.ts'
import { isUserId as isUuid } from './find-user.ts'

export function addGroupArgument(command: Command): Command {
  return command.argument('<group>', 'id or name')
}

/** A name may look like an id, so an id that no group has is looked for among the names. */
export async function getGroup(client: RollbookClient, text: string, signal: AbortSignal): Promise<Group> {
  if (isUuid(text)) {
    const found = await client.groups.get(text.toLowerCase(), { signal }).catch(undefinedIfUnknown)
    if (found !== undefined) return found
  }
  const { groups } = await client.groups.page({ name: text, limit: 1 }, { signal })
  if (groups[0] === undefined) throw notFound('group', text, 'groups list')
  return groups[0]
}

function undefinedIfUnknown(error: { code?: string }): undefined {
  if (error.code !== 'group_not_found') throw error
}
