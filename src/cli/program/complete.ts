/** `rollbook complete`, which shells call to complete a word; see completion-scripts.ts. Invalid words give no candidates. */
import type { Argument, Command, Option } from 'commander'
import type { RemoteOptions } from '../server/find-server.ts'
import { profileFile, readProfiles } from '../server/profile-file.ts'
import { put } from '../terminal/standard-output.ts'
import { visible } from '../terminal/visible-text.ts'
import type { BuildProgram } from './help.ts'

type Candidate = { value: string; what?: string }
type Answer = Candidate[] | 'files'
type LineOptions = { line?: string; piece?: string }
type Asked = {
  build: BuildProgram
  command: Command
  word: string
  options: Record<string, string>
  operands: readonly string[]
}

const most = 50
const patienceMs = 1500

export function addComplete(program: Command, buildProgram: BuildProgram): void {
  program
    .command('complete', { hidden: true })
    .description('Prints completions of the last word, for the scripts of rollbook completion.')
    .argument('[words...]', 'the words after rollbook; the last one is incomplete')
    .option('--line <text>', 'the line up to the cursor, instead of words')
    .option('--piece <text>', 'the part of the last word that the shell will replace')
    .action((words: string[], options: LineOptions) => runComplete(words, options, buildProgram))
}

async function runComplete(
  words: readonly string[],
  { line, piece }: LineOptions,
  buildProgram: BuildProgram,
): Promise<void> {
  const typed = line === undefined ? words : splitWords(line).slice(1)
  const word = typed.at(-1) ?? ''
  const response = await complete(typed.slice(0, -1), word, buildProgram)
  // All other lines contain a tab, so no name can be mistaken for this.
  if (response === 'files') return put(':files\n')
  // Bash also splits words at = : @, and replaces only the part after them.
  const keptLength = piece !== undefined && word.endsWith(piece) ? word.length - piece.length : 0
  // One line for each candidate. Candidates with control characters are left out.
  const safe = response.filter(({ value }) => value.startsWith(word) && visible(value) === value)
  await put(safe.map(({ value, what = '' }) => `${value.slice(keptLength)}\t${visible(what)}\n`).join(''))
}

/** Splits a line like a shell, as far as completion needs it. */
export function splitWords(line: string): string[] {
  const words = ['']
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string
    if (character === '\\' && quote !== "'") words.push(`${words.pop()}${line[++at] ?? ''}`)
    else if (quote !== '' && character === quote) quote = ''
    else if (quote === '' && /["']/.test(character)) quote = character
    else if (quote === '' && character === ' ') words.at(-1) === '' || words.push('')
    else words.push(`${words.pop()}${character}`)
  }
  return words
}

async function complete(before: readonly string[], word: string, build: BuildProgram): Promise<Answer> {
  let command = await build(before.find((one) => !one.startsWith('-')))
  const options: Record<string, string> = {}
  const operands: string[] = []
  let open: Option | undefined
  let isOver = false
  for (const one of before) {
    if (open) {
      options[open.attributeName()] = one
      open = undefined
    } else if (!isOver && one === '--') {
      isOver = true
    } else if (!isOver && one.startsWith('-')) {
      const [flag, value] = one.split(/=(.*)/s)
      const option = findOption(command, flag as string)
      if (option?.required && value === undefined) open = option
      else if (option && value !== undefined) options[option.attributeName()] = value
    } else {
      const below = command.commands.find((found) => found.name() === one || found.aliases().includes(one))
      if (below) command = below
      else operands.push(one)
    }
  }
  const completion = { build, command, word, options, operands }
  if (open) return valuesOf(open, completion)
  if (!isOver && word.startsWith('-')) return optionsFor(completion)
  if (command.commands.length > 0) return operands.length === 0 ? commandsBelow(command) : []
  const list = command.registeredArguments
  const argument = list[Math.min(operands.length, list.length - 1)]
  if (!argument || (operands.length >= list.length && !argument.variadic)) return []
  const values = await argumentsFor(argument, completion)
  // Other people choose names: a user named `--purge` would become an option, unless `--` precedes it.
  return isOver || values === 'files' ? values : values.filter(({ value }) => !value.startsWith('-'))
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag)
}

async function optionsFor(completion: Asked): Promise<Answer> {
  const { command, word } = completion
  const [flag, value] = word.split(/=(.*)/s)
  const option = value === undefined ? undefined : findOption(command, flag as string)
  if (option?.required || option?.optional) {
    const values = await valuesOf(option, { ...completion, word: value as string })
    return values === 'files' ? values : values.map(({ value, what = '' }) => ({ value: `${flag}=${value}`, what }))
  }
  const own = command.options.filter(({ hidden }) => !hidden)
  return [...own, ...command.createHelp().visibleOptions(command).slice(own.length)].flatMap(({ long, description }) =>
    long ? [{ value: long, what: description }] : [],
  )
}

