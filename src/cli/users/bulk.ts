import { Argument, type Command, Option } from 'commander'
import { addRemoteOptions } from '../server/connect.ts'
import { ways } from '../server/find-user.ts'
import {
  addDeletedFilterOptions,
  addFilterOptions,
  addMembershipFilterOptions,
  readAttribute,
} from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions } from '../terminal/output.ts'
import { addWriteOptions } from '../terminal/write-options.ts'
import { type Action, actions, invitationColumns, type RowOptions, rowColumns, wireActions } from './bulk-options.ts'

export function addUsersBulk(users: Command): void {
  const command = users
    .command('bulk')
    .summary('make one change to many users')
    .description(
      'Makes one change to many users: to those you name, or to all who match every condition. Shows first what would happen and asks, unless --yes is given. A refused user does not stop the others and is listed with the reason. After an interruption, the same command does the rest.',
    )
    .addArgument(actionArgument())
    .argument('[user...]', 'ids, usernames or email addresses; for restore, of deleted users')
    .option(
      '--to <value>',
      'the new role, for set-role; the new language, for set-locale; the end date, for set-end-date (none removes it); the organization, for set-organization (id, name or none); the end of the memberships, for add-to-group',
    )
    .option('--set <name=value>', 'for set-attribute: the new value of an attribute; repeatable', readAttribute)
    .option('--unset <name>', 'for set-attribute: an attribute that loses its value; repeatable', collect)
    .option('--group <group>', 'id or name, for add-to-group and remove-from-group')
  addDeletedFilterOptions(addSelectionOptions(command))
    .addOption(new Option('--rows <which>', 'users to list').choices(['all', 'refused']).default('refused'))
    .option('--print-url', 'for invite: send no messages, and list the links instead')
    .option('--resend', 'for invite: also users whose invitation still works')
    .option(
      '--save-changed <file>',
      'write the ids of the changed users, or their former values, so that this change can be undone',
    )
  command.action(async (action: Action, named: string[], options: RowOptions) => {
    const { runBulk } = await import('./bulk-run.ts')
    await runBulk(action, named, options)
  })
  examples(command, [
    ['rollbook users bulk disable --last-login-before 2026-01-01 --dry-run --rows all', 'show who would be disabled'],
    ['rollbook users bulk set-role --to support --search @support.example.com', 'with confirmation'],
    ['rollbook users bulk add-to-group --group Support --role support --dry-run', 'show who would join a group'],
    ['rollbook users bulk set-attribute --set department=Sales --from-file sales.txt', 'set an attribute'],
    ['rollbook users bulk disable --search @old.example.com --save-changed ids.txt', 'with the means to undo it:'],
    ['rollbook users bulk enable --from-file ids.txt', 'undo it'],
    ['rollbook users bulk restore --deleted-after 2026-11-20', 'restore all users deleted since then'],
    ['rollbook users bulk invite --without-password', 'send links to choose a password'],
    ['rollbook users bulk delete --from-file left.txt --by external-id --yes', 'delete by the ids of another system'],
  ])
  addWriteOptions(command)
  addOutputOptions(command, { all: invitationColumns.all, shown: rowColumns, inCsv: rowColumns })
  addRemoteOptions(command)
}

/** Options that select users. */
export function addSelectionOptions(command: Command): Command {
  command
    .option('--from-file <file>', 'read users from a file, one per line; - is standard input')
    .addOption(new Option('--by <what>', 'what the given users are; required for external ids').choices(ways))
    .option('--all', 'all users; needed if you give no users and no conditions')
    .option('--except <user>', 'leave out this user; can be repeated', collect)
  return addMembershipFilterOptions(addFilterOptions(command))
}

function actionArgument(): Argument {
  const argument = new Argument('<action>', 'the change').choices(actions)
  const parse = argument.parseArg as (value: string, previous: string) => string
  const byWireName = new Map(Object.entries(wireActions).map(([action, name]) => [name as string, action]))
  return argument.argParser((value: string, previous: string) => parse(byWireName.get(value) ?? value, previous))
}

function collect(user: string, before: string[] = []): string[] {
  return [...before, user]
}
