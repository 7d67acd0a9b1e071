/** `rollbook profile`: stores the address and the key of a server under a name. */
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
    .summary('store servers and keys under names')
    .description('Stores the address and the key of a server under a name, in a file that only you can read.')
  examples(profile, [
    ['rollbook profile add work --url https://example.com/auth', 'store a server; asks for the key'],
    ['rollbook profile use work', 'use this server by default'],
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
    .summary('store a server and its key')
    .description(
      'Stores a server and its key after the server has accepted the key. The first profile becomes the default. Asks before it replaces a profile of the same name.',
    )
    .argument('<name>', 'the name of the profile', readName)
    .requiredOption('--url <address>', 'URL of the API with its prefix: https://example.com/auth')
    .option('--key-file <file>', 'read the key from a file')
    .option('--key-stdin', 'read the key from standard input')
    .option('--use', 'make it the default')
    .option('--no-check', 'do not check the key at the server')
    .action(runAdd)
  examples(add, [
    ['rollbook profile add work --url https://example.com/auth', 'ask for the key on the terminal'],
    [
      'rollbook profile add local --url http://127.0.0.1:8080/auth --key-file data/admin-key',
      'read the key from a file',
    ],
  ])
  addWriteOptions(add)
}

function addList(profile: Command): void {
  const list = profile
    .command('list')
    .summary('list the profiles, without their keys')
    .description('Lists the profiles and shows which one is the default. Keys are not shown.')
    .action(runList)
  examples(list, [
    ['rollbook profile list', 'show a table'],
    ['rollbook profile list --json', 'output for a program'],
  ])
  addOutputOptions(list, ['name', 'url', 'current'])
}

function addUse(profile: Command): void {
  const use = profile
    .command('use')
    .summary('make a profile the default')
    .description('Makes a profile the default for all commands.')
    .argument('<profile>', 'its name')
    .option('--dry-run', 'check the profile, but change nothing')
    .action(runUse)
  examples(use, [
    ['rollbook profile use work', 'for all following commands'],
    ['rollbook users list --profile work', 'for this command only, without profile use'],
  ])
}

function addRemove(profile: Command): void {
  const remove = profile
    .command('remove')
    .summary('remove a profile')
    .description(
      'Removes a profile and its key from the file. The key itself stays valid; revoke it with rollbook keys revoke.',
    )
    .argument('<profile>', 'its name')
    .action(runRemove)
  examples(remove, [
    ['rollbook profile remove work', 'with confirmation'],
    ['rollbook profile remove work --yes', 'without confirmation'],
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
  const profile = { url, key: checkKey(secret.trim(), 'The key') }
  if (isInClear(url)) tell('The URL does not use https: anyone on the network path can read the key.')
  if (options.check) await checkAtServer(profile)
  const isCurrent = options.use || known.current === undefined || known.current === name
  save(options, file, {
    ...known,
    profiles: { ...known.profiles, [name]: profile },
    ...(isCurrent && { current: name }),
  })
  const added = options.dryRun ? 'Nothing was stored. It would be' : 'Stored'
  tell(`${added} ${name} in ${file}${isCurrent ? ' as the default' : ''}.`)
}

async function runList(options: OutputOptions): Promise<void> {
  const { current, profiles } = readProfiles(profileFile(process.env))
  const rows = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }))
  await printRows(rows, options, 'profiles')
}

function runUse(name: string, options: { dryRun?: true }): void {
  const { file, known } = readKnown(name)
  save(options, file, { ...known, current: name })
  tell(
    options.dryRun
      ? `Nothing was changed. The profile ${name} exists.`
      : `Commands now use ${known.profiles[name]?.url}.`,
  )
}

async function runRemove(name: string, options: WriteOptions): Promise<void> {
  const { file, known } = readKnown(name)
  await confirm(`Remove the profile ${name} and its key?`, options)
  const { [name]: _, ...profiles } = known.profiles
  save(options, file, {
    profiles,
    ...(known.current !== undefined && known.current !== name && { current: known.current }),
  })
  tell(options.dryRun ? `Nothing was changed. The profile ${name} exists.` : `Removed ${name}. Its key is still valid.`)
}

function readKnown(name: string): { file: string; known: Profiles } {
  const file = profileFile(process.env)
  const known = readProfiles(file)
  if (known.profiles[name]) return { file, known }
  throw new Failed(`There is no profile ${name}. rollbook profile list shows all profiles.`, exitCodes.notFound)
}

function save({ dryRun }: { dryRun?: true }, file: string, profiles: Profiles): void {
  if (!dryRun) writeProfiles(file, profiles)
}

/** Checks the key with a cheap request. A key without the permission for it is valid too. */
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

export function readName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text
  throw new UsageError(
    'The name of a profile can contain only letters, digits, dots, underscores and hyphens, at most 64.',
  )
}