function commandsBelow(command: Command): Candidate[] {
  const visibleOnes = command.createHelp().visibleCommands(command)
  return visibleOnes.map((below) => ({ value: below.name(), what: below.summary() }))
}

async function valuesOf(option: Option, completion: Asked): Promise<Answer> {
  if (option.argChoices) return option.argChoices.map((value) => ({ value }))
  const { known } = completion.command.opts<{ known?: { all: readonly string[] } }>()
  switch (option.long) {
    case '--profile':
      return profiles()
    case '--json':
    case '--columns': {
      const [last = ''] = /[^,]*$/.exec(completion.word) ?? []
      const start = completion.word.slice(0, completion.word.length - last.length)
      const left = known?.all.filter((name) => !start.split(',').includes(name)) ?? []
      return left.map((name) => ({ value: start + name }))
    }
    default:
      if (/\brole>$/.test(option.flags) || isNewRole(option, completion)) return roles(completion)
      return /<(file|path|directory)>/.test(option.flags) ? 'files' : []
  }
}

/** `--to` of a bulk change is a role for this action only. */
function isNewRole({ long }: Option, { operands }: Asked): boolean {
  return long === '--to' && operands[0] === 'set-role'
}

async function argumentsFor(argument: Argument, completion: Asked): Promise<Answer> {
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value }))
  switch (argument.name()) {
    case 'user':
      return [completion.command.name(), completion.operands[0]].includes('restore')
        ? deletedUsers(completion)
        : users(completion)
    case 'key':
      return asking(completion, async (client, options) =>
        (await client.keys.list(options)).map(({ key_id, name }) => ({ value: key_id, what: name })),
      )
    case 'endpoint':
      return asking(completion, async (client, options) =>
        (await client.webhooks.list(options)).map(({ endpoint_id, url }) => ({ value: endpoint_id, what: url })),
      )
    case 'profile':
      return profiles()
    case 'subject': {
      const { topics } = await import('./topics.ts')
      const known = Object.entries(topics).map(([value, { title }]) => ({ value, what: title }))
      return [...commandsBelow(await completion.build()), ...known]
    }
    default:
      return /file|path|directory/.test(argument.name()) ? 'files' : []
  }
}

function profiles(): Candidate[] {
  const { profiles } = readProfiles(profileFile(process.env))
  return Object.entries(profiles).map(([value, { url }]) => ({ value, what: url }))
}

function roles(completion: Asked): Promise<Candidate[]> {
  return asking(completion, async (client, options) =>
    (await client.roles.list(options)).map(({ role }) => ({ value: role })),
  )
}

function users(completion: Asked): Promise<Candidate[]> {
  const { word } = completion
  return asking(completion, async (client, options) => {
    const query = word === '' ? { sort: 'username' as const } : { q: word }
    const { users } = await client.users.page({ ...query, limit: most }, options)
    return users.map(candidateOf(word))
  })
}

function deletedUsers(completion: Asked): Promise<Candidate[]> {
  return asking(completion, async (client, options) =>
    (await client.deletedUsers.page({ limit: most }, options)).users.map(candidateOf(completion.word)),
  )
}

/** Completes with the email address if the word contains an @. */
function candidateOf(word: string) {
  return ({ username, email, first_name, last_name }: Person): Candidate => {
    const isEmail = word.includes('@') && email !== null && !username.startsWith(word)
    return { value: isEmail ? email : username, what: [first_name, last_name].filter((name) => name !== '').join(' ') }
  }
}

type Person = { username: string; email: string | null; first_name: string; last_name: string }
type Client = import('../../sdk/client/index.ts').RollbookClient
type Limits = { timeoutMs: number; retries: number }

/** Asks the server. Returns no candidates without a server, a key or a quick response, because a person is typing. */
async function asking(
  { options }: Asked,
  work: (client: Client, limits: Limits) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const { connect } = await import('../server/connect.ts')
  try {
    const { url, keyFile, profile, timeout } = options
    const remoteOptions: RemoteOptions = {
      ...(url && { url }),
      ...(keyFile && { keyFile }),
      ...(profile && { profile }),
    }
    return await work(await connect(remoteOptions, { isSilent: true }), {
      timeoutMs: Number(timeout) * 1000 || patienceMs,
      retries: 0,
    })
  } catch {
    return []
  }
}
