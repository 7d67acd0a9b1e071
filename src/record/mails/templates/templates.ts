/** All templates: the built-in ones, and the operator's, which replace them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../../core/config.ts'
import { fallbacks, languageTag } from '../../../lib/language-tags.ts'
import { type MailKind, mailKinds } from '../kinds.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { parseTemplate, type Template } from './template.ts'

const builtIn = { en, de, ar } as const

export const builtInLocales = Object.keys(builtIn)

/** By `<kind>.<locale>`. It can be handed to another thread. */
export type TemplateSet = { all: ReadonlyMap<string, Template>; defaultLocale: string }

export type Templates = {
  /** The template for a user of this locale, and the language that it is written in. */
  find(kind: MailKind, locale: string | null): { template: Template; locale: string }
  locales(): string[]
  set: TemplateSet
}

/**
 * Reads `<kind>.<locale>.txt` from the operator's directory.
 *
 * @throws ConfigError that names every fault
 */
export function loadTemplates(directory: string | undefined, defaultLocale: string): Templates {
  const all = new Map<string, Template>()
  for (const [locale, sources] of Object.entries(builtIn)) {
    for (const kind of mailKinds) all.set(`${kind}.${locale}`, parsed(kind, sources[kind]))
  }
  if (directory !== undefined) for (const [name, template] of readOwn(directory)) all.set(name, template)
  const templates = templatesOf({ all, defaultLocale })
  if (!fallbacks(defaultLocale).some((tag) => templates.locales().includes(tag))) {
    const available = templates.locales().join(', ')
    throw new ConfigError([
      `ROLLBOOK_MAIL_LOCALE is a language without templates; there are templates in ${available}.`,
    ])
  }
  return templates
}

export function templatesOf(set: TemplateSet): Templates {
  const { all, defaultLocale } = set
  return {
    set,
    locales: () => [...new Set([...all.keys()].map((name) => name.slice(name.indexOf('.') + 1)))],
    find(kind, locale) {
      for (const tag of [...(locale === null ? [] : fallbacks(locale)), ...fallbacks(defaultLocale), 'en']) {
        const template = all.get(`${kind}.${tag}`)
        if (template) return { template, locale: tag }
      }
      throw new Error(`There is no template for ${kind}.`)
    },
  }
}

function parsed(kind: MailKind, source: string): Template {
  const template = parseTemplate(kind, source)
  if ('faults' in template) throw new Error(`The template of ${kind} ${template.faults.join(' and ')}.`)
  return template
}

const fileName = /^([a-z_]+)\.([^.]+)\.txt$/

function readOwn(directory: string): [string, Template][] {
  const faults: string[] = []
  const found: [string, Template][] = []
  for (const file of listFiles(directory)) {
    const [, kind = '', locale = ''] = fileName.exec(file) ?? []
    if (!isKind(kind) || !languageTag.test(locale)) {
      faults.push(`${file}: the name is not <message>.<language>.txt with one of ${mailKinds.join(', ')}`)
      continue
    }
    const source = readSource(join(directory, file))
    if (typeof source !== 'string') {
      faults.push(`${file} ${source.fault}`)
      continue
    }
    const template = parseTemplate(kind, source)
    if ('faults' in template) faults.push(...template.faults.map((fault) => `${file} ${fault}`))
    else found.push([`${kind}.${locale}`, template])
  }
  if (faults.length > 0) {
    throw new ConfigError(faults.map((fault) => `ROLLBOOK_MAIL_TEMPLATES: ${fault}.`))
  }
  return found
}

function readSource(path: string): string | { fault: string } {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { fault: 'is not in UTF-8' }
  }
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith('.'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([`ROLLBOOK_MAIL_TEMPLATES names a directory that cannot be read (${code}).`])
  }
}

function isKind(name: string): name is MailKind {
  return (mailKinds as string[]).includes(name)
}
