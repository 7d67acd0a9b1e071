/** Connects a command to a server. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ClientOptions, RollbookClient } from '../../sdk/client/index.ts'
import { interruptible } from '../terminal/interruption.ts'
import { writeLine } from '../terminal/standard-output.ts'
import { findServer, isInClear, type RemoteOptions } from './find-server.ts'

export type { RemoteOptions } from './find-server.ts'

export function addRemoteOptions(command: Command): Command {
  const options = [
    new Option('--url <address>', 'URL of the API with its prefix: https://example.com/auth'),
    new Option('--key-file <file>', 'a file with the API key'),
    new Option('--profile <name>', 'server and key stored by rollbook profile add'),
    new Option('--timeout <seconds>', 'how long to wait for a response (default: 30)').argParser(readSeconds),
  ]
  for (const option of options) command.addOption(option.helpGroup('Server:'))
  return command
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('It must be a number of seconds, at most 86400.')
}

/**
 * Returns a client of the server that the options and the environment select; see `rollbook help authentication`. By
 * default it gives up after about a second of retries, because a person is waiting.
 */
export async function connect(
  options: RemoteOptions,
  { retries = 3, fetch, isSilent = false }: Pick<ClientOptions, 'retries' | 'fetch'> & { isSilent?: boolean } = {},
): Promise<RollbookClient> {
  const [{ RollbookClient }, { version }, server] = await Promise.all([
    import('../../sdk/client/index.ts'),
    import('../../core/version.ts'),
    findServer(options, process.env),
  ])
  if (!isSilent && isInClear(server.url)) {
    writeLine(`The key is sent to ${new URL(server.url).host} without https: anyone on the network path can read it.`)
  }
  return new RollbookClient({
    url: server.url,
    apiKey: server.key,
    retries,
    fetch,
    timeoutMs: (options.timeout ?? 30) * 1000,
    userAgent: `rollbook-cli/${version}`,
  })
}

/** Runs `work` until it is done or the operator interrupts it. `work` must pass the signal to each call. */
export async function withServer<T>(
  options: RemoteOptions,
  work: (client: RollbookClient, signal: AbortSignal) => Promise<T>,
  own: Pick<ClientOptions, 'retries' | 'fetch'> = {},
): Promise<T> {
  const client = await connect(options, own)
  return interruptible(async (signal) => {
    try {
      return await work(client, signal)
    } catch (error) {
      // After an interruption, report only that.
      signal.throwIfAborted()
      throw error
    }
  })
}
