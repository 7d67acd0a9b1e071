/** `rollbook factors`: lists and removes what a user signs in with besides the password. */
import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { idOf } from '../server/find-named.ts'
import { addFindOptions, type FindOptions, getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import { addMissing, addPolicy } from './factor-policy.ts'
import { addTrusted, addUntrust } from './trusted-browsers.ts'

const members = ['factor_id', 'kind', 'name', 'created_at', 'last_used_at']

type Options = FindOptions & OutputOptions & RemoteOptions

export function addFactors(program: Command): void {
  const factors = program
    .command('factors')
    .summary('list and remove second factors of users')
    .description(
      'Lists and removes the second factors of a user. A user is identified by id, username or email address.',
    )
  examples(factors, [
    ['rollbook factors list ada', 'show what a user signs in with besides the password'],
    ['rollbook factors reset ada@example.com', 'remove everything but the password: lost phone'],
  ])
  addList(factors)
  addRemove(factors)
  addReset(factors)
  addTrusted(factors)
  addUntrust(factors)
  addPolicy(factors)
  addMissing(factors)
}

function addList(factors: Command): void {
  const list = factors
    .command('list')
    .summary('list the second factors of a user')
    .description('Lists the second factors of a user, and says how many recovery codes are left.')
    .action(runList)
  examples(list, [
    ['rollbook factors list ada', 'show names and times'],
    ['rollbook factors list ada@example.com --json', 'output for a program'],
  ])
  addFindOptions(list)
  addOutputOptions(list, { all: members, shown: ['factor_id', 'kind', 'name', 'created_at', 'last_used_at'] })
  addRemoteOptions(list)
}

async function runList(text: string, options: Options): Promise<void> {
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, text, options, signal)
    const found = await client.factors.listOf(user_id, { signal })
    await printRows(found.factors, options, 'second factors')
    const duty = found.required ? 'A second factor is required.' : 'A second factor is optional.'
    tell(`${username} has ${counted(found.recovery_codes, 'recovery code')}. ${duty}`)
  })
}

function addRemove(factors: Command): void {
  const remove = factors
    .command('remove')
    .summary('remove one second factor of a user')
    .description("Removes one second factor of a user and ends the user's sessions. Asks first, unless --yes is given.")
    .action(runRemove)
  examples(remove, [
    ['rollbook factors remove ada "My phone"', 'remove the factor with this name'],
    ['rollbook factors remove ada 019a9f3e-0000-7000-8000-000000000000 --dry-run', 'check whether it exists'],
  ])
  addFindOptions(remove)
  remove.argument('<factor>', 'its id or name')
  addWriteOptions(remove)
  addOutputOptions(remove, ['removed'])
  addRemoteOptions(remove)
}

async function runRemove(text: string, factor: string, options: Options & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, text, options, signal)
    const namedFactors = async () => {
      const { factors } = await client.factors.listOf(user_id, { signal })
      return factors.map(({ factor_id, name }) => ({ id: factor_id, names: [name] }))
    }
    const factor_id = await idOf(factor, namedFactors, 'factor', `factors list ${username}`)
    await confirm(`Remove this factor of ${username} and end the sessions?`, options)
    await printOne(await client.factors.removeOf(user_id, factor_id, { signal, dryRun }), options)
    tell(dryRun ? 'Nothing was changed. The factor can be removed.' : `Removed a factor of ${username}.`)
  })
}

function addReset(factors: Command): void {
  const reset = factors
    .command('reset')
    .summary('remove all second factors of a user')
    .description(
      "Removes all second factors and recovery codes of a user who has lost them, and ends the user's sessions. The password stays. Make sure that it is the user who asks. Asks first, unless --yes is given.",
    )
    .action(runReset)
  examples(reset, [
    ['rollbook factors reset ada', 'with confirmation'],
    ['rollbook factors reset ada@example.com --yes', 'without confirmation'],
  ])
  addFindOptions(reset)
  addWriteOptions(reset)
  addOutputOptions(reset, ['removed'])
  addRemoteOptions(reset)
}

async function runReset(text: string, options: Options & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { user_id, username } = await getUser(client, text, options, signal)
    await confirm(`Remove all second factors of ${username}? Only the password is left.`, options)
    const { removed } = await client.factors.resetOf(user_id, { signal, dryRun })
    await printOne({ removed }, options)
    if (dryRun) return tell(`Nothing was changed. ${username} has ${counted(removed, 'factor')}.`)
    tell(`Removed ${counted(removed, 'factor')} of ${username}.`)
  })
}
