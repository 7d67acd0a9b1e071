/** `rollbook apply`: makes the system as a configuration file says. */
import { type Command, InvalidArgumentError } from 'commander'
import { issuingSections, type SecretTarget } from '../../core/configuration-file.ts'
import { type OpenTarget, openTarget } from '../../core/secret-target.ts'
import type { ConfigurationPlan, RollbookClient } from '../../sdk/client/index.ts'
import { etagOf } from '../../sdk/client/operations.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { askWhether } from '../terminal/prompt.ts'
import { put } from '../terminal/standard-output.ts'
import { requireTerminalOrYes } from '../terminal/write-options.ts'
import { type ReadFile, readConfigurationFile, withFaultsOf } from './read-file.ts'
import { planText } from './show-plan.ts'

type Options = RemoteOptions & { yes?: true; allowDelete?: number; source?: string }

export function addApply(program: Command): void {
  const apply = program
    .command('apply')
    .summary('make the system as a configuration file says')
    .description(
      'Shows the plan, asks, and applies the file in one transaction: everything or nothing. Secrets that are shown once are written to the file that write_to names, with the mode 0600. Needs the permission configuration:write, and those of the changes.',
    )
    .argument('<file>', 'the file, YAML or JSON')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--allow-delete <n>', 'with --yes: how many objects may be deleted (default: 0)', readCount)
    .option('--source <text>', 'where the file is from, such as a commit; it is recorded')
    .action(runApply)
  examples(apply, [
    ['rollbook apply rollbook.yaml', 'show the plan, and apply it after a confirmation'],
    ['rollbook apply rollbook.yaml --yes --allow-delete 1 --source "$GITHUB_SHA"', 'in a pipeline'],
  ])
  addRemoteOptions(apply)
}

function readCount(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number.')
}

async function runApply(path: string, { yes, allowDelete = 0, source, ...options }: Options): Promise<void> {
  const file = await readConfigurationFile(path)
  requireTerminalOrYes({ ...(yes && { yes }) })
  await withFaultsOf(file, () =>
    withServer(options, async (client, signal) => {
      const { rotate } = file
      const plan = await client.configuration.plan(file.document, { rotate, signal })
      await put(planText(plan, 'text'))
      if (plan.changes.length === 0) return
      await confirmed(plan, { yes, allowDelete })
      const targets = openTargets(plan, file)
      const wanted = { rotate, signal, source, allow_delete: plan.deleted, ifMatch: etagOf(plan) }
      const applied = await client.configuration
        .apply(file.document, wanted)
        .catch((error) => explained(error, { targets, client, file }))
      saveSecrets(applied, targets)
      tell('Applied.')
    }),
  )
}

async function confirmed(
  plan: ConfigurationPlan,
  { yes, allowDelete }: { yes: true | undefined; allowDelete: number },
) {
  if (yes && plan.deleted > allowDelete) {
    const detail = `The file deletes ${plan.deleted}, and --allow-delete allows ${allowDelete}. Nothing was changed.`
    throw new Failed(detail, exitCodes.conflict)
  }
  if (!yes && !(await askWhether('Apply these changes?'))) throw new Failed('Nothing was changed.', exitCodes.failed)
}

type Target = SecretTarget & { open: OpenTarget }

/** Before the apply: a secret must not be created if it cannot be written. */
function openTargets(plan: ConfigurationPlan, { targets, rotate }: ReadFile): Target[] {
  const created = plan.changes.filter(({ action, kind }) => action === 'create' && issuingSections.includes(kind))
  for (const { kind, name } of created) {
    if (targets.some((one) => one.section === kind && one.name === name)) continue
    tell(`${kind} ${JSON.stringify(name)} has no write_to: its secret will be lost. Rotate it to get another one.`)
  }
  const due = targets.filter(
    ({ section, name }) =>
      rotate.includes(`${section}/${name}`) || created.some((one) => one.kind === section && one.name === name),
  )
  return due.map((target) => ({ ...target, open: openTarget(target.file) }))
}

function saveSecrets({ secrets = [] }: ConfigurationPlan, targets: readonly Target[]): void {
  for (const { kind, name, secret } of secrets) {
    const target = targets.find((one) => one.section === kind && one.name === name)
    if (target === undefined) continue
    target.open.save(secret)
    tell(`The secret of ${kind} ${JSON.stringify(name)} is in ${target.file}.`)
  }
}

type Surroundings = { targets: readonly Target[]; client: RollbookClient; file: ReadFile }

/** After a change by somebody else, the plan is another one. */
async function explained(error: unknown, { targets, client, file }: Surroundings): Promise<never> {
  const { status = 0, code } = error as { status?: number; code?: string }
  // Otherwise the apply may have happened: the next one finds the empty files, and rotates the secrets.
  if (status >= 400 && status < 500) for (const { open } of targets) open.discard()
  if (code !== 'precondition_failed') throw error
  tell('The configuration has been changed meanwhile. The plan is now:')
  await put(planText(await client.configuration.plan(file.document, { rotate: file.rotate }), 'text'))
  throw new Failed('Nothing was changed. Look at the new plan, then apply the file again.', exitCodes.conflict)
}
