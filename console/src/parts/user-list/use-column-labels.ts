import { useLingui } from '@lingui/react/macro'
import { useAttributes } from '../../data/attributes.ts'
import type { ColumnId } from './columns.ts'

export function useColumnLabels(): (id: ColumnId) => string {
  const { t } = useLingui()
  const attributes = useAttributes()
  const labels: Record<string, string> = {
    username: t`User`,
    email: t`Email`,
    role: t`Role`,
    organization: t`Organization`,
    state: t`State`,
    last_login_at: t`Last sign-in`,
    created_at: t`Created`,
    updated_at: t`Last changed`,
    external_id: t`External ID`,
    user_id: t`User ID`,
  }
  return (id) => {
    const name = id.replace(/^attributes\./, '')
    return labels[id] ?? attributes?.find((one) => one.name === name)?.label ?? name
  }
}
