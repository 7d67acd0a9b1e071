/** Which user is meant by what was typed. */
import { type Command, Option } from 'commander'
import type { RollbookClient, User } from '../client/index.ts'
import { exitCodes } from './exit-codes.ts'
import { Failed, UsageError } from './failure.ts'

const ways = ['id', 'username', 'email', 'external-id'] as const

export type FindOptions = { by?: (typeof ways)[number] }

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export function isUserId(text: string): boolean {
  return uuid.test(text)
}

export function addFindOptions(command: Command): Command {
  return command
    .argument('<user>', 'id, username or e-mail address')
    .addOption(new Option('--by <what>', 'what <user> is, when it could be several').choices(ways))
}

/**
 * The user of this id, username or e-mail address. Somebody's username may be another's e-mail address, and the wrong one of
 * them must not be deleted: then nobody is taken.
 */
export async function getUser(
  client: RollbookClient,
  text: string,
  { by }: FindOptions,
  signal: AbortSignal,
): Promise<User> {
  const found = await findUsers(client, text, by, signal)
  const [user] = found
  if (user === undefined) throw new Failed(`There is no user ${text}.`, exitCodes.notFound)
  if (found.length > 1) {
    throw new UsageError(`${text} is the username of one user and the e-mail address of another: say which with --by.`)
  }
  return user
}

async function findUsers(
  client: RollbookClient,
  text: string,
  by: FindOptions['by'],
  signal: AbortSignal,
): Promise<User[]> {
  const options = { signal }
  switch (by) {
    case 'id':
      return [await client.users.get(text, options)]
    case 'username':
      return listed(await client.users.byUsername(text, options))
    case 'email':
      return listed(await client.users.byEmail(text, options))
    case 'external-id':
      return listed(await client.users.byExternalId(text, options))
    default: {
      const ofId = isUserId(text) ? await findById(client, text, signal) : undefined
      if (ofId) return [ofId]
      const [ofName, ofEmail] = await Promise.all([
        client.users.byUsername(text, options),
        text.includes('@') ? client.users.byEmail(text, options) : undefined,
      ])
      return ofName?.user_id === ofEmail?.user_id ? listed(ofName) : [...listed(ofName), ...listed(ofEmail)]
    }
  }
}

async function findById(client: RollbookClient, id: string, signal: AbortSignal): Promise<User | undefined> {
  const [found] = (await client.users.page({ user_id: [id], limit: 1 }, { signal })).users
  return found
}

function listed(user: User | undefined): User[] {
  return user === undefined ? [] : [user]
}
