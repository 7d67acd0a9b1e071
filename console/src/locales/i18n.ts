/**
 * The language of the page: the chosen one, or the first of the browser's languages that is available. The choice is a cookie
 * that the sign-in pages also read and set.
 */
import { i18n } from '@lingui/core'

export const languages = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const
export type Language = keyof typeof languages

const cookieName = document.querySelector<HTMLMetaElement>('meta[name="language-cookie"]')?.content ?? ''
/** A year, as on the sign-in pages. */
const keptSeconds = 31_536_000
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
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari before 2025 have no cookieStore.
  document.cookie = `${cookieName}=${language}; Max-Age=${keptSeconds}; Path=/; SameSite=Lax${secure}`
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
  const pairs = document.cookie.split('; ').map((pair) => pair.split('='))
  const chosen = pairs.find(([name]) => name === cookieName)?.[1] ?? ''
  const wanted = [chosen, ...navigator.languages].map(languageOf)
  return wanted.find(isLanguage) ?? 'en'
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text)
}
