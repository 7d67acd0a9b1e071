/** The form of a file: which sections and members there are. Knows nothing of what is stored. */
import { kindSecrets } from '../../access/providers/connections/service.ts'
import {
  fileLimits,
  isObject,
  issuingSections,
  logoMembers,
  mappedSections,
  nameMemberOf,
  type SectionName,
  secretMembers,
  sectionNames,
  wholeMappings,
} from '../../core/configuration-file.ts'
import type { InputFault } from '../../core/errors.ts'
import { inputCompiler } from '../../http/request/validate.ts'
import { inputFaults, type SchemaFault, unknownMembers } from '../../http/response/faults.ts'
import { below } from './faults.ts'
import type { Kind, Members, ObjectSchema } from './kind.ts'
import { kinds } from './kinds/kinds.ts'

const writeTo = {
  type: 'object',
  additionalProperties: false,
  required: ['file'],
  properties: { file: { type: 'string', minLength: 1, description: 'A path. The file gets the mode 0600.' } },
  description:
    'Where rollbook apply writes the secret, which is shown once. An empty file makes the next apply replace the secret.',
} as const

const reference = {
  description: 'A reference to the secret.',
  anyOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['env'],
      properties: { env: { type: 'string', description: 'The name of a variable of the environment.' } },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['file'],
      properties: { file: { type: 'string', description: 'The path of a file.' } },
    },
    { type: 'null' },
  ],
} as const

const logoFile = {
  type: 'object',
  additionalProperties: false,
  required: ['file'],
  properties: { file: { type: 'string', minLength: 1, description: 'A path, relative to this file.' } },
} as const

/** An object of a file, before it is compared with anything. */
export type FileObject = {
  section: SectionName
  pointer: string
  name: string
  renamed_from?: string
  members: Members
  secrets: Readonly<Record<string, string | null>>
}

export type FileDocument = {
  generation: number | undefined
  /** The sections that the file has: the others are not managed. */
  sections: SectionName[]
  objects: FileObject[]
  faults: InputFault[]
}

const topMembers = ['version', 'generation'] as const

/** @param value the file with the secrets themselves in place of references */
export function readDocument(value: unknown): FileDocument {
  const document: FileDocument = { generation: undefined, sections: [], objects: [], faults: [] }
  const { faults } = document
  const fault = (pointer: string, code: string, detail: string) => faults.push({ pointer, code, detail })
  if (!isObject(value)) {
    fault('#', 'wrong_type', 'The file must be a mapping, with version: 1 and sections such as groups.')
    return document
  }
  const { users, version, generation, ...sections } = value
  if (users !== undefined) {
    const detail = 'A configuration file has no users. Import them with rollbook import, or POST /users/import.'
    fault('#/users', 'users_not_accepted', detail)
  }
  if (version !== 1) {
    const [code, detail] =
      version === undefined
        ? ['missing_member', 'version is required. Write version: 1.']
        : ['not_one_of', 'version must be 1.']
    fault('#/version', code as string, detail as string)
  }
  if (generation !== undefined) {
    if (Number.isSafeInteger(generation) && Number(generation) >= 0) document.generation = Number(generation)
    else fault('#/generation', 'wrong_type', 'generation must be an integer, 0 or more.')
  }
  const known: readonly string[] = [...topMembers, ...sectionNames]
  for (const name of Object.keys(sections).filter((one) => !known.includes(one))) {
    fault(`#/${escaped(name)}`, 'unknown_member', unknownMembers([name], known, { kind: 'member', isListed: true }))
  }
  const count = sectionNames.reduce((sum, name) => sum + (Array.isArray(sections[name]) ? sections[name].length : 0), 0)
  if (count > fileLimits.objects) {
    fault('#', 'too_many', `The file has ${count} objects. At most ${fileLimits.objects} are accepted.`)
    return document
  }
  for (const kind of kinds) readSection(document, kind, sections[kind.section])
  return document
}

type Reading = Pick<FileDocument, 'sections' | 'objects' | 'faults'>

function readSection({ sections, objects, faults }: Reading, kind: Kind, value: unknown): void {
  const { section } = kind
  if (value === undefined) return
  if (mappedSections.includes(section)) {
    readMapping({ sections, objects, faults }, kind, value)
    return
  }
  if (!Array.isArray(value)) {
    faults.push({
      pointer: `#/${section}`,
      code: 'wrong_type',
      detail: `${section} must be a list. Write [] for none.`,
    })
    return
  }
  sections.push(section)
  for (const [index, object] of value.entries()) {
    const pointer = `#/${section}/${index}`
    const readable = readForm(kind, object, { pointer, faults })
    if (readable !== undefined) objects.push(listed(section, pointer, readable))
  }
}

function listed(section: SectionName, pointer: string, object: Readonly<Record<string, unknown>>): FileObject {
  const { renamed_from, write_to: _, ...all } = object
  const isSecret = ([name]: [string, unknown]) => secretMembers[section]?.includes(name) ?? false
  const entries = Object.entries(all)
  return {
    section,
    pointer,
    name: String(all[nameMemberOf(section)]),
    ...(renamed_from !== undefined && { renamed_from: String(renamed_from) }),
    members: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secrets: Object.fromEntries(entries.filter(isSecret)) as FileObject['secrets'],
  }
}

