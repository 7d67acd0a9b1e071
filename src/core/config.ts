/** Reads the configuration: from the environment, the files that hold secrets, and the file of settings. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { misconfigured, OperatorError } from './errors.ts'
import { disagreements } from './settings/agreement.ts'
import type { Setting } from './settings/kinds.ts'
import { type Config, settings } from './settings/settings.ts'

export type { Roles } from './settings/access.ts'
export { oddities } from './settings/agreement.ts'
export type { Setting } from './settings/kinds.ts'
export { type Config, settings, subjects } from './settings/settings.ts'

export class ConfigError extends OperatorError {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
    super([`The configuration has ${count}:`, ...faults].join('\n  - '), { exitCode: misconfigured })
    this.name = 'ConfigError'
    this.faults = faults
  }
}

type Environment = Record<string, string | undefined>
type Source = { values: Environment; where: string }
type ReadFile = (path: string) => string

/**
 * The environment, then the file it may name in ROLLBOOK_CONFIG_FILE, then the defaults.
 * Throws a ConfigError that names every fault at once.
 */
export function loadConfig(env: Environment, readFile: ReadFile = (path) => readFileSync(path, 'utf8')): Config {
  const faults: string[] = []
  const sources: Source[] = [{ values: env, where: '' }]

  const file = readValue(env, settings.configFile.name)
  if (file !== undefined) {
    const text = contentOf(settings.configFile.name, file, readFile, faults)
    if (text !== undefined) sources.push({ values: parseFile(text, faults), where: ' (in the configuration file)' })
  }
  for (const source of sources) faults.push(...unknownNames(source))

  const config: Record<string, unknown> = {}
  for (const [member, setting] of Object.entries<Setting>(settings)) {
    const found = find(setting, sources, readFile, faults)
    if (found === undefined) {
      config[member] = undefined
      continue
    }
    const reading = setting.kind.read(found.text, config)
    if ('value' in reading) config[member] = reading.value
    else faults.push(...reading.faults.map((fault) => `${found.name} ${fault}.`))
  }

  faults.push(...disagreements(config as Partial<Config>, readFile))
  if (faults.length > 0) throw new ConfigError(faults)
  return deepFreeze(config) as Config
}

/** Returns the setting's text from the first source that has it, and the name to mention in a fault. */
function find(
  setting: Setting,
  sources: readonly Source[],
  readFile: ReadFile,
  faults: string[],
): { text: string; name: string } | undefined {
  for (const { values, where } of sources) {
    const text = readValue(values, setting.name)
    const pointer = setting.secret ? `${setting.name}_FILE` : undefined
    const path = pointer && readValue(values, pointer)
    if (pointer && path) {
      if (text !== undefined) {
        faults.push(`${setting.name} and ${pointer} are both set${where}. Set only one of them.`)
        return undefined
      }
      const secret = contentOf(pointer, path, readFile, faults)?.replace(/\r?\n$/, '')
      // Unlike an empty setting, an empty file is an error: the operator expects a secret in it.
      if (secret === '') faults.push(`${pointer}${where} points to an empty file.`)
      return secret ? { text: secret, name: pointer + where } : undefined
    }
    if (text !== undefined) return { text, name: setting.name + where }
  }
  return setting.default === undefined ? undefined : { text: setting.default, name: setting.name }
}

/** An empty value counts as not set: Compose files and unit files cannot omit a variable. */
function readValue(values: Environment, name: string): string | undefined {
  const text = values[name]
  return text === undefined || text === '' || isServiceLink(name, text) ? undefined : text
}

function contentOf(name: string, path: string, readFile: ReadFile, faults: string[]): string | undefined {
  try {
    return readFile(path)
  } catch (error) {
    // Do not show the path: the operator may have put the secret itself there.
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    faults.push(`${name} points to a file that cannot be read${code}.`)
    return undefined
  }
}

function parseFile(text: string, faults: string[]): Environment {
  // parseEnv ignores lines it does not understand, such as `ROLLBOOK_PORT: 8080`.
  for (const [index, content] of text.split('\n').entries()) {
    if (/^\s*(export\s+)?ROLLBOOK_/.test(content) && !/^\s*(export\s+)?\w+\s*=/.test(content)) {
      faults.push(`Line ${index + 1} of the configuration file is not NAME=value.`)
    }
  }
  const values = Object.entries(parseEnv(text.replace(/^\uFEFF/, ''))).filter(([name]) => /^\w+$/.test(name))
  if (values.some(([name]) => name === settings.configFile.name)) {
    faults.push(`${settings.configFile.name} cannot be set in the configuration file.`)
  }
  return Object.fromEntries(values)
}

const knownNames: readonly string[] = Object.values<Setting>(settings).flatMap(({ name, secret }) =>
  secret ? [name, `${name}_FILE`] : [name],
)

/** Settings of the command line (src/cli/server/find-server.ts), which may be in the same environment. */
const namesOfCommandLine = ['ROLLBOOK_URL', 'ROLLBOOK_API_KEY', 'ROLLBOOK_API_KEY_FILE', 'ROLLBOOK_PROFILE']

function unknownNames({ values, where }: Source): string[] {
  const known = where === '' ? [...knownNames, ...namesOfCommandLine] : knownNames
  return Object.keys(values)
    .filter((name) => /^ROLLBOOK_/i.test(name) && readValue(values, name) !== undefined && !known.includes(name))
    .map((name) => {
      // A name with other characters may contain a value, so show only its first word.
      const word = name.match(/^\w{1,64}/)?.[0] ?? ''
      const nearest = closest(word.toUpperCase(), knownNames)
      const hint = nearest ? `Did you mean ${nearest}?` : 'docs/configuration.md lists the settings.'
      return `${word === name ? word : `${word}…`}${where} is not a setting. ${hint}`
    })
}

/**
 * Kubernetes sets such variables in every container, for each Service of the namespace. A Service named rollbook must not
 * prevent the start, and its ROLLBOOK_PORT=tcp://… must not be read as the port.
 */
function isServiceLink(name: string, text: string): boolean {
  const port = name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text)
  return port || /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name)
}

function closest(word: string, candidates: readonly string[]): string | undefined {
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, (candidate.length - 'ROLLBOOK_'.length) / 3))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.candidate
}

/** Levenshtein distance: how many characters to insert, remove or replace. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, left] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, right] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (left === right ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) deepFreeze(member)
  return Object.freeze(value)
}
