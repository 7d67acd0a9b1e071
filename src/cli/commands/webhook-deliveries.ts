/** `rollbook webhooks test`, `deliveries` and `redeliver`. */
import { type Command, Option } from 'commander'
import type { WebhookDelivery } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getEndpoint } from '../server/find-endpoint.ts'
import { examples } from '../terminal/examples.ts'
import { firstOf, readLimit } from '../terminal/limit.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, type WriteOptions } from '../terminal/write-options.ts'

const members = [
  'delivery_id',
  'endpoint_id',
  'event_id',
  'type',
  'status',
  'attempt_count',
  'next_attempt_at',
  'created_at',
  'finished_at',
]
const states = ['queued', 'due', 'delivered', 'dead'] as const satisfies WebhookDelivery['status'][]

type ReadOptions = OutputOptions & RemoteOptions
type ChangeOptions = ReadOptions & WriteOptions
type ListOptions = ReadOptions & { status?: WebhookDelivery['status']; limit?: number }

export function addTest(webhooks: Command): void {
  const test = webhooks
    .command('test')
    .summary('send a test event')
    .description(
      'Sends a test event to an endpoint and shows the delivery. rollbook webhooks deliveries shows a moment later whether it arrived.',
    )
    .argument('<endpoint>', 'its id or URL')
    .action(runTest)
  examples(test, [
    ['rollbook webhooks test https://crm.example.com/hooks', 'send a test event'],
    ['rollbook webhooks deliveries https://crm.example.com/hooks --limit 1', 'check whether it arrived'],
  ])
  addWriteOptions(test)
  addOutputOptions(test, members)
  addRemoteOptions(test)
}

async function runTest(text: string, options: ChangeOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id, url } = await getEndpoint(client, text, signal)
    await printOne(await client.webhooks.test(endpoint_id, { signal, dryRun }), options)
    tell(dryRun ? 'Nothing was sent. The delivery would be as shown.' : `Sending to ${url}.`)
  })
}

export function addDeliveries(webhooks: Command): void {
  const deliveries = webhooks
    .command('deliveries')
    .summary('list the deliveries of an endpoint')
    .description(
      'Lists the deliveries of an endpoint, the newest first. With the id of a delivery, shows its attempts.',
    )
    .argument('<endpoint>', 'its id or URL')
    .argument('[delivery]', 'the id of a delivery')
    .addOption(new Option('--status <state>', 'only deliveries in this state').choices(states))
    .option('--limit <n>', 'at most this many', readLimit)
    .action(runDeliveries)
  examples(deliveries, [
    ['rollbook webhooks deliveries https://crm.example.com/hooks --status dead', 'show what could not be delivered'],
    ['rollbook webhooks deliveries https://crm.example.com/hooks --limit 10', 'show the latest'],
  ])
  addOutputOptions(deliveries, {
    all: [...members, 'attempts'],
    shown: ['delivery_id', 'type', 'status', 'attempt_count', 'created_at', 'next_attempt_at'],
  })
  addRemoteOptions(deliveries)
}

async function runDeliveries(text: string, delivery: string | undefined, options: ListOptions): Promise<void> {
  const { status, limit } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id } = await getEndpoint(client, text, signal)
    if (delivery !== undefined) {
      return printOne(await client.webhooks.delivery(endpoint_id, delivery, { signal }), options)
    }
    const query = status === undefined ? {} : { status }
    const rows = client.webhooks.deliveries(endpoint_id, query, { signal })
    await printRows(limit === undefined ? rows : firstOf(rows, limit), options, 'deliveries')
  })
}

export function addRedeliver(webhooks: Command): void {
  const redeliver = webhooks
    .command('redeliver')
    .summary('send a delivery again')
    .description('Sends a delivery again that was delivered or given up.')
    .argument('<endpoint>', 'its id or URL')
    .argument('<delivery>', 'the id of the delivery')
    .action(runRedeliver)
  examples(redeliver, [
    ['rollbook webhooks redeliver https://crm.example.com/hooks 019a9f3e-0000-7000-8000-000000000000', 'send it again'],
    [
      'rollbook webhooks redeliver https://crm.example.com/hooks 019a9f3e-0000-7000-8000-000000000000 --dry-run',
      'check whether it can be sent again',
    ],
  ])
  addWriteOptions(redeliver)
  addOutputOptions(redeliver, members)
  addRemoteOptions(redeliver)
}

async function runRedeliver(text: string, delivery: string, options: ChangeOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { endpoint_id, url } = await getEndpoint(client, text, signal)
    await printOne(await client.webhooks.redeliver(endpoint_id, delivery, { signal, dryRun }), options)
    tell(dryRun ? 'Nothing was sent. The delivery would be as shown.' : `Sending to ${url}.`)
  })
}
