/** The language of the page: the chosen one, or the first of the browser's languages that is available. */
import { i18n } from '@lingui/core'

export const languages = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const
export type Language = keyof typeof languages

const storageKey = 'rollbook-language'
const catalogs: Record<Language, () => Promise<{ messages: Record<string, never> }>> = {
  en: () => import('./en.po'),
  de: () => import('./de.po'),
  ar: () => import('./ar.po'),
}

export async function activateLanguage(language: Language = preferredLanguage()): Promise<void> {
  const { messages } = await catalogs[language]()
  // The region comes from the browser and decides how dates are written.
  const locale = navigator.languages.find((one) => languageOf(one) === language) ?? language
  i18n.loadAndActivate({ locale, messages })
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}

export function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language)
  return activateLanguage(language)
}

export function directionOf(language: string): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}

/** Returns `en` for `en-GB`. */
export function languageOf(locale: string): string {
  return locale.split('-')[0] ?? ''
}

function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey) ?? '', ...navigator.languages].map(languageOf)
  return wanted.find(isLanguage) ?? 'en'
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text)
}
