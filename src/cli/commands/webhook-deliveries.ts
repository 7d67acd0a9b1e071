/** What was sent to a webhook endpoint, and sending it again. */
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
    .summary('send something that means nothing')
    .description(
      'Sends a test to an endpoint, and shows the delivery. Whether it arrived, the same command with deliveries says a moment later.',
    )
    .argument('<endpoint>', 'its id or URL')
    .action(runTest)
  examples(test, [
    ['rollbook webhooks test https://crm.example.com/hooks', 'sends it'],
    ['rollbook webhooks deliveries https://crm.example.com/hooks --limit 1', 'whether it arrived'],
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
    tell(dryRun ? 'Nothing was sent: it would be as shown.' : `On its way to ${url}.`)
  })
}

export function addDeliveries(webhooks: Command): void {
  const deliveries = webhooks
    .command('deliveries')
    .summary('list what was sent, and what became of it')
    .description('Lists what was sent to an endpoint, the newest first; with a delivery, each attempt of that one.')
    .argument('<endpoint>', 'its id or URL')
    .argument('[delivery]', 'the id of one')
    .addOption(new Option('--status <state>', 'only those in this state').choices(states))
    .option('--limit <n>', 'at most so many', readLimit)
    .action(runDeliveries)
  examples(deliveries, [
    ['rollbook webhooks deliveries https://crm.example.com/hooks --status dead', 'what never arrived'],
    ['rollbook webhooks deliveries https://crm.example.com/hooks --limit 10', 'the latest'],
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
    await printRows(limit === undefined ? rows : firstOf(rows, limit), options)
  })
}

export function addRedeliver(webhooks: Command): void {
  const redeliver = webhooks
    .command('redeliver')
    .summary('send something again')
    .description('Sends a delivery again that has arrived, or was given up.')
    .argument('<endpoint>', 'its id or URL')
    .argument('<delivery>', 'the id of the delivery')
    .action(runRedeliver)
  examples(redeliver, [
    ['rollbook webhooks redeliver https://crm.example.com/hooks 019a9f3e-0000-7000-8000-000000000000', 'that one'],
    [
      'rollbook webhooks redeliver https://crm.example.com/hooks 019a9f3e-0000-7000-8000-000000000000 --dry-run',
      'whether it would be',
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
    tell(dryRun ? 'Nothing was sent: it would be as shown.' : `On its way to ${url}.`)
  })
}
