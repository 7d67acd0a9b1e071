/** Reads a configuration file for a command: its text, its secrets, and where each fault stands. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileLimits, isObject, resolveReferences, type SecretTarget } from '../../core/configuration-file.ts'
import { readLogoFile } from '../../core/logo-file.ts'
import { isEmptyTarget } from '../../core/secret-target.ts'
import { placeOfFault, readYaml, type YamlDocument } from '../../lib/yaml-document.ts'
import type { Configuration } from '../../sdk/client/index.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed } from '../terminal/failure.ts'

export type ReadFile = {
  name: string
  /** With the secrets in place. */
  document: Configuration
  targets: SecretTarget[]
  /** Objects whose secret was never saved, as the API names them. */
  rotate: string[]
  places: Pick<YamlDocument, 'placeOf'>
}

type Fault = { pointer: string; code: string; detail: string; line?: number; column?: number }

/** @throws Failed with every fault, by line and column */
export async function readConfigurationFile(path: string): Promise<ReadFile> {
  const name = path === '-' ? 'standard input' : path
  const content = path === '-' ? await text(process.stdin) : readFileSync(path, 'utf8')
  if (Buffer.byteLength(content) > fileLimits.bytes) throw new Failed(`${name} is larger than 4 MiB.`, exitCodes.failed)
  const read = await readYaml(content)
  refuse(name, read, read.faults)
  const { resolved, targets, faults } = resolveReferences(read.value, {
    env: (variable) => process.env[variable],
    readFile: (file) => readFileSync(file, 'utf8'),
    readLogo: (file) => readLogoFile(resolve(path === '-' ? '.' : dirname(path), file)),
  })
  refuse(name, read, faults)
  const rotate = targets.filter(({ file }) => isEmptyTarget(file)).map((one) => `${one.section}/${one.name}`)
  return { name, document: resolved as Configuration, targets, rotate, places: read }
}

/** Adds to the refusal of a server where its faults stand in the file. */
export async function withFaultsOf<T>(file: ReadFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { name, errors } = error as Error & { errors?: unknown }
    if (name !== 'RollbookError' || !Array.isArray(errors)) throw error
    const faults = errors.filter((one): one is Fault => isObject(one) && typeof one.pointer === 'string')
    if (!faults.some(({ pointer }) => pointer.startsWith('#'))) throw error
    return refuse(file.name, file.places, faults, error as Error) as never
  }
}

function refuse(name: string, places: ReadFile['places'], faults: readonly Fault[], cause?: Error): void {
  if (faults.length === 0) return
  const lines = faults
    .map((fault) => ({ ...fault, ...placeOfFault(places, fault) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, column, detail, pointer }) => `${name}:${line}:${column}: ${detail} (${pointer.slice(1) || '/'})`)
  const exitCode =
    (cause as { status?: number } | undefined)?.status === 403 ? exitCodes.notAuthorized : exitCodes.failed
  throw new Failed([...lines, 'Nothing was changed.'].join('\n'), exitCode, cause && { cause })
}
