/** Reads what a verifier is made with. JavaScript has no compiler that finds a misspelt word, and each could open a door. */
import { type Fetch, type Key, readBaseUrl } from './issuer.ts'

export type VerifierOptions = {
  /** Rollbook's public URL with its prefix, such as `https://orchard.example.com/auth`, as it stands in tokens. */
  issuer: string
  /** Where this server reaches Rollbook, when that is not the issuer. */
  url?: string | undefined
  /** Who tokens are for; by default the origin of the issuer, as in Rollbook. */
  audience?: string | undefined
  /** An API key with `tokens:introspect`. Without one there are tokens only, valid until they end. */
  key?: Key | undefined
  /** What counts while revocations cannot be heard of: only what Rollbook confirms (`closed`), or tokens until they end. */
  whenCut?: 'closed' | 'open' | undefined
  /** Where pages of the product come from; by default the origin of the issuer. */
  origins?: readonly string[] | undefined
  /** For how long what Rollbook said about a key or a session is remembered; 10 by default, up to 300. */
  cacheSeconds?: number | undefined
  /** Plain http to another machine, on a network of your own. */
  allowHttp?: boolean | undefined
  /** Hears of what goes wrong between here and Rollbook; by default it is written to stderr. */
  onTrouble?: ((error: Error) => unknown) | undefined
  fetch?: Fetch | undefined
  clock?: (() => number) | undefined
}

type Given = Omit<VerifierOptions, 'key' | 'cacheSeconds' | 'allowHttp'>

export type Settings = { [Name in keyof Given]-?: NonNullable<Given[Name]> } & { key: Key | undefined; cacheMs: number }

const names = 'issuer url audience key whenCut origins cacheSeconds allowHttp onTrouble fetch clock'.split(' ')

/** @throws TypeError for everything that is not as the type says */
export function readOptions(given: VerifierOptions): Settings {
  const options = membersOf('createVerifier', given, names) as VerifierOptions
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

/** @throws TypeError unless it is an object with none but these members */
export function membersOf(what: string, value: unknown, allowed: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${what}: must be an object with some of ${allowed.join(', ')}.`)
  }
  const unknown = Object.keys(value).find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw new TypeError(`${what}: ${unknown} is unknown; allowed are ${allowed.join(', ')}.`)
  return value as Record<string, unknown>
}

/** @throws TypeError */
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
