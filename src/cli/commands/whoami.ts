/** `rollbook whoami`: whose key this is, what it may do, and until when. */
import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { findServer } from '../server/find-server.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, isForPeople, type OutputOptions, printOne } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'

const members = ['key_id', 'name', 'prefix', 'permissions', 'expires_at', 'username', 'user_id', 'url', 'from']

export function addWhoami(program: Command): void {
  const whoami = program
    .command('whoami')
    .summary('show which key and server commands use')
    .description(
      'Shows the key that commands use: its id, its permissions, when it expires, whose it is if it belongs to a user, and which server it is for. Needs no permission; the name and prefix need keys:read, and a personal key cannot read its own.',
    )
    .action(runWhoami)
  examples(whoami, [
    ['rollbook whoami', 'who commands act as here'],
    ["rollbook whoami --profile work --template '{{permissions}}'", 'the permissions of the key of a profile'],
  ])
  addOutputOptions(whoami, members)
  addRemoteOptions(whoami)
}

async function runWhoami(options: OutputOptions & RemoteOptions): Promise<void> {
  const { url, from } = await findServer(options, process.env)
  const me = await withServer(options, async (client, signal) => {
    // Every key may be exchanged for a token, whose claims describe the key.
    const { access_token } = await client.tokens.issue({}, { signal })
    const { sub, client_id, username = null, permissions, key_exp } = claimsOf(access_token)
    const isPersonal = client_id !== sub
    const listed = isPersonal ? client.keys.listOf(sub, { signal }) : client.keys.list({ signal })
    const keys = await listed.catch((error) => {
      if ((error as { status?: number }).status !== 403) throw error
      return []
    })
    const key = keys.find(({ key_id }) => key_id === client_id)
    return {
      key_id: client_id,
      name: key?.name ?? null,
      prefix: key?.prefix ?? null,
      permissions,
      expires_at: key_exp === undefined ? null : new Date(key_exp * 1000).toISOString(),
      username: isPersonal ? username : null,
      user_id: isPersonal ? sub : null,
      url,
      from,
    }
  })
  if (!isForPeople(options)) return printOne(me, options)
  const key = me.name === null ? `the key ${me.key_id}` : `the API key ${me.name} (${me.key_id})`
  const name = me.username === null ? key : `${me.username}, with ${key},`
  const until = me.expires_at === null ? 'It does not expire.' : `It expires on ${me.expires_at}.`
  const may = me.permissions.includes('*') ? 'everything' : me.permissions.join(', ') || 'nothing'
  await put(`${visible(`You are ${name} at ${url}, from ${from}.`)}\n${visible(`It may do: ${may}. ${until}`)}\n`)
}

type Claims = { sub: string; client_id: string; username?: string; permissions: string[]; key_exp?: number }

/** Reads the claims. Nothing depends on them here, so the signature is not checked. */
function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims
}
