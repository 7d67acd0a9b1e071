/** Finds a group by id or name. */
import type { Command } from 'commander'
import type { Group, RollbookClient } from '../../sdk/client/index.ts'
import { getByIdOrName } from './find-named.ts'

export function addGroupArgument(command: Command): Command {
  return command.argument('<group>', 'id or name')
}

export function getGroup(client: RollbookClient, text: string, signal: AbortSignal): Promise<Group> {
  return getByIdOrName('group', text, {
    get: (id) => client.groups.get(id, { signal }),
    find: async (name) => (await client.groups.page({ name, limit: 1 }, { signal })).groups,
  })
}
