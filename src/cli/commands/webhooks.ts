/** `rollbook webhooks`: manages webhook endpoints. */
import { type Command, Option } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { CreateWebhookEndpoint, UpdateWebhookEndpoint, WebhookEndpoint } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getEndpoint } from '../server/find-endpoint.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, formatOf, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addSecretOption, makeSecret, type SecretOptions } from '../terminal/secret-output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  confirm,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'
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

type Failure = NonNullable<WebhookEndpoint['failure']>
type EventTypes = NonNullable<CreateWebhookEndpoint['event_types']>
type ReadOptions = OutputOptions & RemoteOptions
type ChangeOptions = ReadOptions & WriteOptions
type CreateOptions = ChangeOptions & SecretOptions & { description?: string; events?: EventTypes }
type UpdateOptions = ChangeOptions &
  OverrideOption & {
    to?: string
    description?: string
    events?: EventTypes
    allEvents?: true
    enable?: true
    disable?: true
    activate?: true
    deactivate?: true
  }

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('send changes to other systems')
    .description('Manages webhook endpoints and their deliveries. An endpoint is identified by its id or its URL.')
  examples(webhooks, [
    ['rollbook webhooks create https://crm.example.com/hooks --events "user.*"', 'send user events to a CRM'],
    ['rollbook webhooks deliveries https://crm.example.com/hooks --status dead', 'show what could not be delivered'],
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
      withServer(options, async (client, signal) => {
        const endpoints = await client.webhooks.list({ signal })
        await printRows(
          endpoints.map((endpoint) => rowOf(endpoint, options)),
          options,
          'webhook endpoints',
        )
      }),
    )
  examples(list, [
    ['rollbook webhooks list', 'show all endpoints'],
    ['rollbook webhooks list --columns url,state,failure,disabled_reason', 'find endpoints that fail'],
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
      withServer(options, async (client, signal) =>
        printOne(rowOf(await getEndpoint(client, text, signal), options), options),
      ),
    )
  examples(get, [
    ['rollbook webhooks get https://crm.example.com/hooks', 'show all members'],
    ['rollbook webhooks get https://crm.example.com/hooks --json --columns failing_since', 'output for a program'],
  ])
  addOutputOptions(get, members)
  addRemoteOptions(get)
}

function addCreate(webhooks: Command): void {
  const create = webhooks
    .command('create')
    .summary('create an endpoint')
    .description(
      'Creates an endpoint and shows once the secret that signs its deliveries. With --secret-file the secret is written to a file instead, which only its owner can read.',
    )
    .argument('<endpoint-url>', 'the https URL that receives the events')
    .option('--description <text>', 'what the endpoint is for')
    .option('--events <types>', 'event types, such as user.created,session.* (default: all)', words)
    .action(runCreate)
  examples(create, [
    ['rollbook webhooks create https://crm.example.com/hooks --secret-file crm.secret', 'send every event'],
    ['rollbook webhooks create https://crm.example.com/hooks --events "user.*"', 'send user events only'],
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
    const { created: made, file } = await makeSecret(options, 'secret', () =>
      client.webhooks.create(input, { signal, dryRun }),
    )
    await printOne(rowOf(made, options), options)
    if (dryRun) return tell('Nothing was created. The endpoint would be as shown, with its own secret.')
    tell(file === undefined ? 'The secret is shown only once. Give it to the receiver.' : `The secret is in ${file}.`)
  })
}

function addUpdate(webhooks: Command): void {
  const update = webhooks
    .command('update')
    .summary('change an endpoint')
    .description('Changes the given members of an endpoint and shows the result.')
    .argument('<endpoint>', 'its id or URL')
    .option('--to <url>', 'the new URL')
    .option('--description <text>', 'what the endpoint is for')
    .addOption(new Option('--events <types>', 'event types to send').argParser(words).conflicts('allEvents'))
    .option('--all-events', 'send every event, including types that later releases add')
    .addOption(new Option('--enable', 'resume, and send what happened meanwhile').conflicts(['disable', 'deactivate']))
    .option('--disable', 'stop sending')
    // The earlier names.
    .addOption(new Option('--activate').conflicts(['disable', 'deactivate']).hideHelp())
    .addOption(new Option('--deactivate').conflicts('enable').hideHelp())
    .action(runUpdate)
  examples(update, [
    ['rollbook webhooks update https://crm.example.com/hooks --disable', 'stop while the CRM is repaired'],
    ['rollbook webhooks update https://crm.example.com/hooks --to https://new.example.com/h', 'change the URL'],
  ])
  addOverrideOption(update, 'an endpoint')
  addWriteOptions(update)
  addOutputOptions(update, members)
  addRemoteOptions(update)
}

async function runUpdate(text: string, options: UpdateOptions): Promise<void> {
  const patch = patchOf(options)
  if (Object.keys(patch).length === 0)
    throw new UsageError('There is nothing to change. Give at least one option with a new value.')
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id } = await getEndpoint(client, text, signal)
    const changed = await client.webhooks.update(endpoint_id, () => patch, { signal, dryRun, override })
    await printOne(rowOf(changed, options), options)
    tell(dryRun ? 'Nothing was changed. The endpoint would be as shown.' : `Changed ${changed.url}.`)
  })
}

