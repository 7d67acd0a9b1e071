/** `rollbook profile`: servers and keys under names. */
import type { Command } from 'commander'
import { checkKey, isInClear, readUrl } from '../server/find-server.ts'
import { type Profile, type Profiles, profileFile, readProfiles, writeProfiles } from '../server/profile-file.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { addOutputOptions, type OutputOptions, printRows, tell } from '../terminal/output.ts'
import { readSecret } from '../terminal/secret-input.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

export function addProfile(program: Command): void {
  const profile = program
    .command('profile')
    .summary('keep servers and keys under names')
    .description('Keeps the address and the key of a server under a name, in a file that only you may read.')
  examples(profile, [
    ['rollbook profile add work --url https://example.com/auth', 'asks for the key'],
    ['rollbook profile use work', 'what commands speak to from now on'],
  ])
  addAdd(profile)
  addList(profile)
  addUse(profile)
  addRemove(profile)
}

type AddOptions = { url: string; keyFile?: string; keyStdin?: true; use?: true; check: boolean } & WriteOptions

function addAdd(profile: Command): void {
  const add = profile
    .command('add')
    .summary('keep a server and its key')
    .description(
      'Keeps a server and its key, once the server has accepted the key. The first profile is in use at once. One of the same name is replaced, after a question.',
    )
    .argument('<name>', 'how to call it', readName)
    .requiredOption('--url <address>', 'the API, with its prefix: https://example.com/auth')
    .option('--key-file <file>', 'read the key from a file')
    .option('--key-stdin', 'read the key from standard input')
    .option('--use', 'use it from now on')
    .option('--no-check', 'do not ask the server whether the key is valid')
    .action(runAdd)
  examples(add, [
    ['rollbook profile add work --url https://example.com/auth', 'asks for the key, on a terminal'],
    ['rollbook profile add local --url http://127.0.0.1:8080/auth --key-file data/admin-key', 'without a question'],
  ])
  addWriteOptions(add)
}

function addList(profile: Command): void {
  const list = profile
    .command('list')
    .summary('show the profiles, without their keys')
    .description('Shows the profiles that there are, and which is in use. Keys are not shown.')
    .action(runList)
  examples(list, [
    ['rollbook profile list', 'a table'],
    ['rollbook profile list --json', 'for a program'],
  ])
  addOutputOptions(list, ['name', 'url', 'current'])
}

function addUse(profile: Command): void {
  const use = profile
    .command('use')
    .summary('speak to this server from now on')
    .description('From now on commands speak to this server, unless they are told otherwise.')
    .argument('<profile>', 'its name')
    .option('--dry-run', 'change nothing')
    .action(runUse)
  examples(use, [
    ['rollbook profile use work', 'for all commands that follow'],
    ['rollbook users list --profile work', 'for this command alone, without profile use'],
  ])
}

function addRemove(profile: Command): void {
  const remove = profile
    .command('remove')
    .summary('forget a server and its key')
    .description('Forgets a server and its key. The key stays valid: revoke it with rollbook keys revoke.')
    .argument('<profile>', 'its name')
    .action(runRemove)
  examples(remove, [
    ['rollbook profile remove work', 'asks before'],
    ['rollbook profile remove work --yes', 'without being asked'],
  ])
  addWriteOptions(remove)
}

async function runAdd(name: string, options: AddOptions): Promise<void> {
  const file = profileFile(process.env)
  const known = readProfiles(file)
  const url = readUrl(options.url, '--url')
  if (options.keyFile !== undefined && options.keyStdin) throw new UsageError('Give one of --key-file and --key-stdin.')
  if (known.profiles[name]) await confirm(`Replace the profile ${name}?`, options)
  const instead = '--key-file or --key-stdin'
  const secret = await readSecret({ file: options.keyFile, stdin: options.keyStdin, prompt: 'API key', instead })
  const profile = { url, key: checkKey(secret.trim(), 'What was given') }
  if (isInClear(url)) tell('Without https, whoever is on the way can read the key.')
  if (options.check) await checkAtServer(profile)
  const isCurrent = options.use || known.current === undefined || known.current === name
  save(options, file, {
    ...known,
    profiles: { ...known.profiles, [name]: profile },
    ...(isCurrent && { current: name }),
  })
  const added = options.dryRun ? 'Nothing was kept: it would be' : 'Kept'
  tell(`${added} ${name} in ${file}${isCurrent ? ', in use from now on' : ''}.`)
}

async function runList(options: OutputOptions): Promise<void> {
  const { current, profiles } = readProfiles(profileFile(process.env))
  const rows = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }))
  await printRows(rows, options)
}

function runUse(name: string, options: { dryRun?: true }): void {
  const { file, known } = readKnown(name)
  save(options, file, { ...known, current: name })
  tell(
    options.dryRun
      ? `Nothing was changed: ${name} is there.`
      : `Commands speak to ${known.profiles[name]?.url} from now on.`,
  )
}

async function runRemove(name: string, options: WriteOptions): Promise<void> {
  const { file, known } = readKnown(name)
  await confirm(`Forget the profile ${name} and its key?`, options)
  const { [name]: _, ...profiles } = known.profiles
  save(options, file, {
    profiles,
    ...(known.current !== undefined && known.current !== name && { current: known.current }),
  })
  tell(options.dryRun ? `Nothing was changed: ${name} is there.` : `Removed ${name}. Its key is still valid.`)
}

function readKnown(name: string): { file: string; known: Profiles } {
  const file = profileFile(process.env)
  const known = readProfiles(file)
  if (known.profiles[name]) return { file, known }
  throw new Failed(`There is no profile ${name}; rollbook profile list shows them.`, exitCodes.notFound)
}

function save({ dryRun }: { dryRun?: true }, file: string, profiles: Profiles): void {
  if (!dryRun) writeProfiles(file, profiles)
}

/** Any operation tells whether the key is valid; that it may do this one is not needed. */
async function checkAtServer({ url, key }: Profile): Promise<void> {
  const { RollbookClient } = await import('../../sdk/client/index.ts')
  const client = new RollbookClient({ url, apiKey: key, retries: 2 })
  try {
    await interruptible((signal) => client.roles.list({ signal }))
  } catch (error) {
    const { name, status } = error as Error & { status?: number }
    if (name !== 'RollbookError' || status !== 403) throw error
  }
}

function readName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text
  throw new UsageError('A profile is named with letters, digits and . _ - alone.')
}
