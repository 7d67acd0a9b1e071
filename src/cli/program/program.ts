/**
 * The command line. Each command is a file that describes its options and does its work through the API or on the store.
 * Data goes to standard output, messages to standard error. Only the file of the requested command is loaded.
 */
import { Command, CommanderError } from 'commander'
import { version } from '../../core/version.ts'
import { foundChanges } from '../configuration/found-changes.ts'
import { examples, examplesOf, withExamples } from '../terminal/examples.ts'
import { exitCodeOf, exitCodes } from '../terminal/exit-codes.ts'
import { faultOfStandardOutput, isBrokenPipe, watchStandardOutput } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'

type Add = (program: Command, build: typeof buildProgram) => void

/** In the order of the help text. */
const commands: Record<string, () => Promise<Add>> = {
  serve: async () => (await import('../host/serve.ts')).addServe,
  users: async () => (await import('../users/users.ts')).addUsers,
  groups: async () => (await import('../groups/groups.ts')).addGroups,
  organizations: async () => (await import('../organizations/organizations.ts')).addOrganizations,
  attributes: async () => (await import('../commands/attributes.ts')).addAttributes,
  provisioning: async () => (await import('../commands/provisioning.ts')).addProvisioning,
  connections: async () => (await import('../connections/connections.ts')).addConnections,
  keys: async () => (await import('../commands/keys.ts')).addKeys,
  sessions: async () => (await import('../commands/sessions.ts')).addSessions,
  factors: async () => (await import('../commands/factors.ts')).addFactors,
  mails: async () => (await import('../commands/mails.ts')).addMails,
  'access-requests': async () => (await import('../commands/access-requests.ts')).addAccessRequests,
  config: async () => (await import('../configuration/config.ts')).addConfig,
  plan: async () => (await import('../configuration/plan.ts')).addPlan,
  apply: async () => (await import('../configuration/apply.ts')).addApply,
  branding: async () => (await import('../commands/branding.ts')).addBranding,
  webhooks: async () => (await import('../commands/webhooks.ts')).addWebhooks,
  roles: async () => (await import('../commands/roles.ts')).addRoles,
  access: async () => (await import('../commands/access.ts')).addAccess,
  reviews: async () => (await import('../commands/reviews.ts')).addReviews,
  policies: async () => (await import('../commands/policies.ts')).addPolicies,
  inactivity: async () => (await import('../commands/inactivity.ts')).addInactivity,
  statistics: async () => (await import('../commands/statistics.ts')).addStatistics,
  'signing-keys': async () => (await import('../commands/signing-keys.ts')).addSigningKeys,
  events: async () => (await import('../commands/events.ts')).addEvents,
  api: async () => (await import('../commands/api.ts')).addApi,
  audit: async () => (await import('../audit/audit.ts')).addAudit,
  admin: async () => (await import('../host/admin.ts')).addAdmin,
  secrets: async () => (await import('../host/secrets.ts')).addSecrets,
  doctor: async () => (await import('../host/doctor.ts')).addDoctor,
  login: async () => (await import('../login/login.ts')).addLogin,
  logout: async () => (await import('../login/logout.ts')).addLogout,
  whoami: async () => (await import('../commands/whoami.ts')).addWhoami,
  version: async () => (await import('../commands/version.ts')).addVersion,
  profile: async () => (await import('../commands/profile.ts')).addProfile,
  backup: async () => (await import('../host/backup.ts')).addBackup,
  restore: async () => (await import('../host/restore.ts')).addRestore,
  restored: async () => (await import('../host/restored.ts')).addRestored,
  move: async () => (await import('../host/move.ts')).addMove,
  completion: async () => (await import('./completion-scripts.ts')).addCompletion,
  complete: async () => (await import('./complete.ts')).addComplete,
  help: async () => (await import('./help.ts')).addHelp,
}

const helpWidth = 80

/** Builds the tree of commands: the named one with its subcommands, or all. */
export async function buildProgram(name?: string): Promise<Command> {
  const program = new Command('rollbook')
    .description('User Administration (Auth) API for your product: the server and its command line.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureHelp({
      helpWidth,
      subcommandTerm: (command) => command.name(),
      commandDescription: (command) => withExamples(command.description(), examplesOf(command)),
    })
  examples(program, [
    ['rollbook', 'serve the API'],
    ['rollbook users create ada --email ada@example.com --role admin', 'create an administrator, from another shell'],
    ['rollbook help authentication', 'how commands find the server and the API key'],
  ])
  const wanted = name !== undefined && Object.hasOwn(commands, name) ? [name] : Object.keys(commands)
  for (const add of await Promise.all(wanted.map((one) => (commands[one] as () => Promise<Add>)())))
    add(program, buildProgram)
  pointToHelp(program, program.name())
  return program
}

/**
 * Makes errors of usage name the help of their own command. Removes Commander's help commands, because our `help` also
 * explains topics.
 */
function pointToHelp(command: Command, path: string): void {
  command.helpCommand(false).showHelpAfterError(`See ${path} --help.`)
  for (const below of command.commands) pointToHelp(below, `${path} ${below.name()}`)
}

/**
 * Makes `--json` take the next word only if it names members: in `users get --json ada` it does not. Otherwise the bare
 * option moves to the end, where no word follows.
 */
function withJsonMembers(program: Command, args: readonly string[]): string[] {
  const at = args.indexOf('--json')
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const next = args[at + 1]
  if (at < 0 || at >= end || next === undefined || next.startsWith('-')) return [...args]
  let command = program
  for (const word of args.slice(0, at)) command = command.commands.find(isCalled(word)) ?? command
  const { known } = command.opts<{ known?: { all: readonly string[] } }>()
  const isList = next.includes(',') || command.registeredArguments.length === 0
  if (known !== undefined && (isList || known.all.includes(next))) return [...args]
  return [...args.slice(0, at), ...args.slice(at + 1, end), '--json', ...args.slice(end)]
}

function isCalled(word: string): (command: Command) => boolean {
  return (command) => command.name() === word || command.aliases().includes(word)
}

/** Runs a command and returns its exit code; see exit-codes.ts. */
export async function run(args: readonly string[]): Promise<number> {
  const code = await runCommand(args)
  // A pipeline must not take wrong usage for changes.
  const isPlan = args.find((arg) => !arg.startsWith('-')) === 'plan'
  return isPlan && code !== exitCodes.done && code !== exitCodes.interrupted && !foundChanges()
    ? exitCodes.failed
    : code
}

async function runCommand(args: readonly string[]): Promise<number> {
  watchStandardOutput()
  try {
    const program = await buildProgram(args.find((arg) => !arg.startsWith('-')))
    await program.parseAsync(withJsonMembers(program, args), { from: 'user' })
    // Write errors on standard output arrive on the next turn of the event loop.
    await new Promise(setImmediate)
    const fault = faultOfStandardOutput()
    if (fault) throw fault
    return exitCodes.done
  } catch (error) {
    if (isBrokenPipe(error)) return exitCodes.done
    // Commander has already printed the error. Requested help also arrives here, with exit code 0.
    if (error instanceof CommanderError) {
      if (error.code === 'commander.excessArguments' && args.includes('-q'))
        process.stderr.write('-q is short for --quiet. To search, give --search <text>.\n')
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    }
    const { explanationOf } = await import('../terminal/explain-error.ts')
    const lines = explanationOf(error).split('\n')
    process.stderr.write(`${lines.map(visible).join('\n')}\n`)
    return exitCodeOf(error)
  }
}
