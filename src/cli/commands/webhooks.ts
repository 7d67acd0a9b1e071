/** `rollbook webhooks`: where changes are sent to, through the API. */
import { type Command, Option } from 'commander'
import type { CreateWebhookEndpoint, UpdateWebhookEndpoint } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getEndpoint } from '../server/find-endpoint.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addSecretOption, makeSecret, type SecretOptions } from '../terminal/secret-output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import { addDeliveries, addRedeliver, addTest } from './webhook-deliveries.ts'

const members = [
  'endpoint_id',
  'url',
  'description',
  'event_types',
  'active',
  'state',
  'failure',
  'disabled_reason',
  'failing_since',
  'previous_secret_expires_at',
  'created_at',
  'updated_at',
]

type EventTypes = NonNullable<CreateWebhookEndpoint['event_types']>
type ReadOptions = OutputOptions & RemoteOptions
type ChangeOptions = ReadOptions & WriteOptions
type CreateOptions = ChangeOptions & SecretOptions & { description?: string; events?: EventTypes }
type UpdateOptions = ChangeOptions & {
  to?: string
  description?: string
  events?: EventTypes
  allEvents?: true
  activate?: true
  deactivate?: true
}

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('have other systems told of each change')
    .description('Webhook endpoints and what was sent to them, through the API. One is named by its id or its URL.')
  examples(webhooks, [
    ['rollbook webhooks create https://crm.example.com/hooks --events "user.*"', 'tells the CRM of users'],
    ['rollbook webhooks deliveries https://crm.example.com/hooks --status dead', 'what never arrived'],
  ])
  for (const add of [addList, addGet, addCreate, addUpdate, addDelete, addRotateSecret]) add(webhooks)
  for (const add of [addTest, addDeliveries, addRedeliver]) add(webhooks)
}

function addList(webhooks: Command): void {
  const list = webhooks
    .command('list')
    .summary('list all endpoints')
    .description('Lists all endpoints, without their secrets.')
    .action((options: ReadOptions) =>
      withServer(options, async (client, signal) => printRows(await client.webhooks.list({ signal }), options)),
    )
  examples(list, [
    ['rollbook webhooks list', 'all of them'],
    ['rollbook webhooks list --columns url,state,failure,disabled_reason', 'which of them do not work'],
  ])
  addOutputOptions(list, { all: members, shown: ['endpoint_id', 'url', 'event_types', 'state', 'failure'] })
  addRemoteOptions(list)
}

function addGet(webhooks: Command): void {
  const get = webhooks
    .command('get')
    .summary('show an endpoint')
    .description('Shows an endpoint, without its secret.')
    .argument('<endpoint>', 'its id or URL')
    .action((text: string, options: ReadOptions) =>
      withServer(options, async (client, signal) => printOne(await getEndpoint(client, text, signal), options)),
    )
  examples(get, [
    ['rollbook webhooks get https://crm.example.com/hooks', 'all of it'],
    ['rollbook webhooks get https://crm.example.com/hooks --json --columns failing_since', 'for a program'],
  ])
  addOutputOptions(get, members)
  addRemoteOptions(get)
}

function addCreate(webhooks: Command): void {
  const create = webhooks
    .command('create')
    .summary('have changes sent to a URL')
    .description(
      'Has changes sent to a URL. The secret that signs them is shown this once; with --secret-file it goes to a file instead, which only its owner can read.',
    )
    .argument('<endpoint-url>', 'where to send to, by https')
    .option('--description <text>', 'what it is for')
    .option('--events <types>', 'which, such as user.created,session.* (default: all)', words)
    .action(runCreate)
  examples(create, [
    ['rollbook webhooks create https://crm.example.com/hooks --secret-file crm.secret', 'every event'],
    ['rollbook webhooks create https://crm.example.com/hooks --events "user.*"', 'what happens to users'],
  ])
  addSecretOption(create, 'the secret')
  addWriteOptions(create)
  addOutputOptions(create, [...members, 'secret'])
  addRemoteOptions(create)
}

async function runCreate(url: string, options: CreateOptions): Promise<void> {
  const { description, events, dryRun = false } = options
  const input = {
    url,
    ...(description !== undefined && { description }),
    ...(events !== undefined && { event_types: events }),
  }
  await withServer(options, async (client, signal) => {
    const { made, file } = await makeSecret(options, 'secret', () => client.webhooks.create(input, { signal, dryRun }))
    await printOne(made, options)
    if (dryRun) return tell('Nothing was created: it would be as shown, with a secret of its own.')
    tell(file === undefined ? 'The secret is shown this once. Give it to the receiver.' : `The secret is in ${file}.`)
  })
}

