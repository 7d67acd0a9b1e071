/** Which language a page is in. */
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { acceptedLanguages } from '../../../lib/language-tags.ts'
import { type Language, languageFor } from './texts.ts'

export type ChoiceNeeds = Pick<HttpLayer, 'config' | 'cookies'>

type Request = { headers: IncomingHttpHeaders; query: unknown }

export const chosenForSeconds = 365 * 86_400

/** Returns the language that the address of the page asks for: the reader chose it there, or the product sent the user. */
export function languageInQuery({ query }: Pick<Request, 'query'>): Language | undefined {
  const { lang, ui_locales } = (query ?? {}) as Record<string, unknown>
  const tags = [typeof lang === 'string' ? [lang] : [], typeof ui_locales === 'string' ? ui_locales.split(' ') : []]
  return languageFor(tags.flat())
}

/** Returns the language that the reader or the product chose. Undefined if the browser's languages decide, or a setting. */
export function chosenLanguage(request: Request, { cookies }: Pick<ChoiceNeeds, 'cookies'>): Language | undefined {
  return languageInQuery(request) ?? languageFor([cookies.language.read(request) ?? ''])
}

/** @param locale the language of the user whose link this is: the message was in it */
export function languageOf(request: Request, needs: ChoiceNeeds, locale: string | null = null): Language {
  const { config, cookies } = needs
  return (
    languageInQuery(request) ??
    languageFor([
      ...(locale === null ? [] : [locale]),
      cookies.language.read(request) ?? '',
      ...acceptedLanguages(request.headers['accept-language']),
      config.mailLocale,
    ]) ??
    'en'
  )
}
