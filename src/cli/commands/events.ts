/** `rollbook events tail`: follows the change feed. */
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
    .summary('follow changes of users, sessions, keys and roles')
    .description('Follows the change feed.')
  const tail = events
    .command('tail')
    .summary('follow the change feed')
    .description(
      'Shows new events as they happen, until you interrupt it. --after starts at an earlier place; 0 is the beginning of the feed.',
    )
    .option('--type <types>', 'only these types, such as user.created,session.*', words)
    .option('--after <cursor>', 'start after this cursor')
    .action(runTail)
  for (const command of [events, tail]) {
    examples(command, [
      ['rollbook events tail', 'follow new events'],
      [
        'rollbook events tail --type "user.*" --after 0 --output ndjson',
        'show every user event so far, and follow new ones',
      ],
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
    await printRows(eventsOf(client, query, signal), options, undefined)
  })
}

async function* eventsOf(client: RollbookClient, query: Query, signal: AbortSignal): AsyncGenerator<CloudEvent> {
  for await (const page of client.events.follow(query, { signal })) yield* page.events
}

/** Returns the end of the feed. Requests a rare type, so that little data is transferred. */
async function endOf(client: RollbookClient, signal: AbortSignal): Promise<Pick<Query, 'after' | 'feed_id'>> {
  let place: Pick<Query, 'after' | 'feed_id'> = {}
  for (;;) {
    const page = await client.events.page({ limit: 1000, type: ['role.deleted'], ...place }, { signal })
    place = { after: page.cursor, feed_id: page.feed_id }
    if (!page.has_more) return place
  }
}

/** The service checks the types. */
function words(text: string): NonNullable<Query['type']> {
  return text.split(',').map((word) => word.trim()) as NonNullable<Query['type']>
}
