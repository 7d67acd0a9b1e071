/** Finds a user by id, username, email address or external id. */
import { type Command, Option } from 'commander'
import type { RollbookClient, User } from '../../sdk/client/index.ts'
import { notFound } from '../terminal/failure.ts'

export const ways = ['id', 'username', 'email', 'external-id'] as const

export type FindOptions = { by?: (typeof ways)[number] }

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export function isUserId(text: string): boolean {
  return uuid.test(text)
}

/** Returns a name in the form in which the server compares names. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

export function addFindOptions(command: Command): Command {
  return command
    .argument('<user>', 'id, username or email address')
    .addOption(new Option('--by <what>', 'what <user> is; required for an external id').choices(ways))
}

/** Returns a user. A username cannot be another user's email address, so the result is unambiguous. */
export async function getUser(
  client: RollbookClient,
  text: string,
  { by }: FindOptions,
  signal: AbortSignal,
): Promise<User> {
  const user = await findUser(client, text, by, { signal })
  if (user === undefined) throw notFound('user', text, 'users list')
  return user
}

export async function findUser(
  client: RollbookClient,
  text: string,
  by: FindOptions['by'],
  options: { signal: AbortSignal },
): Promise<User | undefined> {
  switch (by) {
    case 'id':
      return findById(client, text, options)
    case 'username':
      return client.users.byUsername(text, options)
    case 'email':
      return client.users.byEmail(text, options)
    case 'external-id':
      return client.users.byExternalId(text, options)
    default:
      return (
        (isUserId(text) ? await findById(client, text, options) : undefined) ??
        (await client.users.byUsername(text, options)) ??
        (text.includes('@') ? await client.users.byEmail(text, options) : undefined)
      )
  }
}

/** Returns deleted users who had this username or email address and can be restored. */
export async function findDeleted(client: RollbookClient, text: string, signal: AbortSignal): Promise<User[]> {
  const found = new Map<string, User>()
  for (const query of [{ username: text }, { email: text }]) {
    const { users } = await client.deletedUsers.page(query, { signal })
    for (const user of users) found.set(user.user_id, user)
  }
  return [...found.values()]
}

async function findById(
  client: RollbookClient,
  id: string,
  options: { signal: AbortSignal },
): Promise<User | undefined> {
  return (await client.users.page({ user_id: [id], limit: 1 }, options)).users[0]
}
