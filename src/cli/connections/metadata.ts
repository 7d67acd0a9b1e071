import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getConnection } from '../server/find-connection.ts'
import { examples } from '../terminal/examples.ts'
import { put } from '../terminal/standard-output.ts'

export function addMetadata(connections: Command): void {
  const metadata = connections
    .command('metadata')
    .summary('print the SAML metadata for the provider')
    .description('SAML: prints the metadata of this service for a connection, in XML, to upload to the provider.')
    .argument('<connection>', 'its id or name')
    .action((name: string, options: RemoteOptions) =>
      withServer(options, async (client, signal) => {
        const { connection_id } = await getConnection(client, name, signal)
        await put(await client.connections.samlMetadata(connection_id, { signal }))
      }),
    )
  examples(metadata, [
    ['rollbook connections metadata Okta', 'print it'],
    ['rollbook connections metadata Okta > rollbook.xml', 'save it in a file'],
  ])
  addRemoteOptions(metadata)
}
