/** Commands that speak to a server: what they take to find it, and how they do it. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ClientOptions, RollbookClient } from '../../sdk/client/index.ts'
import { interruptible } from '../terminal/interruption.ts'
import { tell } from '../terminal/standard-output.ts'
import { findServer, isInClear, type RemoteOptions } from './find-server.ts'

export type { RemoteOptions } from './find-server.ts'

export function addRemoteOptions(command: Command): Command {
  const options = [
    new Option('--url <address>', 'the API, with its prefix: https://example.com/auth'),
    new Option('--key-file <file>', 'a file with the API key'),
    new Option('--profile <name>', 'a server and key kept by rollbook profile add'),
    new Option('--timeout <seconds>', 'how long to wait for an answer (default: 30)').argParser(readSeconds),
  ]
  for (const option of options) command.addOption(option.helpGroup('Server:'))
  return command
}

export function readSeconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('It must be a number of seconds.')
}

/**
 * A client of the server that the options and the environment speak of; see `rollbook help authentication`. Somebody is
 * waiting: it gives up within a second or so, unless more retries are asked for.
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
    tell(`The key goes to ${new URL(server.url).host} without https: whoever is on the way can read it.`)
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

/** Works with the server until it is done, or the operator asks to stop: pass the signal on with each call. */
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
      // What is stopped says only that it was.
      signal.throwIfAborted()
      throw error
    }
  })
}
