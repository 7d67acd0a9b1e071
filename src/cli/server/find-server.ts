/** Which server a command speaks to, and with which key. They are found together: a key is for its server alone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { type Profile, profileFile, readProfiles } from './profile-file.ts'

export type RemoteOptions = { url?: string; keyFile?: string; profile?: string; timeout?: number }

export type Server = { url: string; key: string; from: string }

type Environment = NodeJS.ProcessEnv

/**
 * The options come first, then the environment, then the profile in use, then the server of this machine. A profile's key
 * goes to that profile's server only, the environment's to the environment's, and the key in the data directory to the
 * server that made it. Only --key-file goes with any.
 */
export async function findServer(options: RemoteOptions, env: Environment): Promise<Server> {
  const named = options.profile ?? (options.url === undefined ? given(env, 'ROLLBOOK_PROFILE') : undefined)
  if (options.profile !== undefined && options.url !== undefined) {
    throw new UsageError('Give --url or --profile: a profile has its own address.')
  }
  const own = keyOfOption(options)
  if (named !== undefined) {
    const profile = getProfile(named, env)
    return { url: profile.url, key: own ?? profile.key, from: `the profile ${named}` }
  }
  const environment = given(env, 'ROLLBOOK_URL')
  if (options.url !== undefined) {
    const url = readUrl(options.url, '--url')
    return { url, key: own ?? (await keyFor(url, environment, env)), from: '--url' }
  }
  if (environment !== undefined) {
    const url = readUrl(environment, 'ROLLBOOK_URL')
    return { url, key: own ?? (await keyFor(url, environment, env)), from: 'ROLLBOOK_URL' }
  }
  const current = currentProfile(env)
  if (current) return { url: current.url, key: own ?? keyOfCurrent(current, env), from: `the profile ${current.name}` }
  const local = await findLocal(env)
  const key = own ?? keyOfEnvironment(env) ?? local.key() ?? keyMissing()
  return { url: local.url, key, from: 'the server of this machine' }
}

/** The key for an address given by hand: the environment's if the environment means this server, or that of this machine. */
async function keyFor(url: string, environment: string | undefined, env: Environment): Promise<string> {
  const key = keyOfEnvironment(env)
  if (key === undefined) return (await localKeyFor(url, env)) ?? keyMissing()
  if (environment !== undefined && isSame(url, readUrl(environment, 'ROLLBOOK_URL'))) return key
  throw new UsageError(
    `Which key is for --url? That of the environment is for ${environment === undefined ? 'no address: it has no ROLLBOOK_URL beside it' : 'ROLLBOOK_URL, another address'}. Give --key-file, or --profile instead of --url.`,
  )
}

/** Two keys for one server, of which the environment's may be for quite another: nobody guesses. */
function keyOfCurrent({ key, name }: Profile & { name: string }, env: Environment): string {
  if (keyOfEnvironment(env) === undefined) return key
  throw new UsageError(
    `Which server is the key of the environment for? Give ROLLBOOK_URL with it, or --profile ${name} for the profile in use and its own key.`,
  )
}

/** Whether the key can be read on its way there. */
export function isInClear(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** @throws UsageError when it cannot be the address of a Rollbook. The text is not repeated: it could hold a password. */
export function readUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} must be an address such as https://example.com/auth.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`${option} must be an address alone, without a user, a password, ? or #.`)
  }
  return url.href.replace(/\/+$/, '')
}

function keyOfOption({ keyFile }: RemoteOptions): string | undefined {
  return keyFile === undefined ? undefined : readKeyFile(keyFile, '--key-file')
}

function keyOfEnvironment(env: Environment): string | undefined {
  const key = given(env, 'ROLLBOOK_API_KEY')
  const file = given(env, 'ROLLBOOK_API_KEY_FILE')
  if (key !== undefined && file !== undefined) {
    throw new UsageError('ROLLBOOK_API_KEY and ROLLBOOK_API_KEY_FILE are both given; give one of them.')
  }
  return file === undefined ? key : readKeyFile(file, 'ROLLBOOK_API_KEY_FILE')
}

function readKeyFile(file: string, option: string): string {
  let key: string
  try {
    key = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    // Without the path: somebody may have put the key itself there.
    const { code } = cause as NodeJS.ErrnoException
    throw new UsageError(`${option} names a file that cannot be read (${code}).`, { cause })
  }
  return checkKey(key, `The file that ${option} names`)
}

/** What cannot be in a header would be refused later, with an error that shows it. */
export function checkKey(key: string, source: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key
  throw new UsageError(`${source} does not hold a key: it must be a single line of visible characters.`)
}

function getProfile(name: string, env: Environment): Profile {
  const file = profileFile(env)
  const { profiles } = readProfiles(file)
  const found = profiles[name]
  if (found) return found
  const names = Object.keys(profiles)
  const known = names.length === 0 ? 'There are none yet.' : `There are: ${names.join(', ')}.`
  throw new UsageError(`There is no profile of this name in ${file}. ${known}`)
}

function currentProfile(env: Environment): (Profile & { name: string }) | undefined {
  const { current, profiles } = readProfiles(profileFile(env))
  const profile = current === undefined ? undefined : profiles[current]
  return profile && { ...profile, name: current as string }
}

type Local = { url: string; key: () => string | undefined }

/** The server that `rollbook serve` with the same configuration in the same directory would be. */
async function findLocal(env: Environment): Promise<Local> {
  const [{ loadConfig }, { reachableAddress }] = await Promise.all([
    import('../../core/config.ts'),
    import('../../http/server/own-address.ts'),
  ])
  const config = loadConfig(env)
  const url = `${reachableAddress(config.host, config.port)}${config.basePath.replace(/\/+$/, '')}`
  return { url, key: () => config.adminKey ?? readAdminKey(config.dataDir) }
}

/** An address given by hand may well be that of the server of this machine, and only then has that one's key. */
async function localKeyFor(url: string, env: Environment): Promise<string | undefined> {
  if (!isLoopback(new URL(url).hostname)) return undefined
  const local = await findLocal(env)
  return isSame(url, local.url) ? local.key() : undefined
}

function isSame(one: string, other: string): boolean {
  const plain = (text: string) => new URL(text.replace('//localhost', '//127.0.0.1')).href.replace(/\/+$/, '')
  return plain(one) === plain(other)
}

function readAdminKey(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, 'admin-key'), 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return undefined
    throw error
  }
}

function keyMissing(): never {
  throw new Failed(
    'There is no key to speak to the server with. Give --key-file, ROLLBOOK_API_KEY_FILE, or a profile; ' +
      'rollbook help authentication says more.',
    exitCodes.notAuthorized,
  )
}

/** Empty counts as not given, as for the settings of the server. */
function given(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name]
}
