/** `rollbook events tail`: every change as it happens, through the API. */
import type { Command } from 'commander'
import type { CloudEvent, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printRows } from '../terminal/output.ts'

type Query = NonNullable<Parameters<RollbookClient['events']['page']>[0]>
type TailOptions = { type?: NonNullable<Query['type']>; after?: string }

export function addEvents(program: Command): void {
  const events = program
    .command('events')
    .summary('follow what happens to users, sessions and keys')
    .description('The change feed, through the API.')
  const tail = events
    .command('tail')
    .summary('follow what happens')
    .description(
      'Shows what happens from now on, as it happens, until it is interrupted. With --after it begins there: 0 is the beginning of the feed.',
    )
    .option('--type <types>', 'only these, such as user.created,session.*', words)
    .option('--after <cursor>', 'begin behind this one')
    .action(runTail)
  for (const command of [events, tail]) {
    examples(command, [
      ['rollbook events tail', 'from now on'],
      ['rollbook events tail --type "user.*" --after 0 --output ndjson', 'all that ever happened to users'],
    ])
  }
  addOutputOptions(tail, {
    all: ['id', 'source', 'type', 'subject', 'time', 'sequence', 'dataschema', 'data'],
    shown: ['sequence', 'time', 'type', 'subject'],
  })
  addRemoteOptions(tail)
}

async function runTail(options: TailOptions & OutputOptions & RemoteOptions): Promise<void> {
  const { type, after } = options
  await withServer(options, async (client, signal) => {
    const from = after === undefined ? await endOf(client, signal) : { after }
    const query = { ...from, ...(type !== undefined && { type }) }
    await printRows(eventsOf(client, query, signal), options)
  })
}

async function* eventsOf(client: RollbookClient, query: Query, signal: AbortSignal): AsyncGenerator<CloudEvent> {
  for await (const page of client.events.follow(query, { signal })) yield* page.events
}

/** Where the feed ends now. Of something rare nearly nothing is sent while it is looked for. */
async function endOf(client: RollbookClient, signal: AbortSignal): Promise<Pick<Query, 'after' | 'feed_id'>> {
  let place: Pick<Query, 'after' | 'feed_id'> = {}
  for (;;) {
    const page = await client.events.page({ limit: 1000, type: ['role.deleted'], ...place }, { signal })
    place = { after: page.cursor, feed_id: page.feed_id }
    if (!page.has_more) return place
  }
}

/** What they may be, the service says. */
function words(text: string): NonNullable<Query['type']> {
  return text.split(',').map((word) => word.trim()) as NonNullable<Query['type']>
}
