/** The languages of the pages. A catalogue is loaded when the first page needs it. */
import { lookUp } from '../../../lib/language-tags.ts'
import type { Texts } from './en.ts'

export type { Texts } from './en.ts'

const catalogues = {
  en: async (): Promise<Texts> => (await import('./en.ts')).en,
  de: async (): Promise<Texts> => (await import('./de.ts')).de,
  ar: async (): Promise<Texts> => (await import('./ar.ts')).ar,
} as const

export type Language = keyof typeof catalogues

/** Each by its own name, in the order in which the pages offer them. */
export const languageNames: Readonly<Record<Language, string>> = { de: 'Deutsch', ar: 'العربية', en: 'English' }

export const languages = Object.keys(languageNames) as Language[]

export function languageFor(tags: readonly string[]): Language | undefined {
  return lookUp(tags, languages)
}

export function textsIn(language: Language): Promise<Texts> {
  return catalogues[language]()
}
