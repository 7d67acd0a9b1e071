/** What happens outside of the transaction: the text is read, providers are asked, secrets are sealed. */
import { createHmac } from 'node:crypto'
import type { Actor } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import { isObject, nameMemberOf, sectionNames } from '../../core/configuration-file.ts'
import { AppError, type InputFault } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { placeOfFault, readYaml } from '../../lib/yaml-document.ts'
import type { Secrets } from '../../store/secrets/service.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { ApplyInput } from './apply.ts'
import { readDocument } from './document.ts'
import { Faults } from './faults.ts'
import type { Preparation, Prepared, Wanted } from './kind.ts'
import { kindIn } from './kinds/kinds.ts'
import { matchObjects, type Named, type SectionState } from './plan.ts'
import { readState } from './state.ts'

type Parts = {
  storage: Storage
  config: Config
  rules: Rules
  secrets: Secrets
  providers: { prepare: Preparation['prepare'] }
}

export type ApplyOptions = Pick<ApplyInput, 'source' | 'allow_delete' | 'ifMatch' | 'isPlan'> & {
  /** Objects that get a new secret, as `keys/main-api`. */
  rotate: readonly string[]
}

export type Configurator = ReturnType<typeof createConfigurator>

export function createConfigurator({ storage, config, rules, secrets, providers }: Parts) {
  const nextId = uuidv7Maker()
  const fingerprint = (text: string) =>
    createHmac('sha256', secrets.device).update(`configuration ${text}`).digest('base64url')

  /** Returns the input of `configuration.apply`. Faults of the file are in it: the change finds the others. */
  async function inputFor(
    file: FileText,
    { actor, now }: { actor: Actor; now: number },
    { rotate, ...options }: ApplyOptions,
  ): Promise<ApplyInput> {
    const { generation, sections, objects, faults: found } = readDocument(file.value)
    const faults = new Faults()
    const state = await readState(storage.db)
    const wanted: Wanted[] = []
    for (const [section, own] of Map.groupBy(objects, (one) => one.section)) {
      const drafts = own.map(
        ({ secrets: _, ...object }): Wanted => ({
          ...object,
          rotates: rotate.includes(`${section}/${object.name}`),
          prepared: {},
        }),
      )
      const { matches } = matchObjects(state.sections.get(section) as SectionState, drafts)
      for (const [index, { wanted: draft, stored }] of matches.entries()) {
        const { secrets = {} } = own[index] ?? {}
        const completed = await faults.collect(draft.pointer, () => prepare(draft, { actor, now, stored, secrets }))
        if (completed !== undefined) wanted.push({ ...draft, ...completed })
      }
    }
    const prepared = new Set(wanted.map(({ pointer }) => pointer))
    const all = [...file.faults, ...found.filter((one) => !file.isFaulty(one)), ...faults.list]
    const faulty = namedObjects(file.value).filter(({ pointer }) => !prepared.has(pointer))
    return {
      ...options,
      wanted,
      sections,
      generation,
      faults: all,
      faulty,
    }

    async function prepare(draft: Wanted, object: Pick<Preparation, 'actor' | 'now' | 'stored' | 'secrets'>) {
      const { prepare } = kindIn(draft.section)
      if (prepare === undefined) return { members: draft.members, prepared: {} as Prepared }
      const newId = () => nextId(now)
      const complete = providers.prepare
      return prepare(draft.members, { ...object, db: storage.db, config, rules, newId, fingerprint, prepare: complete })
    }
  }

  return { inputFor }
}

/** Every object of a list that has a name, even if nothing else of it is right. */
function namedObjects(file: unknown): Named[] {
  return sectionNames.flatMap((section) => {
    const objects = isObject(file) && Array.isArray(file[section]) ? (file[section] as unknown[]) : []
    return objects.flatMap((object, index) => {
      const name = isObject(object) ? object[nameMemberOf(section)] : undefined
      return typeof name === 'string' ? [{ section, pointer: `#/${section}/${index}`, name }] : []
    })
  })
}

/** A file that was read: its value, what is wrong with its text, and where everything stands in it. */
export type FileText = {
  value: unknown
  faults: readonly InputFault[]
  /** Whether the text itself is at fault for another fault. */
  isFaulty(fault: InputFault): boolean
  /** Adds line and column. */
  placed(fault: InputFault): InputFault
}

export function jsonFile(value: unknown): FileText {
  return { value, faults: [], isFaulty: () => false, placed: (fault) => fault }
}

/** @throws AppError `malformed_yaml` for a text that is no YAML */
export async function yamlFile(text: string): Promise<FileText> {
  const document = await readYaml(text)
  const syntax = document.faults.filter(({ code }) => code === 'malformed_yaml')
  if (syntax.length > 0) {
    const detail = syntax.map(({ line, column, detail }) => `Line ${line}, column ${column}: ${detail}`).join(' ')
    throw new AppError('malformed_yaml', detail, { errors: syntax })
  }
  const faulty = document.faults.map(({ pointer }) => pointer)
  return {
    value: document.value,
    faults: document.faults,
    isFaulty: ({ pointer }) => faulty.some((one) => one === pointer || one.startsWith(`${pointer}/`)),
    placed: (fault) => ({ ...fault, ...placeOfFault(document, fault) }),
  }
}

/** Runs work for a file. Its faults get their places, and all of them are reported. */
export async function withPlaces<T>(file: FileText, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) throw error
    const errors = error.errors
      .map(file.placed)
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    throw new AppError(error.code, error.message, { errors, members: { errors }, cause: error })
  }
}
