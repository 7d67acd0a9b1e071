/** `rollbook plan`: what an apply of a configuration file would change. */
import { type Command, Option } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { Failed } from '../terminal/failure.ts'
import { put } from '../terminal/standard-output.ts'
import { noteChanges } from './found-changes.ts'
import { readConfigurationFile, withFaultsOf } from './read-file.ts'
import { type PlanFormat, planText } from './show-plan.ts'

type Options = RemoteOptions & { output: PlanFormat; detailedExitcode?: true }

export function addPlan(program: Command): void {
  const plan = program
    .command('plan')
    .summary('show what a configuration file would change')
    .description(
      'Shows what rollbook apply would create (+), change (~), rename (>), adopt (=), no longer manage (o) and delete (-), and what was changed by hand since the last apply. Changes nothing. Needs the permission configuration:read. Exits with 1 after any error.',
    )
    .argument('<file>', 'the file, YAML or JSON; - reads standard input')
    .addOption(
      new Option('-o, --output <format>', 'how to show it').choices(['text', 'json', 'markdown']).default('text'),
    )
    .option('--detailed-exitcode', 'exit with 2 if there are changes, with 0 if there are none')
    .action(runPlan)
  examples(plan, [
    ['rollbook plan rollbook.yaml', 'show the changes'],
    ['rollbook plan rollbook.yaml --output markdown', 'for a comment on a pull request'],
  ])
  addRemoteOptions(plan)
}

async function runPlan(path: string, { output, detailedExitcode, ...options }: Options): Promise<void> {
  const file = await readConfigurationFile(path)
  const plan = await withFaultsOf(file, () =>
    withServer(options, (client, signal) => client.configuration.plan(file.document, { rotate: file.rotate, signal })),
  )
  await put(planText(plan, output))
  if (!detailedExitcode || plan.changes.length === 0) return
  noteChanges()
  throw new Failed('The plan has changes.', 2)
}
