/** `rollbook factors policy` and `missing`: how a policy affects the existing users. */
import { type Command, InvalidArgumentError } from 'commander'
import { userWithoutFactorSchema } from '../../access/sign-in/factor-policy/schema.ts'
import { parseSecondFactor } from '../../core/second-factor.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'

type Options = OutputOptions & RemoteOptions
type Policy = NonNullable<ReturnType<typeof readPolicy>>

export function addPolicy(factors: Command): void {
  const policy = factors
    .command('policy')
    .summary('show the effect of a policy')
    .description(
      'Counts the users without a second factor, those who would be asked for one, and those who could not sign in, if ROLLBOOK_SECOND_FACTOR were set to this policy. Without a policy it tests the one in force. Nothing is changed.',
    )
    .argument('[policy]', 'optional, required, or a JSON object by role and group', readPolicy)
    .action((policyInput: Policy | undefined, options: Options) =>
      withServer(options, async (client, signal) => {
        const found = await client.factors.testPolicy(policyInput, { signal })
        await printOne(found, options)
        tell(found.sentence)
        if (found.unknown.length > 0) tell(`No role or group has this name: ${found.unknown.join(', ')}.`)
      }),
    )
  examples(policy, [
    ['rollbook factors policy', 'show the effect of the policy in force'],
    [`rollbook factors policy '{"admin":"required","group:Staff":"required"}'`, 'show the effect of another one'],
  ])
  addOutputOptions(policy, [
    'users',
    'with_factor',
    'without_factor',
    'required',
    'asked',
    'asked_administrators',
    'cannot_sign_in',
    'from',
    'unknown',
  ])
  addRemoteOptions(policy)
}

export function addMissing(factors: Command): void {
  const missing = factors
    .command('missing')
    .summary('list users without a required factor')
    .description('Lists the active users who need a second factor under the policy in force, and have none.')
    .action((options: Options) =>
      withServer(options, (client, signal) =>
        printRows(client.factors.missing({ limit: 1000 }, { signal }), options, 'users without a required factor'),
      ),
    )
  examples(missing, [
    ['rollbook factors missing', 'show names and roles'],
    ['rollbook factors missing --output csv', 'for a spreadsheet'],
  ])
  const members = userWithoutFactorSchema.required
  addOutputOptions(missing, { all: members, shown: members })
  addRemoteOptions(missing)
}

function readPolicy(text: string) {
  const policy = parseSecondFactor(text)
  if (policy === undefined) throw new InvalidArgumentError('Write optional, required, or a JSON object.')
  return text === 'optional' || text === 'required' ? text : { ...policy }
}
