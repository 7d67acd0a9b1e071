/** `rollbook statistics`: figures for each day, and totals of users. */
import { type Command, InvalidArgumentError } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows } from '../terminal/output.ts'

type Options = OutputOptions & RemoteOptions

export function addStatistics(program: Command): void {
  const statistics = program
    .command('statistics')
    .summary('count users, sign-ups and sign-ins')
    .description('Shows figures for the last days and totals of users.')
  const days = statistics
    .command('days')
    .summary('list figures for each day')
    .description(
      'Lists figures for each of the last days in UTC, the oldest first. The last row is today so far. A cell is empty if that figure was not counted yet on that day.',
    )
    .option('--days <number>', 'number of days, 1 to 731', readDays, 30)
    .action(({ days, ...options }: Options & { days: number }) =>
      withServer(options, async (client, signal) =>
        printRows((await client.statistics({ days }, { signal })).days, options, 'days'),
      ),
    )
  const totals = statistics
    .command('totals')
    .summary('count the users')
    .description('Counts the users: in total, active, disabled and expired, with and without a password, and by role.')
    .action((options: Options) =>
      withServer(options, async (client, signal) =>
        printOne((await client.statistics({ days: 1 }, { signal })).totals, options),
      ),
    )
  for (const command of [statistics, days]) {
    examples(command, [
      ['rollbook statistics days', 'the last 30 days'],
      ['rollbook statistics days --days 365 --output csv', 'one year, for a spreadsheet'],
    ])
  }
  examples(totals, [
    ['rollbook statistics totals', 'one line for each figure'],
    ['rollbook statistics totals --json', 'output for a program'],
  ])
  addOutputOptions(days, {
    all: ['date', 'sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users', 'complete'],
    shown: ['date', 'sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users'],
  })
  addOutputOptions(totals, [
    'users',
    'active',
    'inactive',
    'expired',
    'with_password',
    'service_accounts',
    'without_password',
    'never_signed_in',
    'with_factor',
    'with_totp',
    'with_passkey',
    'groups',
    'in_groups',
    'roles',
  ])
  for (const command of [days, totals]) addRemoteOptions(command)
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= 731) return Number(text)
  throw new InvalidArgumentError('It must be a number from 1 to 731.')
}
