/** Checks the options of a verifier. In JavaScript no compiler finds a misspelt option, and each could weaken the check. */
import { type Fetch, type Key, readBaseUrl } from './issuer.ts'

export type VerifierOptions = {
  /** Rollbook's public URL with its prefix, such as `https://orchard.example.com/auth`: the `iss` of tokens. */
  issuer: string
  /** The URL at which this server reaches Rollbook. Default: `issuer`. */
  url?: string | undefined
  /** The `aud` of tokens. Default: the origin of `issuer`, as in Rollbook. */
  audience?: string | undefined
  /** An API key with `tokens:introspect`. Without it only tokens are accepted, and they are valid until they expire. */
  key?: Key | undefined
  /** While the revocation feed is disconnected: `closed` accepts what Rollbook confirms, `open` tokens until they expire. */
  whenCut?: 'closed' | 'open' | undefined
  /** The origins of the product's pages. Default: the origin of `issuer`. */
  origins?: readonly string[] | undefined
  /** How long answers about keys and sessions are cached, in seconds. Default: 10, at most 300. */
  cacheSeconds?: number | undefined
  /** Allows plain HTTP to another machine, for a network that you trust. */
  allowHttp?: boolean | undefined
  /** Receives errors in the communication with Rollbook. Default: writes them to stderr. */
  onTrouble?: ((error: Error) => unknown) | undefined
  fetch?: Fetch | undefined
  clock?: (() => number) | undefined
}

type Given = Omit<VerifierOptions, 'key' | 'cacheSeconds' | 'allowHttp'>

export type Settings = { [Name in keyof Given]-?: NonNullable<Given[Name]> } & { key: Key | undefined; cacheMs: number }

const names = 'issuer url audience key whenCut origins cacheSeconds allowHttp onTrouble fetch clock'.split(' ')

/** @throws TypeError for an option that does not match the type */
export function readOptions(input: VerifierOptions): Settings {
  const options = membersOf('createVerifier', input, names) as VerifierOptions
  const { key, whenCut = 'closed', cacheSeconds = 10, allowHttp = false } = options
  if (whenCut !== 'closed' && whenCut !== 'open') throw new TypeError("whenCut must be 'closed' or 'open'.")
  if (typeof allowHttp !== 'boolean') throw new TypeError('allowHttp must be true or false.')
  if (typeof cacheSeconds !== 'number' || !(cacheSeconds >= 0 && cacheSeconds <= 300)) {
    throw new TypeError('cacheSeconds must be a number from 0 to 300.')
  }
  if (key === undefined && whenCut !== 'open') {
    throw new TypeError(
      "Without a key the verifier does not learn of revocations. Set whenCut: 'open' if revoked tokens may stay valid until they expire.",
    )
  }
  const issuer = readBaseUrl(textOf('issuer', options.issuer), { allowHttp: true })
  const { origin } = new URL(issuer)
  return {
    issuer,
    url: readBaseUrl(textOf('url', options.url ?? issuer), { allowHttp }),
    audience: textOf('audience', options.audience ?? origin),
    key: key === undefined || typeof key === 'function' ? key : textOf('key', key),
    whenCut,
    origins: originsOf(options.origins ?? [origin]),
    cacheMs: cacheSeconds * 1000,
    onTrouble: functionOf('onTrouble', options.onTrouble ?? ((error) => console.warn(error))),
    fetch: functionOf('fetch', options.fetch ?? globalThis.fetch),
    clock: functionOf('clock', options.clock ?? Date.now),
  }
}

/** @throws TypeError unless `value` is an object with only these members */
export function membersOf(what: string, value: unknown, allowed: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${what}: must be an object with some of ${allowed.join(', ')}.`)
  }
  const unknown = Object.keys(value).find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw new TypeError(`${what}: ${unknown} is unknown; allowed are ${allowed.join(', ')}.`)
  return value as Record<string, unknown>
}

/** @throws TypeError unless `value` is a string that is not blank */
export function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new TypeError(`${name} must be a string that is not empty.`)
  return value
}

function functionOf<F>(name: string, value: F): F {
  if (typeof value !== 'function') throw new TypeError(`${name} must be a function.`)
  return value
}

function originsOf(values: readonly string[]): readonly string[] {
  const isOrigin = (value: unknown) =>
    typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value
  if (Array.isArray(values) && values.every(isOrigin)) return [...values]
  throw new TypeError('origins must be a list of origins, such as https://orchard.example.com, without a path.')
}
