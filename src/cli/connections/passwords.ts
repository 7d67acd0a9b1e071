import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { RollbookClient, SignInConnection } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getConnection } from '../server/find-connection.ts'
import { getUser } from '../server/find-user.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { addOutputOptions, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

/** `exceptions` is false with --no-exceptions, and true without. */
type Options = OutputOptions & RemoteOptions & WriteOptions & { except?: string[]; exceptions: boolean }

const rules = { allow: 'allowed', 'refuse-domains': 'refused_for_domains', 'refuse-all': 'refused_for_all' } as const
type Rule = keyof typeof rules

export function addPasswords(connections: Command): void {
  const passwords = connections
    .command('passwords')
    .summary('refuse or allow passwords while a connection is active')
    .description(
      'Decides whether users may sign in with a password while the connection is active: allow, refuse-domains (not users of its domains) or refuse-all (only the exceptions may). The exceptions are for the day when the company cannot be reached: at least one active administrator must be able to use a password, or the change is refused. Asks first, unless --yes is given.',
    )
    .argument('<connection>', 'its id or name')
    .argument('<rule>', 'allow, refuse-domains or refuse-all')
    .option('--except <user...>', 'users who may still use a password, in place of the present exceptions')
    .option('--no-exceptions', 'remove all exceptions')
    .action(runPasswords)
  examples(passwords, [
    ['rollbook connections passwords Okta refuse-domains --except ada', 'users of its domains must sign in through it'],
    [
      'rollbook connections passwords Okta refuse-all --except ada grace --dry-run',
      'check whether it would be refused',
    ],
    ['rollbook connections passwords Okta allow', 'passwords work again'],
  ])
  addWriteOptions(passwords)
  addOutputOptions(passwords, ['connection_id', 'name', 'passwords', 'domains', 'password_exceptions'])
  addRemoteOptions(passwords)
}

async function runPasswords(text: string, rule: string, options: Options): Promise<void> {
  if (!Object.hasOwn(rules, rule)) throw new UsageError('The rule is one of allow, refuse-domains and refuse-all.')
  if (options.except !== undefined && !options.exceptions)
    throw new UsageError('Give either --except or --no-exceptions.')
  const { dryRun = false, exceptions } = options
  await withServer(options, async (client, signal) => {
    const connection = await getConnection(client, text, signal)
    const exceptionIds = !exceptions ? [] : await idsOf(client, options.except, signal)
    const patch = { passwords: rules[rule as Rule], ...(exceptionIds && { password_exceptions: exceptionIds }) }
    const effect = effectOf({ ...connection, ...patch })
    if (rule !== 'allow') await confirm(`${effect} Continue?`, options)
    const changed = await client.connections.update(connection, patch, { signal, dryRun })
    await printOne(changed, options)
    tell(dryRun ? `Nothing was changed. ${effect}` : effect)
  })
}

async function idsOf(client: RollbookClient, texts: string[] | undefined, signal: AbortSignal) {
  if (texts === undefined) return undefined
  const found = await Promise.all(texts.map((text) => getUser(client, text, {}, signal)))
  return found.map(({ user_id }) => user_id)
}

type Decided = Pick<SignInConnection, 'name' | 'active' | 'passwords' | 'domains' | 'password_exceptions'>

function effectOf({ name, active, passwords, domains, password_exceptions }: Decided): string {
  if (passwords === 'allowed') return `Passwords are not refused because of ${name}.`
  const users =
    passwords === 'refused_for_all' ? 'Users' : `Users of ${domains.join(', ') || 'the domains of the connection'}`
  const exceptions = counted(password_exceptions.length, 'exception')
  return `${users} cannot sign in with a password${active ? '' : ` once ${name} is active`}; ${exceptions}.`
}
