/** `rollbook inactivity`: who is disabled after a time without use. */
import type { Command } from 'commander'
import { inactivityStopSchema } from '../../operations/inactivity/schema.ts'
import type { InactivityPreview, PreviewInactivity } from '../../sdk/client/types.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

type Common = OutputOptions & RemoteOptions
type Preview = Common & { rule?: string; until?: string; limit?: string }

export function addInactivity(program: Command): void {
  const inactivity = program
    .command('inactivity')
    .summary('show whom the inactivity rule disables, and confirm')
    .description(
      'Shows whom an inactivity rule disables, and confirms a run that stopped. `rollbook policies update --inactivity` sets the rule.',
    )
  examples(inactivity, [
    ['rollbook inactivity preview', 'who is next'],
    [`rollbook inactivity preview --rule '{"*":{"days":90,"notice_days":14}}'`, 'a rule that is not saved'],
  ])
  addPreview(inactivity)
  addConfirm(inactivity)
}

function addPreview(inactivity: Command): void {
  const preview = inactivity
    .command('preview')
    .summary('show the rule, who is disabled, and when')
    .description('Shows the rule, who is disabled, and when, if they do not use their access. Changes nothing.')
    .option('--rule <json>', 'a rule that is not saved; without it, the rule in force')
    .option('--until <instant>', 'how far to look; without it, as long as the longest notice')
    .option('--limit <number>', 'how many users to list, 10000 at most', '1000')
    .action(runPreview)
  examples(preview, [
    ['rollbook inactivity preview', 'who is next'],
    ['rollbook inactivity preview --until 2099-01-01T00:00:00Z --output csv', 'everyone whom the rule concerns'],
  ])
  addOutputOptions(preview, ['user_id', 'username', 'last_used_at', 'noticed', 'notice_at', 'disable_at'])
  addRemoteOptions(preview)
}

async function runPreview({ rule, until, limit = '1000', ...options }: Preview): Promise<void> {
  const input: PreviewInactivity = {
    ...(rule !== undefined && { inactivity: readRule('--rule', rule) }),
    ...(until !== undefined && { until }),
    limit: Number(limit),
  }
  const found = await withServer(options, (client, signal) => client.policies.previewInactivity(input, { signal }))
  await printRows(found.users, options, 'inactivity')
  for (const line of remarksOn(found)) tell(line)
}

function remarksOn({ inactivity, total, until, spared, stops, stopped }: InactivityPreview): string[] {
  if (inactivity === null) return ['There is no inactivity rule.']
  const limits = Object.entries(inactivity).map(
    ([name, { days, notice_days }]) => `${name} after ${days} days (told ${notice_days} days before)`,
  )
  return [
    `The rule: ${limits.join(', ')}.`,
    `${total} users are disabled until ${until} if they do not return.`,
    ...(spared ? [`${spared.username} stays: there would be no other administrator.`] : []),
    ...(stops ? ['One run would disable more than 5 % of the active users: it stops until it is confirmed.'] : []),
    ...(stopped?.confirmed_at === null
      ? [`A run has stopped at ${stopped.stopped_at}: rollbook inactivity confirm`]
      : []),
  ]
}

function addConfirm(inactivity: Command): void {
  const command = inactivity
    .command('confirm')
    .summary('let a stopped run continue')
    .description('Lets a stopped run of the inactivity rule disable the users who are due now.')
    .action(async (options: Common & WriteOptions) => {
      await confirm('Disable these users? `rollbook inactivity preview` shows them.', options)
      const { dryRun = false } = options
      const stop = await withServer(options, (client, signal) => client.policies.confirmInactivity({ signal, dryRun }))
      await printOne(stop, options)
      tell(dryRun ? 'Nothing was changed.' : 'Confirmed. The run continues within a minute.')
    })
  examples(command, [
    ['rollbook inactivity confirm', 'after a look at the preview'],
    ['rollbook inactivity confirm --yes', 'without a question'],
  ])
  addWriteOptions(command)
  addOutputOptions(command, inactivityStopSchema.required)
  addRemoteOptions(command)
}

/** A rule in JSON; `null` for none. */
export function readRule(option: string, text: string): PreviewInactivity['inactivity'] {
  try {
    return JSON.parse(text) as PreviewInactivity['inactivity']
  } catch (cause) {
    throw new UsageError(`${option} is not JSON.`, { cause })
  }
}
