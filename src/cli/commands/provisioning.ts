/** `rollbook provisioning`: connections of identity providers, which administer users through SCIM. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  connectionSchema,
  type EndDateAttribute,
  endDateAttributeNames,
  profileNames,
  rejectedRequestSchema,
} from '../../directory/provisioning/schema.ts'
import { counted } from '../../lib/amounts.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getProvisioningConnection } from '../server/find-connection.ts'
import { readTime } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addSecretOption, makeSecret, type SecretOptions } from '../terminal/secret-output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'

type Common = OutputOptions & RemoteOptions
type Profile = (typeof profileNames)[number]
type CreateOptions = { client?: Profile; endDateAttribute?: EndDateAttribute; expiresAt?: string } & SecretOptions &
  WriteOptions &
  Common

const members = connectionSchema.required
const columns = { all: members, shown: ['connection_id', 'name', 'profile', 'user_count', 'last_used_at'] }

export function addProvisioning(program: Command): void {
  const provisioning = program
    .command('provisioning')
    .summary('connect identity providers')
    .description(
      'Manages provisioning connections: identity providers such as Okta and Entra ID, which administer users and groups through SCIM. A connection is identified by its id or its name.',
    )
  examples(provisioning, [
    ['rollbook provisioning create Okta --client okta', 'connect an identity provider, and show its address and key'],
    ['rollbook provisioning rejected Okta', 'show why requests of it were rejected, and what to change'],
  ])
  addList(provisioning)
  addGet(provisioning)
  addCreate(provisioning)
  addUpdate(provisioning)
  addDelete(provisioning)
  addRejected(provisioning)
}

function addList(provisioning: Command): void {
  const list = provisioning
    .command('list')
    .summary('list the connections')
    .description('Lists all connections, with the number of users that each one manages and its last use.')
    .action((options: Common) =>
      withServer(options, async (client, signal) =>
        printRows(await client.provisioning.list({ signal }), options, 'connections'),
      ),
    )
  examples(list, [
    ['rollbook provisioning list', 'show all connections'],
    ['rollbook provisioning list --json name,last_used_at', 'output for a program'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

function addGet(provisioning: Command): void {
  const get = provisioning
    .command('get')
    .summary('show a connection')
    .description('Shows a connection, with the address that the identity provider sends its requests to.')
    .argument('<connection>', 'its id or name')
    .action((text: string, options: Common) =>
      withServer(options, async (client, signal) =>
        printOne(await getProvisioningConnection(client, text, signal), options),
      ),
    )
  examples(get, [
    ['rollbook provisioning get Okta', 'show one connection'],
    ["rollbook provisioning get Okta --template '{{scim_url}}'", 'only its address'],
  ])
  addOutputOptions(get, members)
  addRemoteOptions(get)
}

function addCreate(provisioning: Command): void {
  const create = provisioning
    .command('create')
    .summary('connect an identity provider')
    .description(
      'Creates a connection with an API key, which is shown once. Give the identity provider the scim_url and, as its bearer token, the key. With --secret-file the key is written to a file instead, which only its owner can read.',
    )
    .argument('<name>', 'what you call the identity provider')
    .addOption(
      new Option('--client <profile>', 'the client to be compatible with (default: strict)').choices(profileNames),
    )
    .addOption(endDateOption())
    .option('--expires-at <time>', 'when the key expires, such as 2027-01-01T00:00:00Z (default: never)', readTime)
    .action(runCreate)
  examples(create, [
    ['rollbook provisioning create Okta --client okta', 'show address and key'],
    ['rollbook provisioning create Entra --client entra --secret-file entra.key', 'write the key to a file'],
  ])
  addSecretOption(create, 'the key')
  addWriteOptions(create)
  addOutputOptions(create, [...members, 'key_id', 'key'])
  addRemoteOptions(create)
}

async function runCreate(name: string, options: CreateOptions): Promise<void> {
  const { client: profile, endDateAttribute: end_date_attribute, expiresAt: expires_at, dryRun = false } = options
  const input = {
    name,
    ...(profile && { profile }),
    ...(end_date_attribute && { end_date_attribute }),
    ...(expires_at !== undefined && { expires_at }),
  }
  await withServer(options, async (client, signal) => {
    const { created: made, file } = await makeSecret(options, 'key', () =>
      client.provisioning.create(input, { signal, dryRun }),
    )
    await printOne(made, options)
    if (dryRun) return tell('Nothing was created. The connection would be as shown, with a key of its own.')
    tell(file === undefined ? 'The key is shown only once. Keep it safe.' : `The key is in ${file}.`)
  })
}

function endDateOption(): Option {
  const description = 'the SCIM attribute in which it sends the end date of a user'
  return new Option('--end-date-attribute <name>', description).choices(endDateAttributeNames)
}

function addUpdate(provisioning: Command): void {
  const update = provisioning
    .command('update')
    .summary('rename a connection, or give it another profile')
    .description(
      'Renames a connection, or changes its profile or the attribute with end dates, from the next request on.',
    )
    .argument('<connection>', 'its id or name')
    .option('--name <name>', 'the new name')
    .addOption(new Option('--client <profile>', 'the client to be compatible with').choices(profileNames))
    .addOption(endDateOption())
    .option('--clear-end-date-attribute', 'read end dates from expiresAt alone')
    .action(runUpdate)
  examples(update, [
    ['rollbook provisioning update Okta --name "Okta (Europe)"', 'rename a connection'],
    ['rollbook provisioning update Directory --client entra', 'be compatible with Entra ID'],
  ])
  addOverrideOption(update, 'a connection')
  addWriteOptions(update)
  addOutputOptions(update, members)
  addRemoteOptions(update)
}

async function runUpdate(
  text: string,
  options: {
    name?: string
    client?: Profile
    endDateAttribute?: EndDateAttribute
    clearEndDateAttribute?: boolean
  } & WriteOptions &
    OverrideOption &
    Common,
): Promise<void> {
  const { name, client: profile, endDateAttribute, clearEndDateAttribute, dryRun = false, override } = options
  const end_date_attribute = clearEndDateAttribute ? null : endDateAttribute
  if (endDateAttribute !== undefined && clearEndDateAttribute) {
    throw new UsageError('--end-date-attribute and --clear-end-date-attribute exclude each other.')
  }
  if (name === undefined && profile === undefined && end_date_attribute === undefined) {
    throw new UsageError('There is nothing to change. Give --name, --client or --end-date-attribute.')
  }
  const patch = {
    ...(name !== undefined && { name }),
    ...(profile && { profile }),
    ...(end_date_attribute !== undefined && { end_date_attribute }),
  }
  await withServer(options, async (client, signal) => {
    const { connection_id } = await getProvisioningConnection(client, text, signal)
    const changed = await client.provisioning.update(connection_id, () => patch, { signal, dryRun, override })
    await printOne(changed, options)
    tell(dryRun ? 'Nothing was changed. The connection would be as shown.' : `Changed ${changed.name}.`)
  })
}

function addDelete(provisioning: Command): void {
  const remove = provisioning
    .command('delete')
    .summary('delete a connection with its keys')
    .description(
      'Deletes a connection. Its keys end at once; its users stay as they are, and you manage them again. Asks first, unless --yes is given.',
    )
    .argument('<connection>', 'its id or name')
    .action(runDelete)
  examples(remove, [
    ['rollbook provisioning delete Okta --dry-run', 'see how many users it manages'],
    ['rollbook provisioning delete Okta --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'a connection')
  addWriteOptions(remove)
  addOutputOptions(remove, ['connection_id', 'deleted', 'released'])
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: WriteOptions & OverrideOption & Common): Promise<void> {
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const { connection_id, name, user_count } = await getProvisioningConnection(client, text, signal)
    const users = counted(user_count, 'user')
    await confirm(`Delete the connection ${name}, which manages ${users}?`, options)
    await printOne(await client.provisioning.delete(connection_id, { signal, dryRun, override }), options)
    tell(dryRun ? `Nothing was changed. ${name} can be deleted; it manages ${users}.` : `Deleted ${name}.`)
  })
}

function addRejected(provisioning: Command): void {
  const rejected = provisioning
    .command('rejected')
    .summary('show rejected requests, and what to change')
    .description(
      'Lists the latest requests of an identity provider that were rejected: what was sent, why it was rejected, and what to change.',
    )
    .argument('<connection>', 'its id or name')
    .option('--limit <n>', 'at most this many, the latest first, up to 200 (default: 100)', readLimit)
    .action((text: string, { limit, ...options }: { limit?: number } & Common) =>
      withServer(options, async (client, signal) => {
        const { connection_id } = await getProvisioningConnection(client, text, signal)
        const query = limit === undefined ? {} : { limit }
        await printRows(
          await client.provisioning.rejectedRequests(connection_id, query, { signal }),
          options,
          'rejected requests',
        )
      }),
    )
  examples(rejected, [
    ['rollbook provisioning rejected Okta', 'show the latest ones'],
    ['rollbook provisioning rejected Okta --limit 1 --json', 'the whole last one, with what was sent'],
  ])
  addOutputOptions(rejected, {
    all: rejectedRequestSchema.required,
    shown: ['rejected_at', 'method', 'path', 'status', 'detail', 'advice'],
  })
  addRemoteOptions(rejected)
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > 200) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 200.')
  }
  return limit
}