function addUpdate(webhooks: Command): void {
  const update = webhooks
    .command('update')
    .summary('change an endpoint')
    .description('Changes what is given and leaves the rest, and shows the endpoint as it is then.')
    .argument('<endpoint>', 'its id or URL')
    .option('--to <url>', 'another URL')
    .option('--description <text>', 'what it is for')
    .addOption(new Option('--events <types>', 'which events').argParser(words).conflicts('allEvents'))
    .option('--all-events', 'every event, those of later releases too')
    .addOption(new Option('--activate', 'send again, also what happened meanwhile').conflicts('deactivate'))
    .option('--deactivate', 'send nothing for now')
    .action(runUpdate)
  examples(update, [
    ['rollbook webhooks update https://crm.example.com/hooks --deactivate', 'while the CRM is mended'],
    ['rollbook webhooks update https://crm.example.com/hooks --to https://new.example.com/h', 'moved'],
  ])
  addWriteOptions(update)
  addOutputOptions(update, members)
  addRemoteOptions(update)
}

async function runUpdate(text: string, options: UpdateOptions): Promise<void> {
  const patch = patchOf(options)
  if (Object.keys(patch).length === 0) throw new UsageError('There is nothing to change: say what, with an option.')
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id } = await getEndpoint(client, text, signal)
    const changed = await client.webhooks.update(endpoint_id, () => patch, { signal, dryRun })
    await printOne(changed, options)
    tell(dryRun ? 'Nothing was changed: it would be as shown.' : `Changed ${changed.url}.`)
  })
}

function patchOf({ to, description, events, allEvents, activate, deactivate }: UpdateOptions): UpdateWebhookEndpoint {
  return {
    ...(to !== undefined && { url: to }),
    ...(description !== undefined && { description }),
    ...(events !== undefined && { event_types: events }),
    ...(allEvents && { event_types: null }),
    ...((activate ?? deactivate) && { active: activate ?? false }),
  }
}

function addDelete(webhooks: Command): void {
  const remove = webhooks
    .command('delete')
    .summary('send nothing to a URL any more')
    .description('Deletes an endpoint, with what has not been sent. Asks before, unless --yes is given.')
    .argument('<endpoint>', 'its id or URL')
    .action(runDelete)
  examples(remove, [
    ['rollbook webhooks delete https://crm.example.com/hooks', 'asks before'],
    ['rollbook webhooks delete https://crm.example.com/hooks --yes', 'without being asked'],
  ])
  addWriteOptions(remove)
  addOutputOptions(remove, ['endpoint_id', 'deleted'])
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: ChangeOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id, url } = await getEndpoint(client, text, signal)
    await confirm(`Delete ${url}, with what has not been sent?`, options)
    await printOne(await client.webhooks.delete(endpoint_id, { signal, dryRun }), options)
    tell(dryRun ? `Nothing was changed: ${url} could be deleted.` : `Deleted ${url}.`)
  })
}

function addRotateSecret(webhooks: Command): void {
  const rotate = webhooks
    .command('rotate-secret')
    .summary('sign with another secret')
    .description(
      'Makes another secret to sign with, which is shown this once. The one before signs as well for a while, so that the receiver can be changed meanwhile.',
    )
    .argument('<endpoint>', 'its id or URL')
    .option('--revoke-previous', 'in an emergency: the one before signs nothing any more')
    .action(runRotateSecret)
  examples(rotate, [
    ['rollbook webhooks rotate-secret https://crm.example.com/hooks', 'both sign for a while'],
    ['rollbook webhooks rotate-secret https://crm.example.com/hooks --revoke-previous', 'it has leaked'],
  ])
  addSecretOption(rotate, 'the secret')
  addWriteOptions(rotate)
  addOutputOptions(rotate, [...members, 'secret'])
  addRemoteOptions(rotate)
}

type RotateOptions = ChangeOptions & SecretOptions & { revokePrevious?: true }

async function runRotateSecret(text: string, options: RotateOptions): Promise<void> {
  const { revokePrevious: revoke_previous = false, dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id } = await getEndpoint(client, text, signal)
    const { made, file } = await makeSecret(options, 'secret', () =>
      client.webhooks.rotateSecret(endpoint_id, { revoke_previous }, { signal, dryRun }),
    )
    await printOne(made, options)
    if (dryRun) return tell('Nothing was changed: the secret could be rotated.')
    tell(file === undefined ? 'The secret is shown this once. Give it to the receiver.' : `The secret is in ${file}.`)
  })
}

/** What they may be, the service says. */
function words(text: string): EventTypes {
  return text.split(',').map((word) => word.trim()) as EventTypes
}
