import { type Command, Option } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { ConfirmationOfOrganizationDeletion, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addOrganizationArgument, getOrganization } from '../server/find-organization.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Options = { users?: 'delete' } & OverrideOption & WriteOptions & OutputOptions & RemoteOptions

const counts = ['user_count', 'group_count', 'key_count', 'connection_count', 'guest_count'] as const

export function addOrganizationsDelete(organizations: Command): void {
  const remove = organizations
    .command('delete')
    .summary('delete an organization')
    .description(
      'Deletes an organization to which nothing belongs, or with --users delete also its users, who can be restored for some time, and its groups, keys and connections. Asks first, unless --yes is given.',
    )
    .action(runDelete)
  addOrganizationArgument(remove)
  remove.addOption(new Option('--users <action>', 'also delete what belongs to it').choices(['delete']))
  examples(remove, [
    ['rollbook organizations delete Acme --dry-run', 'check whether it is allowed'],
    ['rollbook organizations delete Acme --users delete --dry-run', 'count what would be deleted'],
    ['rollbook organizations delete Acme --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'what belongs to it')
  addWriteOptions(remove)
  addOutputOptions(remove, { all: ['organization_id', 'deleted', ...counts], shown: ['organization_id', 'deleted'] })
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: Options): Promise<void> {
  const { dryRun = false, users, override } = options
  await withServer(options, async (client, signal) => {
    const { organization_id, name } = await getOrganization(client, text, signal)
    const what = { users, override, signal }
    const question =
      users === undefined ? `Delete the organization ${name}?` : await questionOf(client, name, organization_id, what)
    await confirm(question, options)
    const onProgress = ({ deleted, users_left }: { deleted: number; users_left: number }) =>
      tell(`Deleted ${counted(deleted, 'user')}, ${users_left} left.`)
    await printOne(await client.organizations.delete(organization_id, { ...what, dryRun, onProgress }), options)
    tell(dryRun ? `Nothing was changed. ${name} can be deleted.` : `Deleted ${name}.`)
  })
}

/** Says what would be deleted, and fails if something must not be. */
async function questionOf(
  client: RollbookClient,
  name: string,
  organizationId: string,
  what: Parameters<RollbookClient['organizations']['delete']>[1],
): Promise<string> {
  const found = await client.organizations.delete(organizationId, { ...what, dryRun: true })
  const nouns = { user_count: 'user', group_count: 'group', key_count: 'key', connection_count: 'connection' } as const
  const amounts = Object.entries(nouns).flatMap(([member, noun]) => {
    const count = found[member as keyof typeof nouns & keyof ConfirmationOfOrganizationDeletion] ?? 0
    return count === 0 ? [] : [counted(count, noun)]
  })
  const list = amounts.length === 0 ? '' : ` with ${new Intl.ListFormat('en').format(amounts)}`
  return `Delete the organization ${name}${list}?`
}
