import { useLingui } from '@lingui/react/macro'

/** The name of a browser or program in the language of the page; the API returns it in English. */
export function DeviceName({ name }: { name: string }) {
  const { t } = useLingui()
  if (name === 'Unknown device') return <bdi>{t`Unknown device`}</bdi>
  const [, browser = '', system] = /^(.+) on (.+)$/.exec(name) ?? []
  if (system === undefined) return <bdi>{name}</bdi>
  return <bdi>{browser === 'Unknown browser' ? t`Unknown browser on ${system}` : t`${browser} on ${system}`}</bdi>
}
