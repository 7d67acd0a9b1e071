import { useLingui } from '@lingui/react/macro'
import { formatInstant } from '../../ui/instants.ts'
import type { Value } from './values.ts'

/** Returns the text of a value as people read it. */
export function useValueText(): (value: NonNullable<Value>) => string {
  const { t, i18n } = useLingui()
  return (value) => {
    if (typeof value === 'boolean') return value ? t`Yes` : t`No`
    if (Array.isArray(value)) return value.join(', ')
    const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
    return isInstant ? formatInstant(value, i18n.locale) : String(value)
  }
}
