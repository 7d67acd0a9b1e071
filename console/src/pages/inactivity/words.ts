import { useLingui } from '@lingui/react/macro'
import { everyone, groupOf, managed, services } from './rule-lines.ts'

/** Whom a limit of the rule is for, by its name in the API. */
export function useLimitText(): (name: string) => string {
  const { t } = useLingui()
  return (name) => {
    const group = groupOf(name)
    if (name === everyone) return t`All people`
    if (name === services) return t`Service accounts`
    if (name === managed) return t`Users of an identity provider`
    return group === undefined ? t`Role ${name}` : t`Group ${group}`
  }
}
