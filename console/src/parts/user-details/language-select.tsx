import { useLingui } from '@lingui/react/macro'
import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { type Language, languages } from '../../locales/i18n.ts'
import { useDefaultLanguage } from './default-language.ts'

type Props = NativeSelectProps & {
  /** Always among the options: templates of the operator may add languages to messages. */
  current: string
}

export function LanguageSelect({ current, ...props }: Props) {
  const { t } = useLingui()
  const textOf = useLanguageText()
  const isOther = current !== '' && !Object.hasOwn(languages, current)
  return (
    <NativeSelect description={t`Language of emails and their links.`} {...props}>
      <option value="">{textOf('')}</option>
      {Object.entries(languages).map(([language, name]) => (
        <option key={language} value={language} lang={language}>
          {name}
        </option>
      ))}
      {isOther && <option value={current}>{current}</option>}
    </NativeSelect>
  )
}

/** Returns a function that names the language of a user. Empty: none is set. */
export function useLanguageText(): (locale: string) => string {
  const standard = useDefaultLanguage()
  return (locale) => {
    if (locale === '') return standard
    return Object.hasOwn(languages, locale) ? languages[locale as Language] : locale
  }
}
