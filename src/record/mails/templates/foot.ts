/** The words for the links below a message, in the languages of the built-in templates. */
import { lookUp } from '../../../lib/language-tags.ts'

type FootWords = { terms: string; privacy: string; support: string }

const words: Readonly<Record<'en' | 'de' | 'ar', FootWords>> = {
  en: { terms: 'Terms', privacy: 'Privacy', support: 'Help' },
  de: { terms: 'Nutzungsbedingungen', privacy: 'Datenschutz', support: 'Hilfe' },
  ar: { terms: 'شروط الاستخدام', privacy: 'الخصوصية', support: 'المساعدة' },
}

/** In English below templates of another language. */
export function footWords(locale: string): FootWords {
  return words[lookUp([locale], Object.keys(words) as (keyof typeof words)[]) ?? 'en']
}
