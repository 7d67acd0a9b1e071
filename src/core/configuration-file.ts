/**
 * The form of a configuration file, as far as the command line and the server both know it: its sections, how objects are named,
 * and where secrets stand. What an object may contain is known to operations/configuration alone.
 */

import { logoDataUrl, mostLogoBytes } from './logo-file.ts'

/** In the order in which objects are created: later sections may name objects of earlier ones. */
export const sectionNames = [
  'roles',
  'attributes',
  'organizations',
  'groups',
  'connections',
  'provisioning',
  'webhooks',
  'keys',
  'policies',
  'branding',
] as const
export type SectionName = (typeof sectionNames)[number]

/** Sections that are one mapping instead of a list of objects. */
export const mappedSections: readonly string[] = ['policies', 'branding'] satisfies SectionName[]

/** The names of the objects that are a whole mapping. In the other mappings each member is an object of its own. */
export const wholeMappings: Readonly<Partial<Record<SectionName, string>>> = { branding: 'product' }

export const fileLimits = { bytes: 4 * 1024 * 1024, objects: 2000 } as const

/** The member by which an object is known. */
export function nameMemberOf(section: string): 'name' | 'role' | 'url' {
  return section === 'webhooks' ? 'url' : section === 'roles' ? 'role' : 'name'
}

/** Members whose values are secrets: references in a file, texts on the wire. */
export const secretMembers: Readonly<Partial<Record<string, readonly string[]>>> = {
  connections: ['client_secret', 'bind_password', 'sp_private_key'],
}

/** Members whose values are pictures: data URLs, in a file also references to files beside it. */
export const logoMembers: Readonly<Partial<Record<string, readonly string[]>>> = { branding: ['logo', 'logo_dark'] }

/** Sections whose objects have a secret that is shown once, when it is created. */
export const issuingSections: readonly string[] = ['provisioning', 'webhooks', 'keys']

/** What to do with a secret that is shown once. */
export type SecretTarget = { section: string; name: string; file: string; pointer: string }
export type ReferenceFault = { pointer: string; code: string; detail: string }

type Sources = {
  /** Returns the value of a variable of the environment. */
  env(name: string): string | undefined
  /** Returns the content of a file. @throws Error */
  readFile(path: string): string
  /** Returns the content of a file whose path is relative to the configuration file. @throws Error */
  readLogo(path: string): Buffer
}

/**
 * Replaces the references to secrets in a file (`{env: NAME}`, `{file: PATH}`) by the secrets, those to logos (`{file: PATH}`) by data
 * URLs, and takes out `write_to`. Of anything else it expects nothing: the server reports it.
 */
export function resolveReferences(
  file: unknown,
  sources: Sources,
): { resolved: unknown; targets: SecretTarget[]; faults: ReferenceFault[] } {
  const [targets, faults]: [SecretTarget[], ReferenceFault[]] = [[], []]
  if (!isObject(file)) return { resolved: file, targets, faults }
  const resolved = Object.fromEntries(
    Object.entries(file).map(([section, objects]) => {
      if (!Array.isArray(objects)) return [section, withLogos(objects, section)]
      return [section, objects.map((object, index) => resolveObject(object, section, `#/${section}/${index}`))]
    }),
  )
  return { resolved, targets, faults }

  function resolveObject(object: unknown, section: string, pointer: string): unknown {
    if (!isObject(object)) return object
    const { write_to, ...members } = object
    if (write_to !== undefined && issuingSections.includes(section)) {
      const name = members[nameMemberOf(section)]
      const path = isObject(write_to) && Object.keys(write_to).length === 1 ? write_to.file : undefined
      if (typeof path !== 'string' || path === '') {
        faults.push({ pointer: `${pointer}/write_to`, code: 'wrong_type', detail: 'write_to must be {file: PATH}.' })
      } else if (typeof name === 'string') targets.push({ section, name, file: path, pointer: `${pointer}/write_to` })
    } else if (write_to !== undefined) members.write_to = write_to
    for (const member of secretMembers[section] ?? []) {
      const value = members[member]
      if (value === undefined || value === null) continue
      const secret = readReference(value, `${pointer}/${member}`)
      if (secret !== undefined) members[member] = secret
      else delete members[member]
    }
    return members
  }

  function withLogos(mapping: unknown, section: string): unknown {
    if (!isObject(mapping)) return mapping
    const members = { ...mapping }
    for (const member of logoMembers[section] ?? []) {
      const value = members[member]
      if (!isObject(value)) continue
      const logo = readLogo(value, `#/${section}/${member}`)
      if (logo !== undefined) members[member] = logo
      else delete members[member]
    }
    return members
  }

  function readLogo(value: Readonly<Record<string, unknown>>, pointer: string): string | undefined {
    const fault = (code: string, detail: string) => void faults.push({ pointer, code, detail })
    const { file, ...others } = value
    if (typeof file !== 'string' || Object.keys(others).length > 0) {
      fault('wrong_type', 'A logo must be a data URL or {file: PATH}.')
      return undefined
    }
    try {
      const bytes = sources.readLogo(file)
      if (bytes.length === 0) fault('logo_empty', 'This file is empty.')
      else if (bytes.length > mostLogoBytes)
        fault('logo_too_large', `This file is larger than ${mostLogoBytes / 1024} KiB.`)
      else return logoDataUrl(bytes)
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      fault('logo_missing', `This file cannot be read (${code}).`)
    }
    return undefined
  }

  function readReference(value: unknown, pointer: string): string | undefined {
    const fault = (code: string, detail: string) => void faults.push({ pointer, code, detail })
    const [[kind, source] = [], ...rest] = isObject(value) ? Object.entries(value) : []
    if (rest.length > 0 || typeof source !== 'string' || (kind !== 'env' && kind !== 'file')) {
      fault('secret_in_file', 'A secret does not belong into the file. Refer to it: {env: NAME} or {file: PATH}.')
      return undefined
    }
    if (kind === 'env') {
      const found = sources.env(source)
      if (found === undefined || found === '') fault('secret_missing', 'This variable is not set in the environment.')
      return found || undefined
    }
    try {
      const found = sources.readFile(source).replace(/\r?\n$/, '')
      if (found === '') fault('secret_missing', 'This file is empty.')
      return found || undefined
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      fault('secret_missing', `This file cannot be read (${code}).`)
      return undefined
    }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
