/** `ROLLBOOK_APPLY_FILE`: applies a file before the node serves. A file with a fault stops the start. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import { fileLimits, resolveReferences, type SecretTarget } from '../../core/configuration-file.ts'
import { AppError, type InputFault, misconfigured, OperatorError } from '../../core/errors.ts'
import { readLogoFile } from '../../core/logo-file.ts'
import { isEmptyTarget, type OpenTarget, openTarget } from '../../core/secret-target.ts'
import { counted } from '../../lib/amounts.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { findGeneration, type Outcome } from './apply.ts'
import { type Configurator, type FileText, withPlaces, yamlFile } from './configurator.ts'

type Parts = {
  configurator: Configurator
  storage: Storage
  config: Pick<Config, 'applyFile' | 'applyAllowDelete'>
  log: Logger
  now: number
  env?: NodeJS.ProcessEnv
}

/** @throws OperatorError with the exit code 78 */
export async function applyAtStart({ config, env = process.env, ...parts }: Parts): Promise<void> {
  const { storage, log } = parts
  const { applyFile: path, applyAllowDelete: allow_delete } = config
  if (path === undefined) return
  const { file, targets } = await readForStart(path, env)
  const { generation } = file.value as { generation?: unknown }
  const isOlder = async (): Promise<boolean> => {
    const applied = await findGeneration(storage.db)
    const older = typeof generation === 'number' && applied !== undefined && generation < applied
    if (older) {
      const said = { file: path, generation, applied }
      log.warn(said, 'ROLLBOOK_APPLY_FILE is older than the applied file, so it was not applied')
    }
    return older
  }
  if (await isOlder()) return
  try {
    await applyFile({ path, file, targets, allow_delete, generation }, parts)
  } catch (error) {
    // Another node, with a newer file, may have been faster.
    if (!(await isOlder())) throw error
  }
}

type StartFile = {
  path: string
  file: FileText
  targets: readonly SecretTarget[]
  allow_delete: number
  generation: unknown
}

async function applyFile(
  { path, file, targets, allow_delete, generation }: StartFile,
  { configurator, storage, log, now }: Omit<Parts, 'config' | 'env'>,
): Promise<void> {
  const empty = targets.filter(({ file }) => isEmptyTarget(file)).map(({ section, name }) => `${section}/${name}`)
  const change = { actor: system, now, requestId: randomUUID() }
  const run = async (isPlan: boolean): Promise<Outcome> => {
    const options = { rotate: empty, allow_delete, isPlan, source: path.slice(-256), ifMatch: undefined }
    const input = await configurator.inputFor(file, { actor: system, now }, options)
    if (!isPlan) await storage.settleJournal()
    return (await storage.change('configuration.apply', input, { ...change, dryRun: isPlan })).result
  }
  const plan = await reported(path, file, () => run(true))
  if (plan.changes.length === 0 && (generation === undefined || generation === (await findGeneration(storage.db))))
    return
  if (plan.deleted > allow_delete) {
    const detail = `${path} deletes ${counted(plan.deleted, 'object')}, and ROLLBOOK_APPLY_ALLOW_DELETE allows ${allow_delete}. Look at the plan first: rollbook plan ${path}`
    throw new OperatorError(detail, { exitCode: misconfigured })
  }
  const open = targets.filter(isDue(plan, empty)).map((target) => ({ ...target, open: openForStart(path, target) }))
  const {
    secrets,
    changes,
    etag: _,
    ...counts
  } = await reported(path, file, () => run(false)).catch((error: unknown) => {
    // Otherwise the apply may have happened: the next start finds the empty files, and rotates the secrets.
    if (error instanceof OperatorError) for (const { open: target } of open) target.discard()
    throw error
  })
  for (const { section, name, open: target } of open) {
    const issued = secrets.find((one) => one.kind === section && one.name === name)
    // Another node that started at the same time was faster.
    if (issued === undefined) target.discard()
    else target.save(issued.secret)
  }
  log.info({ file: path, ...counts }, 'configuration file applied')
}

function isDue({ changes }: Outcome, empty: readonly string[]): (target: SecretTarget) => boolean {
  return ({ section, name }) =>
    empty.includes(`${section}/${name}`) ||
    changes.some((one) => one.action === 'create' && one.kind === section && one.name === name)
}

async function readForStart(
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<{ file: FileText; targets: SecretTarget[] }> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new OperatorError(`ROLLBOOK_APPLY_FILE: ${path} cannot be read (${code}).`, {
      exitCode: misconfigured,
      cause: error,
    })
  }
  if (Buffer.byteLength(text) > fileLimits.bytes) {
    throw new OperatorError(`ROLLBOOK_APPLY_FILE: ${path} is larger than 4 MiB.`, { exitCode: misconfigured })
  }
  const file = await reported(path, undefined, () => yamlFile(text))
  const { resolved, targets, faults } = resolveReferences(file.value, {
    env: (name) => env[name],
    readFile: (name) => readFileSync(name, 'utf8'),
    readLogo: (name) => readLogoFile(resolve(dirname(path), name)),
  })
  return { file: { ...file, value: resolved, faults: [...file.faults, ...faults] }, targets }
}

function openForStart(path: string, { file, pointer }: SecretTarget): OpenTarget {
  try {
    return openTarget(file)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const detail = `ROLLBOOK_APPLY_FILE: ${path}, ${pointer.slice(2)}: the file cannot be written (${code}).`
    throw new OperatorError(detail, { exitCode: misconfigured, cause: error })
  }
}

/** Says refusals in the words of an operator. */
async function reported<T>(path: string, file: FileText | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await (file === undefined ? work() : withPlaces(file, work))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const lines = (error.errors ?? []).map((fault) => lineOf(path, fault))
    const text = lines.length > 0 ? lines.join('\n') : error.message
    throw new OperatorError(`ROLLBOOK_APPLY_FILE was not applied:\n${text}`, { exitCode: misconfigured, cause: error })
  }
}

function lineOf(path: string, { line = 1, column = 1, detail, pointer }: InputFault): string {
  return `${path}:${line}:${column}: ${detail} (${pointer.slice(1) || '/'})`
}
