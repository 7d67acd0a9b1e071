/** Selects the server and the key of a command. Both are selected together: a key is sent only to its own server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { type Profile, profileFile, readProfiles } from './profile-file.ts'

export type RemoteOptions = { url?: string; keyFile?: string; profile?: string; timeout?: number }

export type Server = { url: string; key: string; from: string }

type Environment = NodeJS.ProcessEnv

/**
 * Options come first, then the environment, the default profile, and the server of this machine. The key of a profile is
 * sent only to the server of that profile, the key of the environment only to the server of the environment, and the key
 * in the data directory only to the server of this machine. --key-file is sent to any server.
 */
export async function findServer(options: RemoteOptions, env: Environment): Promise<Server> {
  const named = options.profile ?? (options.url === undefined ? setting(env, 'ROLLBOOK_PROFILE') : undefined)
  if (options.profile !== undefined && options.url !== undefined) {
    throw new UsageError('Give either --url or --profile: a profile has its own address.')
  }
  const own = keyOfOption(options)
  if (named !== undefined) {
    const profile = getProfile(named, env)
    return { url: profile.url, key: own ?? profile.key, from: `the profile ${named}` }
  }
  const environment = setting(env, 'ROLLBOOK_URL')
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

/** Returns the address alone, for a command that gets its key there; `profile` may be one that does not exist yet. */
export async function findAddress({ url, profile }: RemoteOptions, env: Environment): Promise<string> {
  if (url !== undefined) return readUrl(url, '--server')
  const { profiles } = readProfiles(profileFile(env))
  const known = profile === undefined ? undefined : profiles[profile]
  if (known !== undefined) return known.url
  const environment = setting(env, 'ROLLBOOK_URL')
  if (environment !== undefined) return readUrl(environment, 'ROLLBOOK_URL')
  return currentProfile(env)?.url ?? (await findLocal(env)).url
}

/** Returns the key for an explicit address: the environment's if it names the same server, or this machine's. */
async function keyFor(url: string, environment: string | undefined, env: Environment): Promise<string> {
  const key = keyOfEnvironment(env)
  if (key === undefined) return (await localKeyFor(url, env)) ?? keyMissing()
  if (environment !== undefined && isSame(url, readUrl(environment, 'ROLLBOOK_URL'))) return key
  throw new UsageError(
    `There is no key for --url: the key in the environment ${environment === undefined ? 'has no ROLLBOOK_URL beside it' : 'is for ROLLBOOK_URL, which is another address'}. Give --key-file, or --profile instead of --url.`,
  )
}

/** Returns the profile's key. Refuses to guess when the environment has a key too, which may be for another server. */
function keyOfCurrent({ key, name }: Profile & { name: string }, env: Environment): string {
  if (keyOfEnvironment(env) === undefined) return key
  throw new UsageError(
    `The environment has a key but no ROLLBOOK_URL, and there is a default profile. Set ROLLBOOK_URL, or give --profile ${name} to use the profile and its key.`,
  )
}

/** Whether a key that is sent to this address can be read on the network. */
export function isInClear(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** @throws UsageError for an invalid address. The error does not repeat the text, which may contain a password. */
export function readUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} must be a URL such as https://example.com/auth.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`${option} must be a URL without a user, a password, ? or #.`)
  }
  return url.href.replace(/\/+$/, '')
}

function keyOfOption({ keyFile }: RemoteOptions): string | undefined {
  return keyFile === undefined ? undefined : readKeyFile(keyFile, '--key-file')
}

function keyOfEnvironment(env: Environment): string | undefined {
  const key = setting(env, 'ROLLBOOK_API_KEY')
  const file = setting(env, 'ROLLBOOK_API_KEY_FILE')
  if (key !== undefined && file !== undefined) {
    throw new UsageError('ROLLBOOK_API_KEY and ROLLBOOK_API_KEY_FILE are both set. Set only one of them.')
  }
  return file === undefined ? key : readKeyFile(file, 'ROLLBOOK_API_KEY_FILE')
}

function readKeyFile(file: string, option: string): string {
  let key: string
  try {
    key = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    // Without the path: it may be the key itself, by mistake.
    const { code } = cause as NodeJS.ErrnoException
    throw new UsageError(`${option} names a file that cannot be read (${code}).`, { cause })
  }
  return checkKey(key, `The file of ${option}`)
}

/** Checks the characters of a key now, because `fetch` would refuse them with an error that shows the key. */
export function checkKey(key: string, source: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return key
  throw new UsageError(`${source} is not a valid key: a key is a single line of visible ASCII characters.`)
}

function getProfile(name: string, env: Environment): Profile {
  const file = profileFile(env)
  const { profiles } = readProfiles(file)
  const found = profiles[name]
  if (found) return found
  const names = Object.keys(profiles)
  const known = names.length === 0 ? 'There are no profiles yet.' : `Profiles: ${names.join(', ')}.`
  throw new UsageError(`There is no profile with this name in ${file}. ${known}`)
}

function currentProfile(env: Environment): (Profile & { name: string }) | undefined {
  const { current, profiles } = readProfiles(profileFile(env))
  const profile = current === undefined ? undefined : profiles[current]
  return profile && { ...profile, name: current as string }
}

type Local = { url: string; key: () => string | undefined }

/** Returns the address at which `rollbook serve` listens with this configuration, and its key. */
async function findLocal(env: Environment): Promise<Local> {
  const [{ loadConfig }, { reachableAddress }] = await Promise.all([
    import('../../core/config.ts'),
    import('../../http/server/own-address.ts'),
  ])
  const config = loadConfig(env)
  const url = `${reachableAddress(config.host, config.port)}${config.basePath.replace(/\/+$/, '')}`
  return { url, key: () => config.adminKey ?? readAdminKey(config.dataDir) }
}

/** Returns the key in the data directory if the address is that of this machine's server. */
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
    'There is no API key. Give --key-file, set ROLLBOOK_API_KEY_FILE, or use a profile. ' +
      'See rollbook help authentication.',
    exitCodes.notAuthorized,
  )
}

/** Returns a variable. Empty counts as unset, as for the settings of the server. */
function setting(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name]
}
