import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addGroupArgument, getGroup } from '../server/find-group.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Options = WriteOptions & OverrideOption & OutputOptions & RemoteOptions

export function addGroupsDelete(groups: Command): void {
  const remove = groups
    .command('delete')
    .summary('delete a group')
    .description(
      'Deletes a group. Its members stay users, but lose what they held through the group at once. Asks first, unless --yes is given.',
    )
    .action(runDelete)
  addGroupArgument(remove)
  examples(remove, [
    ['rollbook groups delete Contractors --dry-run', 'check whether it is allowed'],
    ['rollbook groups delete Contractors --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'a group')
  addWriteOptions(remove)
  addOutputOptions(remove, ['group_id', 'deleted'])
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: Options): Promise<void> {
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const group = await getGroup(client, text, signal)
    await confirm(`Delete the group ${group.name} with ${counted(group.member_count, 'member')}?`, options)
    const { etagOf } = await import('../../sdk/client/index.ts')
    // A dry run counts nothing. Otherwise delete the group only if it is still as the question showed it.
    const deletion = await client.groups.delete(group.group_id, { dryRun, override, ifMatch: etagOf(group), signal })
    await printOne(deletion, options)
    tell(dryRun ? `Nothing was changed. ${group.name} can be deleted.` : `Deleted ${group.name}.`)
  })
}
