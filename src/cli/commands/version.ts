/** `rollbook version`: the release of the command line and of the server, and whether they differ. */
import type { Command } from 'commander'
import { version } from '../../core/version.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, isForPeople, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'

export function addVersion(program: Command): void {
  const command = program
    .command('version')
    .summary('show the version of this command and of the server')
    .description(
      'Shows the version of this command and of the server that commands use, and whether they differ. Without a server or a key it shows its own version and says why.',
    )
    .action(runVersion)
  examples(command, [
    ['rollbook version', 'both versions'],
    ["rollbook version --template '{{server}}'", 'the version of the server, for a script'],
  ])
  addOutputOptions(command, ['client', 'server', 'differ', 'url'])
  addRemoteOptions(command)
}

async function runVersion(options: OutputOptions & RemoteOptions): Promise<void> {
  const { server, url, why } = await serverVersion(options)
  const found = { client: version, server, differ: server === null ? null : server !== version, url }
  if (isForPeople(options)) {
    await put(`rollbook ${version}${server === null ? '' : `, server ${server} at ${url}`}\n`)
    if (found.differ) tell('The versions differ. Use the command line of the same release as the server.')
  } else await printOne(found, options)
  if (why !== undefined) tell(`The version of the server is unknown: ${why}`)
}

/** From the API's own document, which needs no permission. */
async function serverVersion(
  options: RemoteOptions,
): Promise<{ server: string | null; url: string | null; why?: string }> {
  let url: string | null = null
  try {
    const { findServer } = await import('../server/find-server.ts')
    url = (await findServer(options, process.env)).url
    const { body } = await withServer(options, (client, signal) => client.request('GET', '/openapi.json', { signal }), {
      retries: 0,
    })
    return { server: (body as { info?: { version?: string } }).info?.version ?? null, url }
  } catch (error) {
    const { explanationOf } = await import('../terminal/explain-error.ts')
    return { server: null, url, why: explanationOf(error).split('\n')[0] ?? '' }
  }
}
