/** `rollbook statistics`: what happened day by day, through the API, and how many users there are. */
import { type Command, InvalidArgumentError } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows } from '../terminal/output.ts'

type Options = OutputOptions & RemoteOptions

export function addStatistics(program: Command): void {
  const statistics = program
    .command('statistics')
    .summary('see how many users come, sign in and fail to')
    .description('Figures of the last days, and of all users.')
  const days = statistics
    .command('days')
    .summary('list what happened day by day')
    .description(
      'Lists what happened on each of the last days, in UTC, the oldest first; today is the last and not over yet. Empty is what was not counted yet on that day.',
    )
    .option('--days <number>', 'how many, 1 to 365', readDays, 30)
    .action(({ days, ...options }: Options & { days: number }) =>
      withServer(options, async (client, signal) =>
        printRows((await client.statistics({ days }, { signal })).days, options),
      ),
    )
  const totals = statistics
    .command('totals')
    .summary('say how many users there are')
    .description('Says how many users there are: active or not, with a password or without, of each role.')
    .action((options: Options) =>
      withServer(options, async (client, signal) =>
        printOne((await client.statistics({ days: 1 }, { signal })).totals, options),
      ),
    )
  for (const command of [statistics, days]) {
    examples(command, [
      ['rollbook statistics days', 'the last thirty'],
      ['rollbook statistics days --days 365 --output csv', 'a year, for a spreadsheet'],
    ])
  }
  examples(totals, [
    ['rollbook statistics totals', 'a line for each figure'],
    ['rollbook statistics totals --json', 'for a program'],
  ])
  addOutputOptions(days, {
    all: ['date', 'sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users', 'complete'],
    shown: ['date', 'sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users'],
  })
  addOutputOptions(totals, [
    'users',
    'active',
    'inactive',
    'with_password',
    'without_password',
    'never_signed_in',
    'roles',
  ])
  for (const command of [days, totals]) addRemoteOptions(command)
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= 365) return Number(text)
  throw new InvalidArgumentError('It must be a number from 1 to 365.')
}
