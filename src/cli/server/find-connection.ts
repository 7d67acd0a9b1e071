/** Finds a connection, for sign-in or provisioning, by its id or name. */
import type { CallOptions, ProvisioningConnection, RollbookClient, SignInConnection } from '../../sdk/client/index.ts'
import { notFound } from '../terminal/failure.ts'
import { isUserId as isUuid } from './find-user.ts'

export function getConnection(client: RollbookClient, text: string, signal: AbortSignal): Promise<SignInConnection> {
  return find(client.connections, text, { signal }, ['connection', 'connections list'])
}

export function getProvisioningConnection(
  client: RollbookClient,
  text: string,
  signal: AbortSignal,
): Promise<ProvisioningConnection> {
  return find(client.provisioning, text, { signal }, ['provisioning connection', 'provisioning list'])
}

type Connections<Connection> = {
  get(id: string, options: CallOptions): Promise<Connection>
  list(options: CallOptions): Promise<Connection[]>
}

/** Names are unique, ignoring case. */
async function find<Connection extends { name: string }>(
  connections: Connections<Connection>,
  text: string,
  options: CallOptions,
  [what, list]: [what: string, list: string],
): Promise<Connection> {
  if (isUuid(text)) return connections.get(text.toLowerCase(), options)
  const all = await connections.list(options)
  const found =
    all.find(({ name }) => name === text) ?? all.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (found === undefined) throw notFound(what, text, list)
  return found
}
