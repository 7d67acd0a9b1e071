import type { RollbookClient, SignInConnection } from '../../sdk/client/index.ts'
import { isUserId as isUuid } from '../server/find-user.ts'
import { notFound } from '../terminal/failure.ts'

/** Finds a connection by its id or name. Names are unique, ignoring case. */
export async function getConnection(
  client: RollbookClient,
  text: string,
  signal: AbortSignal,
): Promise<SignInConnection> {
  if (isUuid(text)) return client.connections.get(text.toLowerCase(), { signal })
  const all = await client.connections.list({ signal })
  const found =
    all.find(({ name }) => name === text) ?? all.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (found === undefined) throw notFound('connection', text, 'connections list')
  return found
}
