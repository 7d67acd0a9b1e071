/** The active filters, each with a button that removes it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { dayOfFrom, dayOfUntil } from '../ui/days.ts'
import { IconClose } from '../ui/icons.tsx'
import { formatInstant } from '../ui/instants.ts'
import { type Filters, filterNames } from '../user-search/search-params.ts'
import styles from './filter-chips.module.css'
import type { FilterChange } from './filter-form.tsx'

type Props = { filters: Filters; onChange: (change: Partial<FilterChange>) => void }

export function FilterChips({ filters, onChange }: Props) {
  const { t } = useLingui()
  const words = useFilterWords()
  const names = filterNames.filter((name) => filters[name] !== undefined && name !== 'q')
  if (names.length === 0) return null
  return (
    <ul className={styles.chips} aria-label={t`Filters`}>
      {names.map((name) => {
        const word = words(name, filters)
        return (
          <li key={name}>
            <button
              type="button"
              className={styles.chip}
              aria-label={t`Remove the filter: ${word}`}
              onClick={() => onChange({ [name]: undefined })}
            >
              {word}
              <IconClose size={14} />
            </button>
          </li>
        )
      })}
      {names.length > 1 && (
        <li>
          <button
            type="button"
            className={styles.clear}
            onClick={() => onChange(Object.fromEntries(names.map((name) => [name, undefined])))}
          >
            <Trans>Clear filters</Trans>
          </button>
        </li>
      )}
    </ul>
  )
}

function useFilterWords() {
  const { t, i18n } = useLingui()
  const day = (iso: string, dayOf: (iso: string) => string | undefined) => {
    const whole = dayOf(iso)
    return whole === undefined
      ? formatInstant(iso, i18n.locale)
      : formatInstant(`${whole}T00:00:00`, i18n.locale, 'date')
  }
  return (name: (typeof filterNames)[number], filters: Filters): string => {
    const { role = '', created_after = '', created_before = '' } = filters
    const { last_login_after = '', last_login_before = '' } = filters
    switch (name) {
      case 'q':
        return filters.q ?? ''
      case 'role':
        return t`Role: ${role}`
      case 'active':
        return filters.active ? t`Active` : t`Disabled`
      case 'locked':
        return filters.locked ? t`Locked` : t`Not locked`
      case 'has_password':
        return filters.has_password ? t`Has a password` : t`Has no password`
      case 'has_signed_in':
        return filters.has_signed_in ? t`Has signed in` : t`Never signed in`
      case 'created_after':
        return t`Created from ${day(created_after, dayOfFrom)}`
      case 'created_before':
        return t`Created until ${day(created_before, dayOfUntil)}`
      case 'last_login_after':
        return t`Signed in since ${day(last_login_after, dayOfFrom)}`
      case 'last_login_before':
        return t`Last sign-in until ${day(last_login_before, dayOfUntil)}`
    }
  }
}
