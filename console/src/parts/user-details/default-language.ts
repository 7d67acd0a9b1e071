import { useLingui } from '@lingui/react/macro'

/** The language of messages to users without one of their own (`ROLLBOOK_MAIL_LOCALE`), in words: "Default (English)". */
export function useDefaultLanguage(): string {
  const { t, i18n } = useLingui()
  const tag = document.querySelector<HTMLMetaElement>('meta[name="mail-locale"]')?.content
  const language = tag && new Intl.DisplayNames([i18n.locale], { type: 'language' }).of(tag)
  return language ? t`Default (${language})` : t`Default`
}
