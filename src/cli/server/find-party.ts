/** Finds what an audit record is by or about, by what an operator calls it. */
import type { RollbookClient } from '../../sdk/client/index.ts'
import { UsageError } from '../terminal/failure.ts'
import { findDeleted, findUser, folded, isUserId } from './find-user.ts'

const kinds = ['user', 'group', 'key', 'connection', 'webhook'] as const
type Kind = (typeof kinds)[number]
type Party = { id: string; names: readonly string[] }

/**
 * Returns an id, or undefined if nothing has the name. Records outlive what they are about, so an id is not looked up.
 *
 * @param among the kinds that the name may belong to; those that the credential may not read are left out
 * @throws UsageError if several have the name
 */
export async function findParty(
  client: RollbookClient,
  text: string,
  signal: AbortSignal,
  among: readonly Kind[] = kinds,
): Promise<string | undefined> {
  if (isUserId(text)) return text.toLowerCase()
  const found = new Map<string, string>()
  for (const kind of among) {
    const parties = await search[kind](client, text, signal).catch(noneIfDenied)
    for (const { id, names } of parties) if (names.some((name) => folded(name) === folded(text))) found.set(id, kind)
  }
  if (found.size > 1) {
    const each = [...found].map(([one, kind]) => `${kind} ${one}`).join(', ')
    throw new UsageError(`Several have the name ${text}. Give the id of one of them: ${each}.`)
  }
  return [...found.keys()][0]
}

const search: Record<Kind, (client: RollbookClient, text: string, signal: AbortSignal) => Promise<Party[]>> = {
  async user(client, text, signal) {
    const user = await findUser(client, text, undefined, { signal })
    const users = user === undefined ? await findDeleted(client, text, signal) : [user]
    return users.map(({ user_id }) => ({ id: user_id, names: [text] }))
  },
  async group(client, text, signal) {
    const { groups } = await client.groups.page({ name: text, limit: 1 }, { signal })
    return groups.map(({ group_id, name }) => ({ id: group_id, names: [name] }))
  },
  async key(client, _text, signal) {
    const keys = await client.keys.list({ signal })
    return keys.map(({ key_id, name, prefix }) => ({ id: key_id, names: [name, ...(prefix === '' ? [] : [prefix])] }))
  },
  async connection(client, _text, signal) {
    const lists = await Promise.all([
      client.connections.list({ signal }).catch(noneIfDenied),
      client.provisioning.list({ signal }).catch(noneIfDenied),
    ])
    return lists.flat().map(({ connection_id, name }) => ({ id: connection_id, names: [name] }))
  },
  async webhook(client, _text, signal) {
    const endpoints = await client.webhooks.list({ signal })
    return endpoints.map(({ endpoint_id, url }) => ({ id: endpoint_id, names: [url] }))
  },
}

function noneIfDenied(error: { code?: string }): [] {
  if (error.code !== 'permission_denied') throw error
  return []
}
