import { Argument, type Command, Option } from 'commander'
import { addRemoteOptions } from '../server/connect.ts'
import { ways } from '../server/find-user.ts'
import { addFilterOptions } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions } from '../terminal/output.ts'
import { addWriteOptions } from '../terminal/write-options.ts'
import { type Action, actions, type BulkOptions } from './bulk-options.ts'

export function addUsersBulk(users: Command): void {
  const command = users
    .command('bulk')
    .summary('change many users in one way')
    .description(
      'Changes many users in one way: those who are named, or all who match the conditions, of which all must hold. Says first what would become of them, and asks, unless --yes is given. Each user stands for themselves; one who is refused stops nothing, and is listed with the reason. Interrupted, the same command does the rest.',
    )
    .addArgument(new Argument('<action>', 'what to do with them').choices(actions))
    .argument('[user...]', 'ids, usernames or e-mail addresses; restore takes those of deleted users')
    .option('--to <role>', 'of set-role: the role that they get')
    .option('--from-file <file>', 'users from a file, one on each line; - is standard input')
    .addOption(new Option('--by <what>', 'what the users are named by; external-id only so').choices(ways))
    .option('--all', 'everybody, which no condition at all does not mean')
    .option('--except <user>', 'not this one of those who match; can be given several times', collect)
  addFilterOptions(command).addOption(
    new Option('--rows <which>', 'who is listed').choices(['all', 'refused']).default('refused'),
  )
  command.action(async (action: Action, named: string[], options: BulkOptions) => {
    const { runBulk } = await import('./bulk-run.ts')
    await runBulk(action, named, options)
  })
  examples(command, [
    ['rollbook users bulk deactivate --last-login-before 2026-01-01 --dry-run --rows all', 'who it would be'],
    ['rollbook users bulk set-role --to support --search @support.example.com', 'asks before'],
    ['rollbook users bulk delete --from-file left.txt --by external-id --yes', 'as the staff system has them'],
  ])
  addWriteOptions(command)
  addOutputOptions(command, ['user_id', 'username', 'verdict', 'code', 'detail'])
  addRemoteOptions(command)
}

function collect(user: string, before: string[] = []): string[] {
  return [...before, user]
}
