import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getConnection } from '../server/find-connection.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions } from '../terminal/output.ts'
import { printTrial } from './trial.ts'

export function addLookUp(connections: Command): void {
  const lookUp = connections
    .command('look-up')
    .summary('read a user of a directory, and show what their sign-in would do')
    .description(
      'LDAP: reads the entry of a username as the search account, without a password, and shows who would sign in, be linked or created. Without a username: whether the directory can be reached and searched. Changes nothing.',
    )
    .argument('<connection>', 'its id or name')
    .argument('[username]', 'the name that the user enters')
    .action((name: string, username: string | undefined, options: OutputOptions & RemoteOptions) =>
      withServer(options, async (client, signal) => {
        const { connection_id } = await getConnection(client, name, signal)
        await printTrial(await client.connections.lookUp(connection_id, username, { signal }), options)
      }),
    )
  examples(lookUp, [
    ['rollbook connections look-up Directory', 'whether the directory can be reached and searched'],
    ['rollbook connections look-up Directory ada', 'the entry of a user, attribute by attribute'],
  ])
  addOutputOptions(lookUp, ['outcome', 'reason', 'detail', 'user_id', 'user', 'mapped', 'claims'])
  addRemoteOptions(lookUp)
}
