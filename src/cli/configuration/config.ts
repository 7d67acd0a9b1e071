/** `rollbook config`: the file of a running system, and the schema for editors. */
import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { put } from '../terminal/standard-output.ts'
import { writeLogoFiles } from './logo-files.ts'

export function addConfig(program: Command): void {
  const config = program
    .command('config')
    .summary('export the configuration as a file')
    .description('Prints the configuration of a running system as a file for rollbook plan and rollbook apply.')
  examples(config, [
    ['rollbook config export > rollbook.yaml', 'begin with what there is'],
    ['rollbook config schema > rollbook.schema.json', 'the JSON Schema, for an editor'],
  ])
  addExport(config)
  addSchema(config)
}

function addExport(config: Command): void {
  const command = config
    .command('export')
    .summary('print the file of a running system')
    .description(
      'Prints the file of the running system: the same text for the same state, without secrets. Needs the permission configuration:read.',
    )
    .option('--logos <directory>', 'write the logos to files in this directory, which the printed file then names')
    .action(({ logos, ...options }: RemoteOptions & { logos?: string }) =>
      withServer(options, async (client, signal) => {
        const text = await client.configuration.text({ signal })
        await put(logos === undefined ? text : await writeLogoFiles(text, logos))
      }),
    )
  examples(command, [
    ['rollbook config export > rollbook.yaml', 'begin with what there is'],
    ['rollbook config export | diff - rollbook.yaml', 'compare it with a file'],
    ['rollbook config export --logos . > rollbook.yaml', 'with the logos as files beside it'],
  ])
  addRemoteOptions(command)
}

function addSchema(config: Command): void {
  const command = config
    .command('schema')
    .summary('print the JSON Schema of a file')
    .description('Prints the JSON Schema of a configuration file, with which an editor completes and checks it.')
    .action((options: RemoteOptions) =>
      withServer(options, async (client, signal) => {
        await put(`${JSON.stringify(await client.configuration.schema({ signal }), null, 2)}\n`)
      }),
    )
  examples(command, [
    ['rollbook config schema > rollbook.schema.json', 'for an editor'],
    ['rollbook config schema --url https://example.com/auth', 'of another server'],
  ])
  addRemoteOptions(command)
}
