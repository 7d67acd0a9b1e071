/** `rollbook api`: sends any request to the API. */
import { text } from 'node:stream/consumers'
import { Argument, type Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { fileWriter, put } from '../terminal/standard-output.ts'
import { visibleJson, visibleText } from '../terminal/visible-text.ts'

type Options = { data?: string; query: [name: string, value: string][]; accept: string } & RemoteOptions

export function addApi(program: Command): void {
  const api = program
    .command('api')
    .summary('send any request to the API')
    .description(
      'Sends a request to the API and prints the response. JSON is indented; anything else is printed as it arrives. A change takes effect without confirmation. Write passwords into a file and send it with --data -, because every user of the machine can read arguments.',
    )
    .addArgument(new Argument('<method>', 'the method').choices(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']))
    .argument('<path>', 'the path below the prefix, such as /users', readPath)
    .option('--query <name=value>', 'a query parameter; may be repeated', addQuery, [])
    .option('--data <json>', 'the body as JSON; - reads it from standard input')
    .option('--accept <type>', 'the media type of the response', 'application/json')
    .action(runApi)
  examples(api, [
    ['rollbook api GET /users --query role=admin --query limit=5', 'five administrators'],
    [`rollbook api POST /users --data '{"username": "ada"}' --query dry_run=true`, 'try to create a user'],
    ['rollbook api GET /metrics --accept text/plain', 'a response that is not JSON'],
  ])
  addRemoteOptions(api)
}

function readPath(path: string): string {
  if (path.startsWith('/')) return path
  throw new UsageError('The path must begin with /, as in /users.')
}

function addQuery(pair: string, before: Options['query']): Options['query'] {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError('A query parameter must have the form name=value.')
  return [...before, [pair.slice(0, at), pair.slice(at + 1)]]
}

async function runApi(method: string, path: string, { data, query, accept, ...options }: Options): Promise<void> {
  if (method === 'GET' && data !== undefined) throw new UsageError('A GET request has no body: omit --data.')
  const body = data === undefined ? undefined : checkJson(data === '-' ? await text(process.stdin) : data)
  const headers = { accept, ...(body !== undefined && { 'content-type': 'application/json' }) }
  await withServer(options, async (client, signal) => {
    const response = await client.open(method, path, { query: valuesByName(query), body, headers, signal })
    if (/^application\/(?:[\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '')) {
      return put(indented(await text(response.body)))
    }
    const write = fileWriter(visibleText)
    for await (const bytes of response.body) await write(bytes)
  })
}

/** Finds errors before the request: the server cannot know that the shell removed the quotes. */
function checkJson(body: string): string {
  try {
    JSON.parse(body)
    return body
  } catch (cause) {
    throw new UsageError('The body is not JSON. In a shell, put --data in single quotes.', { cause })
  }
}

function valuesByName(pairs: Options['query']): Record<string, string[]> {
  return Object.fromEntries(
    pairs.map(([name]) => [name, pairs.filter(([other]) => other === name).map(([, value]) => value)]),
  )
}

function indented(json: string): string {
  return json === '' ? '' : `${visibleJson(JSON.stringify(JSON.parse(json), undefined, 2))}\n`
}