function patchOf({ to, description, events, allEvents, ...options }: UpdateOptions): UpdateWebhookEndpoint {
  const [isEnabled, isDisabled] = [options.enable ?? options.activate, options.disable ?? options.deactivate]
  return {
    ...(to !== undefined && { url: to }),
    ...(description !== undefined && { description }),
    ...(events !== undefined && { event_types: events }),
    ...(allEvents && { event_types: null }),
    ...((isEnabled ?? isDisabled) && { active: isEnabled ?? false }),
  }
}

function addDelete(webhooks: Command): void {
  const remove = webhooks
    .command('delete')
    .summary('delete an endpoint')
    .description('Deletes an endpoint and its pending deliveries. Asks first, unless --yes is given.')
    .argument('<endpoint>', 'its id or URL')
    .action(runDelete)
  examples(remove, [
    ['rollbook webhooks delete https://crm.example.com/hooks', 'with confirmation'],
    ['rollbook webhooks delete https://crm.example.com/hooks --yes', 'without confirmation'],
  ])
  addOverrideOption(remove, 'an endpoint')
  addWriteOptions(remove)
  addOutputOptions(remove, ['endpoint_id', 'deleted'])
  addRemoteOptions(remove)
}

async function runDelete(text: string, options: ChangeOptions & OverrideOption): Promise<void> {
  const { dryRun = false, override } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id, url } = await getEndpoint(client, text, signal)
    await confirm(`Delete ${url} and its pending deliveries?`, options)
    await printOne(await client.webhooks.delete(endpoint_id, { signal, dryRun, override }), options)
    tell(dryRun ? `Nothing was changed. ${url} can be deleted.` : `Deleted ${url}.`)
  })
}

function addRotateSecret(webhooks: Command): void {
  const rotate = webhooks
    .command('rotate-secret')
    .summary('replace the secret of an endpoint')
    .description(
      'Creates a new secret and shows it once. For a while deliveries are signed with both secrets, so that you can change the receiver meanwhile.',
    )
    .argument('<endpoint>', 'its id or URL')
    .option('--revoke-previous', 'stop signing with the old secret at once; for an emergency')
    .action(runRotateSecret)
  examples(rotate, [
    ['rollbook webhooks rotate-secret https://crm.example.com/hooks', 'sign with both secrets for a while'],
    ['rollbook webhooks rotate-secret https://crm.example.com/hooks --revoke-previous', 'the old secret has leaked'],
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
    const { created: made, file } = await makeSecret(options, 'secret', () =>
      client.webhooks.rotateSecret(endpoint_id, { revoke_previous }, { signal, dryRun }),
    )
    await printOne(rowOf(made, options), options)
    if (dryRun) return tell('Nothing was changed. The secret can be rotated.')
    tell(file === undefined ? 'The secret is shown only once. Give it to the receiver.' : `The secret is in ${file}.`)
  })
}

/** Returns an endpoint with `failure` as a sentence for a table, and unchanged for programs. */
function rowOf<E extends Partial<WebhookEndpoint>>(endpoint: E, options: OutputOptions): object {
  const { failure } = endpoint
  return formatOf(options) === 'table' && failure ? { ...endpoint, failure: sentenceOf(failure) } : endpoint
}

function sentenceOf({ failed_attempts, since, last_attempt_at, response_status, error }: Failure): string {
  const attempts = `${counted(failed_attempts, 'attempt')} failed${since === null ? '' : ` since ${since}`}.`
  const reason =
    response_status === null ? error?.replaceAll('_', ' ') : `the receiver responded with status ${response_status}`
  return `${attempts} Last attempt${last_attempt_at === null ? '' : ` at ${last_attempt_at}`}: ${reason ?? 'unknown'}.`
}

/** The service checks the types. */
function words(text: string): EventTypes {
  return text.split(',').map((word) => word.trim()) as EventTypes
}
