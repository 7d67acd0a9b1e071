/** The steps at each provider in a language. They are made from those of the console's wizard by `npm run generate`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { home } from '../../../lib/home.ts'
import type { PasteFault } from '../../../lib/paste-checks.ts'
import type { Language } from '../page-texts/service.ts'

/** A field of the provider, with a value to copy, one of the provider's options, or words. */
export type GuideRow = { field: string; copies?: string; option?: string; words?: string; note?: string }
export type GuideStep = { says: string; rows: readonly GuideRow[] }

export type Guide = {
  /** Missing: any other provider. */
  product?: string
  /** Where the steps begin. */
  console?: string
  steps: readonly GuideStep[]
  /** Where to find what is entered here, by the name of the field. */
  pastes: Readonly<Record<string, string>>
  /** Fields that this provider does not need. */
  hides: readonly { name: string }[]
}

export type GuideBook = {
  guides: Readonly<Record<string, Guide>>
  pasteWords: Readonly<Record<PasteFault, string>>
}

const books = new Map<Language, GuideBook>()

/** Read when the first page in the language needs it. */
export function guideBook(language: Language): GuideBook {
  return books.getOrInsertComputed(language, () => {
    const path = join(home, 'src/access/pages/setup-links/guides', `${language}.json`)
    return JSON.parse(readFileSync(path, 'utf8')) as GuideBook
  })
}
