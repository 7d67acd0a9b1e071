import type { Command } from 'commander'
import { signInStateSchema } from '../../access/sign-in/throttling/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'

const members = signInStateSchema.required

export function addUsersSignIn(users: Command): void {
  const signIn = users
    .command('sign-in')
    .summary('say whether a user can sign in, and if not, why')
    .description(
      'Prints one sentence: whether the user can sign in now, and if not, why. With --json or --columns: everything that is known about it.',
    )
    .action(runSignIn)
  examples(signIn, [
    ['rollbook users sign-in ada', 'explain why a sign-in was refused'],
    ['rollbook users sign-in ada --json', 'output for a program'],
  ])
  addFindOptions(signIn)
  addOutputOptions(signIn, members)
  addRemoteOptions(signIn)
}

async function runSignIn(user: string, options: FindOptions & OutputOptions & RemoteOptions): Promise<void> {
  const state = await withServer(options, async (client, signal) => {
    const { user_id } = await getUser(client, user, options, signal)
    return client.users.signInState(user_id, { signal })
  })
  const isPlain = options.output === 'table' && !options.json && options.columns === undefined
  await (isPlain ? put(`${visible(state.sentence)}\n`) : printOne(state, options))
}