/** Each member is an object of its own, or all of them together are one. */
function readMapping({ sections, objects, faults }: Reading, kind: Kind, value: unknown): void {
  const { section } = kind
  const pointer = `#/${section}`
  if (!isObject(value)) {
    faults.push({ pointer, code: 'wrong_type', detail: `${section} must be a mapping. Write {} for none.` })
    return
  }
  sections.push(section)
  const members = Object.entries(readForm(kind, value, { pointer, faults }) ?? {})
  if (members.length === 0) return
  const whole = wholeMappings[section]
  const parts = whole === undefined ? members.map((one) => [one[0], [one]] as const) : [[whole, members] as const]
  for (const [name, entries] of parts) {
    objects.push({ section, pointer, name, members: Object.fromEntries(entries), secrets: {} })
  }
}

/**
 * Checks the form of an object. Members that do not exist are left out, so that its other faults are found at once.
 *
 * @returns undefined if it has other faults in its form
 */
function readForm(
  kind: Kind,
  object: unknown,
  { pointer, faults }: { pointer: string; faults: InputFault[] },
): Record<string, unknown> | undefined {
  const found = objectFaults(kind, object)
  faults.push(...found.map((one) => ({ ...one, pointer: below(pointer, one.pointer) })))
  if (!isObject(object) || found.some(({ code }) => code !== 'unknown_member')) return undefined
  if (found.length === 0) return object
  const known = Object.keys(wireSchema(kind).properties)
  const readable = Object.fromEntries(Object.entries(object).filter(([name]) => known.includes(name)))
  return objectFaults(kind, readable).length === 0 ? readable : undefined
}

const validatorOf = inputCompiler([])
const validators = new Map(
  kinds.map((kind) => [
    kind,
    validatorOf({
      schema: wireSchema(kind),
      method: 'POST',
      url: '',
      httpPart: 'body',
    } as never) as unknown as Validator,
  ]),
)
type Validator = { (data: unknown): boolean; errors?: readonly SchemaFault[] | null }

function objectFaults(kind: Kind, object: unknown): InputFault[] {
  if (isObject(object) && object.managed_by !== undefined) {
    return [
      {
        pointer: '#/managed_by',
        code: 'unknown_member',
        detail: 'managed_by is no member of a file: an apply sets it.',
      },
    ]
  }
  const logos = (logoMembers[kind.section] ?? []).filter((name) => isObject(object) && isObject(object[name]))
  if (logos.length > 0) {
    const detail =
      'References to files are resolved by rollbook plan, by rollbook apply and at the start. Send the data URL itself.'
    return logos.map((name) => ({ pointer: `#/${name}`, code: 'wrong_type', detail }))
  }
  const references = (secretMembers[kind.section] ?? []).filter((name) => isObject(object) && isObject(object[name]))
  if (references.length > 0) {
    const detail =
      'References to secrets are resolved by rollbook plan, by rollbook apply and at the start. Send the secret itself.'
    return references.map((name) => ({ pointer: `#/${name}`, code: 'wrong_type', detail }))
  }
  const validate = validators.get(kind) as Validator
  if (validate(object)) return []
  return inputFaults(validate.errors ?? [], 'body').errors.map((one) => ({
    ...one,
    detail: one.detail.replace(/^The body/, 'The object'),
  }))
}

/** An object with the secrets themselves. */
function wireSchema(kind: Kind): ObjectSchema {
  return extended(kind, (name) => kindSecrets[name as keyof typeof kindSecrets])
}

function extended({ section, schema, renames }: Kind, secret: (name: string) => object): ObjectSchema {
  const { type, additionalProperties, required, properties } = schema
  const secrets = (secretMembers[section] ?? []).map((name) => [name, secret(name)])
  const renamedFrom = {
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    description: 'The former name: the object keeps its id.',
  }
  return {
    type,
    additionalProperties,
    required,
    properties: {
      ...properties,
      ...Object.fromEntries(secrets),
      ...(renames && { renamed_from: renamedFrom }),
      ...(issuingSections.includes(section) && { write_to: writeTo }),
    },
  }
}

/** In a file a logo may also be the name of a file. */
function withLogoFiles({ section }: Kind, schema: ObjectSchema): ObjectSchema {
  const logos = (logoMembers[section] ?? []).map((name) => [name, { anyOf: [schema.properties[name], logoFile] }])
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(logos) } }
}

/** The JSON Schema of a file. */
export function fileSchema(): object {
  const sections = kinds.map((kind) => {
    const object = withLogoFiles(
      kind,
      extended(kind, () => reference),
    )
    return [kind.section, mappedSections.includes(kind.section) ? object : { type: 'array', items: object }]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rollbook configuration',
    description:
      'A file for rollbook plan and rollbook apply. A section that is missing is not managed; an empty one removes what a file created.',
    type: 'object',
    additionalProperties: false,
    required: ['version'],
    properties: {
      version: { const: 1 },
      generation: {
        type: 'integer',
        minimum: 0,
        description: 'A file with a lower number than the applied one is refused.',
      },
      ...Object.fromEntries(sections),
    },
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
