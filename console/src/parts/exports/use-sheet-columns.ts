import { useLingui } from '@lingui/react/macro'
import { useAttributes } from '../../data/attributes.ts'
import { useMemberLabels } from '../user-details/words.ts'
import type { SheetColumn, SheetLanguage } from './sheet.ts'

/** The names of attributes, and the columns of a table with their labels. */
export function useSheetColumns(): { attributes: string[]; of: (ids: readonly string[]) => SheetColumn[] } {
  const { t } = useLingui()
  const definitions = useAttributes() ?? []
  const labels: Record<string, string> = {
    ...useMemberLabels(),
    kind: t`Kind`,
    last_login_at: t`Last sign-in`,
    created_at: t`Created`,
    updated_at: t`Last changed`,
    user_id: t`User ID`,
    organization: t`Organization`,
    groups: t`Groups`,
    effective_roles: t`Effective roles`,
  }
  return {
    attributes: definitions.map(({ name }) => name),
    of: (ids) =>
      ids.map((id): SheetColumn => {
        const definition = definitions.find(({ name }) => id === `attributes.${name}`)
        const label = labels[id] ?? definition?.label ?? id
        const isTime = definition?.type === 'date' || definition?.type === 'datetime'
        return isTime ? { id, label, type: definition.type as 'date' | 'datetime' } : { id, label }
      }),
  }
}

export function useSheetLanguage(): SheetLanguage {
  const { t, i18n } = useLingui()
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return { locale: i18n.locale, timeZone, yes: t`Yes`, no: t`No` }
}
