/** `rollbook policies`: policies for all users. */
import type { Command } from 'commander'
import { policiesSchema } from '../../operations/policies/schema.ts'
import type { UpdatePolicies } from '../../sdk/client/types.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import {
  addOverrideOption,
  addWriteOptions,
  type OverrideOption,
  type WriteOptions,
} from '../terminal/write-options.ts'
import { readRule } from './inactivity.ts'

type Common = OutputOptions & RemoteOptions
type Change = Common & WriteOptions & { secondFactor?: string; inactivity?: string } & OverrideOption

const columns = policiesSchema.required

export function addPolicies(program: Command): void {
  const policies = program
    .command('policies')
    .summary('show and change policies for all users')
    .description('Shows and changes policies, such as who needs a second factor.')
  examples(policies, [
    ['rollbook policies get', 'show the policies in force'],
    ['rollbook policies update --second-factor required', 'require a second factor of all users'],
  ])
  addGet(policies)
  addUpdate(policies)
}

function addGet(policies: Command): void {
  const get = policies
    .command('get')
    .summary('show the policies')
    .description('Shows the policies in force, and what manages them.')
    .action((options: Common) =>
      withServer(options, async (client, signal) => printOne(await client.policies.get({ signal }), options)),
    )
  examples(get, [
    ['rollbook policies get', 'show the policies in force'],
    ['rollbook policies get --json', 'output for a program'],
  ])
  addOutputOptions(get, columns)
  addRemoteOptions(get)
}

function addUpdate(policies: Command): void {
  const update = policies
    .command('update')
    .summary('change policies')
    .description(
      'Changes policies, on all nodes within a second. `rollbook factors policy` shows whom a second-factor policy would ask.',
    )
    .option('--second-factor <policy>', 'optional, required, or a JSON object by role and group')
    .option('--inactivity <rule>', 'a JSON object by role, group, kind:service and managed, or null')
    .action(runUpdate)
  examples(update, [
    [`rollbook policies update --second-factor '{"admin":"required"}'`, 'require it of administrators'],
    [`rollbook policies update --inactivity '{"*":{"days":90,"notice_days":14}}'`, 'disable users after 90 days'],
    ['rollbook policies update --second-factor required --dry-run', 'check whether it can be changed here'],
  ])
  addOverrideOption(update, 'a policy')
  addWriteOptions(update)
  addOutputOptions(update, columns)
  addRemoteOptions(update)
}

async function runUpdate({ secondFactor, inactivity, override, ...options }: Change): Promise<void> {
  const { dryRun = false } = options
  if (secondFactor === undefined && inactivity === undefined) {
    throw new UsageError('There is nothing to change. Give --second-factor or --inactivity.')
  }
  const how = { dryRun, ...(override && { override }) }
  const input: UpdatePolicies = {
    ...(secondFactor !== undefined && { second_factor: readPolicy(secondFactor) }),
    ...(inactivity !== undefined && { inactivity: readRule('--inactivity', inactivity) ?? null }),
  }
  const after = await withServer(options, (client, signal) => client.policies.update(input, { signal, ...how }))
  await printOne(after, options)
  tell(dryRun ? 'Nothing was changed. The policies would be as shown.' : 'Changed the policies.')
}

function readPolicy(text: string): NonNullable<UpdatePolicies['second_factor']> {
  if (!text.startsWith('{')) return text as 'optional' | 'required'
  try {
    return JSON.parse(text) as Record<string, 'optional' | 'required'>
  } catch (cause) {
    throw new UsageError('--second-factor is neither a word nor a JSON object.', { cause })
  }
}
