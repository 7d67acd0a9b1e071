import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addOrganizationArgument, getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

type Options = WriteOptions & OutputOptions & RemoteOptions

export function addOrganizationsDelete(organizations: Command): void {
  const remove = organizations
    .command('delete')
    .summary('delete an organization')
    .description('Deletes an organization to which nothing belongs. Asks first, unless --yes is given.')
    .action(runDelete)
  addOrganizationArgument(remove)
  examples(remove, [
    ['rollbook organizations delete Acme --dry-run', 'check whether it is allowed'],
    ['rollbook organizations delete Acme --yes', 'without confirmation'],
  ])
  addWriteOptions(remove)
  addOutputOptions(remove, ['organization_id', 'deleted'])
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: Options): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    await confirm(`Delete the organization ${name}?`, options)
    await printOne(await client.organizations.delete(organization_id, { dryRun, signal }), options)
    tell(dryRun ? `Nothing was changed. ${name} can be deleted.` : `Deleted ${name}.`)
  })
}
