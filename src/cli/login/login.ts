/** `rollbook login`: signs the command line in through the browser, and stores its key as a profile. */
import { hostname } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { withoutUnseen } from '../../lib/unseen.ts'
import type { CliKey, CreateCliLogin, RollbookClient } from '../../sdk/client/index.ts'
import { readName } from '../commands/profile.ts'
import { findAddress, isInClear } from '../server/find-server.ts'
import { type Profile, profileFile, readProfiles, writeProfiles } from '../server/profile-file.ts'
import { examples } from '../terminal/examples.ts'
import { UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { addOutputOptions, isForPeople, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { visible } from '../terminal/visible-text.ts'
import { lacksBrowser } from './browser.ts'
import { loginByDevice } from './device.ts'
import { loginByLoopback } from './loopback.ts'

const members = ['profile', 'url', 'username', 'user_id', 'key_id', 'name', 'permissions', 'expires_at']

type LoginOptions = OutputOptions & {
  server?: string
  url?: string
  device?: true
  permissions?: string[]
  expires?: number
  profile?: string
  name?: string
  replace?: true
}

export function addLogin(program: Command): void {
  const login = program
    .command('login')
    .summary('sign in through the browser')
    .description(
      'Signs the command line in through the browser. You approve there what the key may do; it is a personal key of yours, stored as a profile that only you can read, and the default for the following commands. Over SSH, or on a machine without a display, you get a code to enter in the browser of another machine. BROWSER names the program that opens pages. The service can switch this off, or the codes alone, with the setting ROLLBOOK_CLI_LOGIN.',
    )
    .option('--server <address>', 'URL of the API with its prefix: https://example.com/auth')
    .addOption(new Option('--url <address>').hideHelp())
    .option('--device', 'show a code to enter in the browser of another machine')
    .option(
      '--permissions <words>',
      'what the key may do, such as users:read,groups:read (default: all that you may do)',
      words,
    )
    .option('--expires <time>', 'until when: 8h, 30d, or an instant (default: 90d, at most 365d)', readSpan)
    .option('--profile <name>', 'the name of the profile (default: the host of the server)', readName)
    .option('--name <name>', 'the name of the key (default: the name of this machine)')
    .option('--replace', 'replace a profile of the same name that is of another server or has another key')
    .action(runLogin)
  examples(login, [
    ['rollbook login --server https://example.com/auth', 'sign in, and use this server from now on'],
    ['rollbook login --server https://example.com/auth --device', 'on a machine without a browser'],
    ['rollbook login --permissions users:read --expires 8h', 'a key that can only read users, for today'],
  ])
  addOutputOptions(login, members)
}

async function runLogin(options: LoginOptions): Promise<void> {
  const address = options.server ?? options.url
  const { profile } = options
  const url = await findAddress(
    { ...(address !== undefined && { url: address }), ...(profile !== undefined && { profile }) },
    process.env,
  )
  const file = profileFile(process.env)
  const name = profile ?? nameFor(url, readProfiles(file).profiles)
  const before = readProfiles(file).profiles[name]
  if (before !== undefined && (before.key_id === undefined || before.url !== url)) {
    if (!options.replace) {
      throw new UsageError(
        `There is a profile ${name} of ${before.url} already. Give --replace, or --profile with another name.`,
      )
    }
  }
  if (isInClear(url)) tell('The URL does not use https: anyone on the network path can read the key.')
  const key = await getKey(url, options)
  await store(file, { name, url, key, before })
  const result: Record<string, unknown> = { profile: name, url, ...key }
  if (!isForPeople(options)) await printOne(Object.fromEntries(members.map((one) => [one, result[one]])), options)
  const may = key.permissions.includes('*') ? 'everything' : key.permissions.join(', ') || 'only see who you are'
  tell(visible(`Signed in at ${url} as ${key.username}, until ${key.expires_at}. The key may do: ${may}.`))
  const missing = (options.permissions ?? []).filter(
    (one) => one !== '*' && !key.permissions.includes(one) && !key.permissions.includes('*'),
  )
  if (missing.length > 0) tell(visible(`Without ${missing.join(', ')}, which you may not do yourself.`))
  tell(visible(`Stored as the profile ${name}, which commands now use. rollbook logout revokes the key.`))
}

async function getKey(url: string, { device, permissions, expires, name }: LoginOptions): Promise<CliKey> {
  const client = await clientOf(url)
  const request: CreateCliLogin = {
    name: name ?? ownName(),
    ...(permissions && { permissions }),
    ...(expires !== undefined && { key_expires_in: expires }),
  }
  const reason = device ? undefined : lacksBrowser(process.env, process.platform)
  if (reason !== undefined) tell(`${reason}, so you approve the sign-in in the browser of another machine.`)
  return interruptible(async (signal) => {
    try {
      if (device || reason !== undefined) return await loginByDevice(client, request, signal)
      return await loginByLoopback(client, { request, url }, signal)
    } catch (error) {
      // After an interruption, report only that.
      signal.throwIfAborted()
      throw error
    }
  })
}

/** Stores the key, and revokes the one that it replaces. A key that cannot be stored is revoked. */
async function store(
  file: string,
  { name, url, key, before }: { name: string; url: string; key: CliKey; before: Profile | undefined },
): Promise<void> {
  const profile: Profile = { url, key: key.access_token, key_id: key.key_id }
  try {
    // Another command may have changed the file while the user approved.
    writeProfiles(file, { profiles: { ...readProfiles(file).profiles, [name]: profile }, current: name })
  } catch (error) {
    await revoke(profile)
    throw error
  }
  if (before?.key_id !== undefined && before.url === url && !(await revoke(before))) {
    tell(`The key before could not be revoked. Revoke ${before.key_id} in your account.`)
  }
}

/** Returns whether the key is no longer valid. */
async function revoke({ url, key }: Profile): Promise<boolean> {
  const client = await clientOf(url, key)
  return client.tokens.revoke(key, { retries: 2 }).then(
    () => true,
    (error) => (error as { status?: number }).status === 401,
  )
}

export async function clientOf(url: string, apiKey?: string): Promise<RollbookClient> {
  const [{ RollbookClient }, { version }] = await Promise.all([
    import('../../sdk/client/index.ts'),
    import('../../core/version.ts'),
  ])
  return new RollbookClient({ url, apiKey, retries: 3, userAgent: `rollbook-cli/${version}` })
}

/** The profile of an earlier sign-in at this server, or the host. */
function nameFor(url: string, profiles: Record<string, Profile>): string {
  const earlier = Object.entries(profiles).find(([, one]) => one.url === url && one.key_id !== undefined)
  return earlier?.[0] ?? new URL(url).host.replaceAll(/[^\w.-]+/g, '-').slice(0, 64)
}

function ownName(): string {
  return withoutUnseen(hostname()).slice(0, 128) || 'a machine without a name'
}

function words(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 }

/** Returns seconds from now. */
function readSpan(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const seconds =
    count === undefined ? Math.floor((Date.parse(text) - Date.now()) / 1000) : Number(count) * (unitSeconds[unit] ?? 0)
  if (seconds >= 60 && seconds <= 365 * 86_400) return seconds
  throw new InvalidArgumentError(
    'It must be a time such as 8h or 30d, or an instant, between a minute and 365 days from now.',
  )
}
